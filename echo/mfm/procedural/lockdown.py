"""How the process of a script shuts itself in: limits of the system, a list of allowed calls, an audit hook.

Runs inside that process, before the script is there; it loads nothing but the standard library. What worked
is measured where it can be: a socket and a file are asked for, and must be refused.
"""

from __future__ import annotations

import importlib
import os
import resource
import struct
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

# What a Python program that only computes asks of Linux; everything else is refused, whatever it is.
# Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of the kernel.
_CALLS: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "read": 0,
            "write": 1,
            "close": 3,
            "fstat": 5,
            "lseek": 8,
            "mmap": 9,
            "mprotect": 10,
            "munmap": 11,
            "brk": 12,
            "rt_sigprocmask": 14,
            "rt_sigreturn": 15,
            "sched_yield": 24,
            "mremap": 25,
            "madvise": 28,
            "nanosleep": 35,
            "getpid": 39,
            "exit": 60,
            "gettimeofday": 96,
            "getrusage": 98,
            "sigaltstack": 131,
            "gettid": 186,
            "time": 201,
            "futex": 202,
            "restart_syscall": 219,
            "clock_gettime": 228,
            "clock_getres": 229,
            "clock_nanosleep": 230,
            "exit_group": 231,
            "getrandom": 318,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "close": 57,
            "lseek": 62,
            "read": 63,
            "write": 64,
            "fstat": 80,
            "exit": 93,
            "exit_group": 94,
            "futex": 98,
            "nanosleep": 101,
            "clock_gettime": 113,
            "clock_getres": 114,
            "clock_nanosleep": 115,
            "sched_yield": 124,
            "restart_syscall": 128,
            "sigaltstack": 132,
            "rt_sigprocmask": 135,
            "rt_sigreturn": 139,
            "getrusage": 165,
            "gettimeofday": 169,
            "getpid": 172,
            "gettid": 178,
            "brk": 214,
            "munmap": 215,
            "mremap": 216,
            "mmap": 222,
            "mprotect": 226,
            "madvise": 233,
            "getrandom": 278,
        },
    ),
}
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_SET_DEATH_SIGNAL, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES = 1, 22, 38
_FILTER_MODE = 2
_NEW_USERS, _NEW_NETWORK = 0x10000000, 0x40000000

_EVENTS = frozenset(
    {
        *("builtins.id", "compile", "exec", "import", "sys._getframe", "sys._getframemodulename"),
        *("object.__delattr__", "object.__getattr__", "object.__setattr__"),
    }
)
"""Audit events of harmless work; any other is refused."""

_MOST_DESCRIPTORS = 16


def shut_in(limits: Mapping[str, int], imports: Sequence[str], kept: Sequence[int]) -> dict[str, bool]:
    """Load what the script may import, give up all else, and return which defences hold.

    Args:
        limits: 'cpu_seconds' and 'memory_bytes'.
        imports: Modules to load before nothing can be loaded any more.
        kept: Descriptors to stay open.
    """
    for name in imports:
        importlib.import_module(name)
    if "random" in imports:
        sys.modules["random"].__dict__["seed"](0)  # The same script does the same twice.
    held = {"limits": _limit(limits), **_lock(kept)}
    _audit()
    return {**held, "audit": True}


def _limit(limits: Mapping[str, int]) -> bool:
    """Set the limits of the system; return whether all were taken."""
    wanted = (
        (resource.RLIMIT_CPU, limits["cpu_seconds"]),
        (resource.RLIMIT_AS, limits["memory_bytes"]),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, _MOST_DESCRIPTORS),
    )
    taken = True
    for which, most in wanted:
        try:
            # A little room above, so that the signal which says why comes before the one that only kills.
            resource.setrlimit(which, (most, most + 1 if which == resource.RLIMIT_CPU else most))
        except (ValueError, OSError):
            taken = False
    return taken


def _lock(kept: Sequence[int]) -> dict[str, bool]:
    """Have the kernel refuse all but computing, then try what must fail; return what holds."""
    import ctypes

    held = {"calls": False, "network": False, "files": False, "processes": False}
    for descriptor in range(3, _MOST_DESCRIPTORS):
        if descriptor not in kept:
            with suppress(OSError):
                os.close(descriptor)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_SET_DEATH_SIGNAL, 9, 0, 0, 0)
        held["calls"] = _filter(libc)
        # Where calls cannot be filtered, a network of its own has nothing in it.
        alone = not held["calls"] and libc.unshare(_NEW_USERS | _NEW_NETWORK) == 0
        held["network"] = alone or libc.socket(2, 1, 0) < 0
        held["files"] = libc.open(b"/dev/null", 0) < 0
        held["processes"] = held["calls"] and libc.getppid() < 0
    except (AttributeError, OSError):
        pass  # No Linux: what was not measured does not hold.
    return held


def _filter(libc: Any) -> bool:
    """Install the list of allowed calls; return whether the kernel took it."""
    import ctypes

    machine = os.uname().machine
    if not sys.platform.startswith("linux") or machine not in _CALLS or sys.maxsize < 2**32:
        return False
    code = ctypes.create_string_buffer(call_filter(machine))
    head = ctypes.create_string_buffer(struct.pack("HP", len(code.raw) // 8, ctypes.addressof(code)))
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    pointer = ctypes.c_void_p(ctypes.addressof(head))
    return bool(libc.prctl(_SET_SECCOMP, _FILTER_MODE, pointer, 0, 0) == 0)


def call_filter(machine: str) -> bytes:
    """Return the program, 8 bytes an instruction, by which the kernel decides on each call.

    A call of another architecture kills the process; one that is not on the list fails with EPERM.

    Args:
        machine: 'x86_64' or 'aarch64'.
    """
    architecture, calls = _CALLS[machine]
    program = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        *((_EQUAL, len(calls) - place, 0, number) for place, number in enumerate(calls.values())),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *line) for line in program)


def _audit() -> None:
    """Have the interpreter refuse whatever is no plain computing; a hook cannot be taken out again."""
    loaded = frozenset(sys.modules)

    def hook(event: str, details: tuple[Any, ...]) -> None:
        # The code of a function put in place of another's need not be what a compiler would make.
        if (
            event not in _EVENTS
            or (event == "import" and details[0] not in loaded)
            or (event == "object.__setattr__" and details[1] == "__code__")
        ):
            raise PermissionError(f"a script may not do this here: {event}")

    sys.addaudithook(hook)
