"""Run agent-written Python in a process of its own that can compute and nothing else.

The process gets no environment, an empty folder to be in, limits on processor time, memory, files and
processes, a kernel filter that refuses every call but those of plain computing (no socket, no file, no new
process, no signal to another), and an audit hook besides. It is killed when an answer takes too long.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from echo.mfm.layout import to_line
from echo.mfm.procedural.bounds import MOST_LINE, MOST_REASON, MOST_SAID, cut
from echo.mfm.procedural.child import OUT_OF_MEMORY
from echo.mfm.procedural.wire import Closed, Late, TooLong, exchange, read_line

Fault = Literal["error", "value", "time", "memory", "output", "junk", "crash", "unsafe", "missing", "flawed"]
"""Why a script failed. 'error': it raised. 'value': what it gave is no JSON value. 'time', 'memory' and
'output': over a limit. 'junk': its process sent what is no answer. 'crash': its process died, or did not
start. 'unsafe': nothing keeps it from the network. 'missing': there is no such script. 'flawed': its file is
wrong."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a script may use."""

    cpu_seconds: int = 10
    """Processor time of a whole run."""
    answer_seconds: float = 10.0
    """Time by the clock from one message to its answer."""
    memory_bytes: int = 256 * 2**20
    """Address space of its process; Python alone takes some 40 MB."""
    answer_bytes: int = 2**20
    """Longest answer."""


@dataclass(frozen=True, kw_only=True)
class Defences:
    """What holds in the process of a script; measured there, not assumed."""

    limits: bool = False
    """Processor time, memory, written files, processes and descriptors are limited by the system."""
    calls: bool = False
    """The kernel refuses every call but those of plain computing."""
    network: bool = False
    """No socket can be made, or it is in a network of its own with nothing in it."""
    files: bool = False
    """No file can be opened."""
    processes: bool = False
    """No process can be made, replaced or signalled."""
    audit: bool = False
    """The interpreter refuses everything but plain computing."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of those that do not hold, in order of declaration."""
        return tuple(each.name for each in fields(self) if not getattr(self, each.name))


@dataclass(frozen=True, kw_only=True)
class Failed:
    """A script did not come to its end."""

    fault: Fault
    text: str
    """Expected, got, where, what to do."""
    line: int | None = None
    """Line of the script, where it is known."""
    said: str = ""
    """What it printed since its last answer, cut at 4,000 characters."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a script gave."""

    value: Any = None
    """The result of a reflex; None of a procedure."""
    action: dict[str, Any] | None = None
    """What a procedure wants done: 'do' and 'expect'. None where it came to its end."""
    line: int | None = None
    """Line of the script that wants it."""
    said: str = ""
    """What it printed since its last answer, cut at 4,000 characters."""


_HOME = Path(__file__).resolve().parents[3]
_START = "import sys; sys.path.insert(0, sys.argv[1]); from echo.mfm.procedural.child import main; main()"
_DISMISS_SECONDS = 5.0
_START_SECONDS = 20.0
"""How long a busy system may take to start a process; the time of its script is counted from then on."""


class Sandbox:
    """One process for one script. A context manager; leaving it kills the process."""

    def __init__(
        self, limits: Limits | None = None, *, imports: tuple[str, ...] = (), unsafe: bool = False
    ) -> None:
        """Prepare; nothing is started before `__enter__`.

        Args:
            limits: What the script may use.
            imports: Modules that it may import, out of `echo.mfm.procedural.source.IMPORTS`.
            unsafe: Whether to run it even where nothing holds it back from the network.
        """
        self.limits = limits or Limits()
        self.defences = Defences()
        """What holds; measured on entry."""
        self.fault: Failed | None = None
        """Why the process cannot be used (any more)."""
        self._imports, self._unsafe = imports, unsafe
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._begun = False

    def __enter__(self) -> Self:
        """Start the process and let it shut itself in; see `fault` for whether that worked."""
        options = ("-s", "-P", "-S", "-B", "-X", "utf8")
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="echo-script-")
            self._process = subprocess.Popen(
                [sys.executable, *options, "-c", _START, str(_HOME)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder.name,
                # A fixed seed, so that a script which walks over a set does the same twice.
                env={"PYTHONHASHSEED": "0"},
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            self.fault = Failed(fault="crash", text=f"expected to start {sys.executable!r}, got: {error}.")
            return self
        self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill the process, if it is still there, and all it may have started."""
        process = self._process
        if process is not None:
            self._kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._folder is not None:
            with suppress(OSError):
                self._folder.cleanup()

    def ask(self, message: dict[str, Any], *, within: float | None = None) -> Answer | Failed:
        """Send one message and return the answer; after a failure every further one fails alike.

        Args:
            message: What is sent.
            within: Seconds to wait where they are fewer than the limit; None for the limit.
        """
        held = self._ask(message, within)
        if isinstance(held, Failed):
            return held
        told = held.get("said", "")
        said = cut(told, MOST_SAID) if isinstance(told, str) else ""
        number = held.get("line")
        line = number if type(number) is int and 0 < number <= MOST_LINE else None
        if "action" in held and isinstance(held["action"], dict):
            return Answer(action=held["action"], line=line, said=said)
        if "value" in held:
            return Answer(value=held["value"], said=said)
        if "error" in held:
            where = f" in line {line}" if line else ""
            return Failed(
                fault="error",
                text=f"expected no exception, got {_shown(held['error'])}{where}.",
                line=line,
                said=said,
            )
        if "wrong" in held:
            return Failed(
                fault="value",
                text=f"expected a JSON value, got {_shown(held['wrong'])}.",
                line=line,
                said=said,
            )
        if "memory" in held:
            return self._out_of_memory()
        keys = _shown(", ".join(map(repr, held)))
        return self._stop("junk", f"expected an answer, got an object with {keys}.")

    def _begin(self) -> None:
        limits = {"cpu_seconds": self.limits.cpu_seconds, "memory_bytes": self.limits.memory_bytes}
        held = self._ask({"limits": limits, "imports": list(self._imports)})
        if isinstance(held, Failed):
            return
        told = held.get("defences")
        names = [each.name for each in fields(Defences)]
        if not isinstance(told, dict):
            self._stop("junk", "expected the process of a script to say what holds in it, it did not.")
            return
        self.defences = Defences(**{name: told.get(name) is True for name in names})
        if not self.defences.network and not self._unsafe:
            self._stop(
                "unsafe",
                f"expected a system that can keep a script from the network, got {sys.platform}, where that "
                f"did not work. Allow it explicitly, or run on Linux (x86_64 or aarch64).",
            )

    def _ask(self, message: dict[str, Any], within: float | None = None) -> dict[str, Any] | Failed:
        if self.fault is not None:
            return self.fault
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError("expected a sandbox that was entered. Use it in a with statement.")
        seconds, most = self.limits.answer_seconds, self.limits.answer_bytes
        if not self._begun:
            seconds = max(seconds, _START_SECONDS)
        if within is not None:
            seconds = max(0.0, min(seconds, within))
        reading, writing = process.stdout.fileno(), process.stdin.fileno()
        try:
            data = exchange(writing, reading, to_line(message), seconds=seconds, most=most)
        except Late:
            return self._stop("time", f"expected an answer within {seconds:g} s, got none.")
        except TooLong:
            return self._stop("output", f"expected an answer of at most {most:,} bytes, got more.")
        except Closed:
            return self._died()
        self._begun = True
        return self._read(data)

    def _read(self, data: bytes) -> dict[str, Any] | Failed:
        """Return what an answer holds; more than one line is junk."""
        held = read_line(data)
        if held is None:
            return self._stop("junk", f"expected one line of JSON, got {data[:80]!r}.")
        return held

    def _died(self) -> Failed:
        """Say how the process ended by itself."""
        process = self._process
        code = None
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                # It may have closed its pipe and live on.
                code = process.wait(timeout=0.5)
        if code == OUT_OF_MEMORY:
            return self._out_of_memory()
        if code == -signal.SIGXCPU:
            seconds = self.limits.cpu_seconds
            return self._stop("time", f"expected at most {seconds} s of processor time, got more.")
        if code is None:
            return self._stop("junk", "expected an answer, got a closed line from a process that goes on.")
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return self._stop("crash", f"expected an answer, got the end of the process by {name}.")
        return self._stop("crash", f"expected an answer, got the end of the process with code {code}.")

    def _out_of_memory(self) -> Failed:
        most = self.limits.memory_bytes // 2**20
        return self._stop(
            "memory", f"expected a script that needs at most {most} MiB, got one that needs more."
        )

    def _stop(self, fault: Fault, text: str) -> Failed:
        self._kill()
        self.fault = Failed(fault=fault, text=text)
        return self.fault

    def _kill(self) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_DISMISS_SECONDS)


def probe() -> Defences | Failed:
    """Return what would hold in the process of a script on this system."""
    with Sandbox(unsafe=True) as sandbox:
        return sandbox.fault or sandbox.defences


def _shown(value: Any) -> str:
    return cut(str(value), MOST_REASON // 2)
