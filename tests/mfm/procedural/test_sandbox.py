"""Scripts that try to get out, to take more than their share, or to deceive."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from echo.mfm.procedural.lockdown import call_filter
from echo.mfm.procedural.sandbox import Answer, Defences, Failed, Limits, Sandbox, probe

QUICK = Limits(cpu_seconds=1, answer_seconds=60.0)

# What a script that looks for a way out finds first: the module os, behind a class that everything has.
OS = (
    "os = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]"
    ".__init__.__globals__\n"
)


def run(body: str, given=None, *, before: str = "", limits: Limits = QUICK, imports=()) -> Answer | Failed:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    script = f"{before}\ndef reflex(given):\n{lines}"
    with Sandbox(limits, imports=imports) as sandbox:
        assert sandbox.fault is None
        return sandbox.ask({"mode": "reflex", "script": script, "name": "x.py", "given": given})


def failed(body: str, **how) -> Failed:
    told = run(body, **how)
    assert isinstance(told, Failed), told
    return told


def test_all_defences_hold_here_and_are_measured():
    assert probe() == Defences(limits=True, calls=True, network=True, files=True, processes=True, audit=True)
    assert Defences(limits=True, network=True).missing == ("calls", "files", "processes", "audit")


def test_a_script_computes_on_json():
    told = run("return {'half': given['x'] / 2, 'same': given}", {"x": 3, "y": [None, "\ud800é"]})
    assert told == Answer(value={"half": 1.5, "same": {"x": 3, "y": [None, "\ud800é"]}})


def test_what_it_prints_is_kept_and_cut():
    assert run("print('a', 1)\nreturn 0").said == "a 1\n"
    assert run("print('a' * 4_000, end='')\nreturn 0").said == "a" * 4_000
    said = run("for _ in range(9999): print('abc')\nreturn 0").said
    # 992 lines of four characters and three more are what is left beside 29 that say so.
    assert said == "abc\n" * 992 + "abc" + "... (cut at 4,000 characters)"


def forged(line: str) -> str:
    """A body that writes a line of its own to the parent and goes on without end."""
    return (
        f"line = {line}\n"
        "for number in range(3, 16):\n"
        "    try: os['write'](number, line)\n"
        "    except OSError: pass\n"
        "while True: pass"
    )


def test_what_a_forged_answer_says_is_cut_by_the_parent():
    said = """b'{"value": 1, "said": "' + b'y' * 900_000 + b'"}\\n'"""
    told = run(OS + forged(said))
    assert told == Answer(value=1, said="y" * 3_971 + "... (cut at 4,000 characters)")
    error = """b'{"error": "' + b'e' * 900_000 + b'", "line": 1' + b'0' * 99 + b'}\\n'"""
    told = failed(OS + forged(error))
    assert (told.fault, told.line, len(told.text) < 600) == ("error", None, True)
    keys = """b'{"' + b'k' * 900_000 + b'": 1}\\n'"""
    assert len(failed(OS + forged(keys)).text) < 600
    other = """b'{"value": 1, "said": {"a": 3}, "line": -1}\\n'"""
    assert run(OS + forged(other)) == Answer(value=1)


def test_an_answer_may_be_wanted_sooner_than_the_limit():
    begun = time.monotonic()
    with Sandbox(QUICK, imports=("time",)) as sandbox:
        message = {"mode": "reflex", "name": "x.py", "given": None}
        script = "import time\ndef reflex(given):\n    time.sleep(30)\n"
        told = sandbox.ask({**message, "script": script}, within=0.3)
    assert isinstance(told, Failed)
    assert (told.fault, told.text) == ("time", "expected an answer within 0.3 s, got none.")
    assert time.monotonic() - begun < 10


def test_the_same_script_does_the_same_twice():
    body = "import random\nreturn [random.random(), list({'a', 'b', 'c', 'd'}), hash('x')]"
    assert run(body, imports=("random",)) == run(body, imports=("random",))


def test_allowed_modules_can_be_imported_and_no_others():
    assert run(
        "from collections.abc import Mapping\nreturn isinstance({}, Mapping)", imports=("collections.abc",)
    ).value
    assert "ImportError: a script may not import 'os'" in failed("import os").text
    assert "ImportError" in failed("import math").text  # It was not asked for when the process began.
    assert "ImportError" in failed("__import__('socket')").text


@pytest.mark.parametrize(
    "word", ["open('/etc/passwd')", "eval('1')", "exec('1')", "compile('1', '', 'eval')", "input()"]
)
def test_builtins_that_reach_out_are_not_there(word: str):
    assert "NameError" in failed(f"return {word}").text


@pytest.mark.parametrize(
    "way",
    [
        "os['open']('/etc/passwd', 0)",
        "os['open']('/tmp/echo_pwned', 65, 511)",
        "os['system']('true')",
        "os['fork']()",
        "os['kill'](os['getpid'](), 9)",
        "os['execv']('/bin/true', ['true'])",
        "os['listdir']('/')",
        "os['posix_spawn']('/bin/true', ['true'], {})",
        "os['sys'].modules['builtins'].open('/etc/passwd')",
        "os['sys'].modules['posix'].unlink('/tmp/x')",
        "os['getxattr']('/', 'user.x')",
        "os['sys'].setprofile(print)",
    ],
)
def test_a_way_out_through_a_class_is_barred_by_the_audit_hook(way: str):
    assert "PermissionError: a script may not do this here" in failed(OS + f"return {way}").text


@pytest.mark.parametrize(
    "way",
    [
        "os['pipe']()",
        "os['stat']('/etc/passwd')",
        "os['setsid']()",
        "os['dup'](1)",
        "os['memfd_create']('x')",
        "os['sched_setaffinity'](0, [0])",
        "os['waitpid'](-1, 1)",
        "os['urandom'].__self__.eventfd(0)",
    ],
)
def test_what_the_audit_hook_does_not_hear_of_the_kernel_refuses(way: str):
    told = failed(OS + f"return {way}").text
    assert "PermissionError" in told or "OSError" in told
    assert "may not do this here" not in told


def test_the_audit_hook_cannot_be_joined_by_another():
    body = (
        "heard = []\nos['sys'].addaudithook(lambda *event: heard.append(event))\ncompile\nid(1)\nreturn heard"
    )
    assert run(OS + body.replace("compile\n", "")).value == []


def test_everyday_python_works_inside():
    before = (
        *("import collections", "import dataclasses", "import enum", "import functools", "import typing"),
        "Pair = collections.namedtuple('Pair', 'a b')",
        "@dataclasses.dataclass(frozen=True)\nclass Point:\n    x: int\n    y: typing.Optional[int] = None",
        "class Kind(enum.Enum):\n    ORE = 'ore'",
        "@functools.lru_cache\ndef fib(n: int) -> int:\n    return n if n < 2 else fib(n - 1) + fib(n - 2)",
    )
    body = "return [Pair(1, 2), dataclasses.replace(Point(1), y=fib(30)).y, Kind('ore').name, f'{2 / 3:.2f}']"
    told = run(
        body, before="\n".join(before), imports=("collections", "dataclasses", "enum", "functools", "typing")
    )
    assert told == Answer(value=[[1, 2], 832040, "ORE", "0.67"])


def test_code_made_by_hand_cannot_be_put_into_a_function():
    told = failed("f = lambda: 1\nf.__code__ = (lambda: 2).__code__").text
    assert "a script may not do this here: object.__setattr__" in told
    assert "code.__new__" in failed("return (lambda: 1).__code__.replace(co_consts=())").text


def test_it_cannot_even_see_its_parent():
    assert run(OS + "return os['getppid']()").value == -1


def test_the_machinery_of_imports_finds_no_files():
    told = failed(OS + "return os['sys'].modules['_frozen_importlib']._gcd_import('socket')")
    assert "ModuleNotFoundError: No module named 'socket'" in told.text


def test_native_code_is_held_by_the_kernel_too():
    # ctypes is gone from sys.modules, and its shared library cannot be loaded anew.
    told = failed(OS + "return os['sys'].modules['_imp'].create_dynamic(None)")
    assert told.fault == "error"


def test_nothing_is_listening_for_it():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        body = f"import _socket\n_socket.socket().connect({server.getsockname()!r})"
        assert failed(OS + body).fault == "error"
        with pytest.raises(TimeoutError):
            server.accept()


def test_an_endless_loop_ends_with_its_processor_time():
    told = failed("while True: pass")
    assert (told.fault, told.text) == ("time", "expected at most 1 s of processor time, got more.")


def test_a_script_that_sleeps_is_killed_by_the_clock():
    limits = Limits(cpu_seconds=9, answer_seconds=0.3)
    body = "time = os['sys'].modules['time']\ntime.sleep(60)"
    started = time.monotonic()
    assert failed(OS + body, limits=limits).fault == "time"
    assert time.monotonic() - started < 30


def test_loops_that_catch_everything_end_too():
    assert (
        failed("while True:\n    try:\n        while True: pass\n    except BaseException: pass").fault
        == "time"
    )


@pytest.mark.parametrize(
    "body", ["return len([0] * 10**9)", "x = []\nwhile True: x.append('y' * 10**6 + str(len(x)))"]
)
def test_a_memory_bomb_is_an_answer(body: str):
    assert failed(body).fault == "memory"


def test_too_long_an_answer_is_cut_off():
    told = failed("return 'x' * 50_000_000")
    assert (told.fault, told.text) == ("output", "expected an answer of at most 1,048,576 bytes, got more.")


def test_deep_recursion_is_an_error_with_its_line():
    told = failed("def f(n): return f(n)\nreturn f(0)")
    assert told.fault == "error"
    assert told.line == 3
    assert "RecursionError" in told.text


def test_a_stack_that_overflows_is_a_crash():
    body = "os['sys'].setrecursionlimit(10**7)\nclass A: pass\ndef f(n): return [*map(f, [n])]\nreturn f(0)"
    assert failed(OS + body, limits=Limits(cpu_seconds=5)).fault in ("crash", "memory", "error")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return float('nan')", "got nan, which is no finite number"),
        ("return [1e999]", "got inf"),
        ("return 10**5000", "got a whole number of about 1,000 digits or more"),
        ("return {1: 2}", "got a mapping with a key of type int"),
        ("return {1, 2}", "got a value of type set"),
        ("return reflex", "got a value of type function"),
        ("x = []\nx.append(x)\nreturn x", "got a value nested more than 32 deep"),
        ("class T(str): pass\nreturn T('a')", "got a value of type T"),
    ],
)
def test_what_is_no_json_is_refused(body: str, said: str):
    told = failed(body)
    assert told.fault == "value"
    assert said in told.text


def test_a_huge_whole_number_costs_only_its_own_time():
    assert failed("return 10 ** 10 ** 9").fault in ("time", "memory")


@pytest.mark.parametrize(
    "body", ["raise SystemExit", "raise KeyboardInterrupt", "raise BaseException('x')", "1 / 0"]
)
def test_whatever_it_raises_is_an_answer(body: str):
    told = failed(body)
    assert (told.fault, told.line) == ("error", 3)


def test_an_exception_that_cannot_be_shown_is_told_so():
    body = "class E(Exception):\n    def __str__(self): raise E\nraise E"
    assert "got an exception that cannot be shown in line" in failed(body).text


def test_a_fault_at_the_top_has_its_line():
    assert failed("return 1", before="x = 1\n\nboom()").line == 3


def test_junk_on_the_wire_is_told_from_an_answer():
    body = (
        "for number in range(3, 16):\n"
        "    try: os['write'](number, b'junk before {\"value\": 1}\\n')\n"
        "    except OSError: pass\n"
        "return 1"
    )
    told = failed(OS + body)
    assert told.fault == "junk"
    assert "junk before" in told.text


def test_a_second_answer_is_junk():
    body = (
        "for number in range(3, 16):\n"
        "    try: os['write'](number, b'{\"value\": 1}\\n{\"value\": 2}\\n')\n"
        "    except OSError: pass\n"
        "return 1"
    )
    assert failed(OS + body).fault == "junk"


def test_an_answer_nested_beyond_measure_is_junk():
    body = (
        "line = b'{\"value\": ' + b'[' * 800 + b']' * 800 + b'}\\n'\n"
        "for number in range(3, 16):\n"
        "    try: os['write'](number, line)\n"
        "    except OSError: pass\n"
        "while True: pass"
    )
    assert failed(OS + body).fault == "junk"


def test_standard_output_leads_nowhere():
    assert run(OS + "os['write'](1, b'hello')\nreturn 1") == Answer(value=1)


def test_a_closed_wire_is_a_failure():
    body = "for number in range(0, 16):\n    try: os['close'](number)\n    except OSError: pass\nreturn 1"
    assert failed(OS + body).fault in ("crash", "junk")


def test_leaving_without_an_answer_is_a_failure():
    told = failed(OS + "os['_exit'](3)")
    assert (told.fault, told.text) == ("crash", "expected an answer, got the end of the process with code 3.")


def test_after_a_failure_everything_fails_alike():
    with Sandbox(QUICK) as sandbox:
        first = sandbox.ask({"mode": "reflex", "script": "while True: pass", "name": "x.py", "given": 1})
        assert sandbox.ask({"given": 1}) == first
        assert isinstance(first, Failed)


def test_a_message_larger_than_a_pipe_arrives():
    assert run("return len(given)", "x" * 900_000).value == 900_000


def test_a_python_that_cannot_be_started_is_a_failure(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with Sandbox(QUICK) as sandbox:
        told = sandbox.ask({"mode": "reflex"})
    assert isinstance(told, Failed)
    assert (told.fault, "expected to start '/nowhere/python'" in told.text) == ("crash", True)
    assert probe() == told


def test_its_folder_is_gone_afterwards():
    with Sandbox(QUICK) as sandbox:
        folder = Path(sandbox._folder.name)
        assert folder.is_dir()
    assert not folder.exists()


def test_it_gets_no_environment_and_an_empty_folder(monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    held = run(OS + "return dict(os['environ'])").value
    held.pop("LC_CTYPE", None)  # Python's own, where the system's language is unknown.
    assert held == {"PYTHONHASHSEED": "0"}


def test_the_process_is_gone_afterwards():
    with Sandbox(QUICK) as sandbox:
        number = sandbox._process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_a_killed_parent_takes_it_along(tmp_path):
    code = (
        "import time\nfrom echo.mfm.procedural.sandbox import Sandbox\n"
        "with Sandbox() as s:\n    print(s._process.pid, flush=True)\n    time.sleep(60)\n"
    )
    held = {**os.environ, "TMPDIR": str(tmp_path)}  # Its empty folder is what a kill leaves behind.
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=held)
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 5
    while _is_there(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _is_there(child)


def _is_there(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _start_with(change: str) -> str:
    return (
        "import sys; sys.path.insert(0, sys.argv[1]); import echo.mfm.procedural.lockdown as lockdown; "
        f"{change}; import echo.mfm.procedural.child as child; child.main()"
    )


def test_without_a_defence_against_the_network_nothing_is_sent(monkeypatch):
    monkeypatch.setattr("echo.mfm.procedural.sandbox._START", _start_with("lockdown._lock = lambda kept: {}"))
    with Sandbox(QUICK) as sandbox:
        assert sandbox.fault is not None
        assert sandbox.fault.fault == "unsafe"
        assert "Allow it explicitly" in sandbox.ask({"mode": "reflex"}).text
    with Sandbox(QUICK, unsafe=True) as sandbox:
        assert sandbox.fault is None
        assert sandbox.defences.missing == ("calls", "network", "files", "processes")


def test_where_calls_cannot_be_filtered_it_gets_a_network_of_its_own(monkeypatch):
    monkeypatch.setattr(
        "echo.mfm.procedural.sandbox._START", _start_with("lockdown._filter = lambda libc: False")
    )
    with Sandbox(QUICK) as sandbox:
        if sandbox.fault is not None:
            pytest.skip("this system gives an ordinary process no network of its own")
        assert sandbox.defences.missing == ("calls", "files", "processes")
        script = f"{OS}def reflex(given): return os['stat']('/proc/self/ns/net').st_ino"
        told = sandbox.ask({"mode": "reflex", "script": script, "name": "x.py", "given": None})
        assert told.value not in (None, Path("/proc/self/ns/net").stat().st_ino)


@pytest.mark.parametrize(("machine", "calls"), [("x86_64", 29), ("aarch64", 28)])
def test_the_filter_is_a_list_of_allowed_calls(machine: str, calls: int):
    program = call_filter(machine)
    lines = [program[start : start + 8] for start in range(0, len(program), 8)]
    assert len(lines) == calls + 6
    # The first comparison jumps over all others and the refusal; the last one over the refusal alone.
    assert [lines[4][2], lines[-3][2]] == [calls, 1]
    assert lines[-2] == bytes.fromhex("0600000001000500")
    assert lines[-1] == bytes.fromhex("060000000000ff7f")
