"""Work done in a process of its own, so that nothing of it stays in this one.

Forked rather than started: a new interpreter would take longer to import than most banks to recover.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Generic, TypeVar

_Result = TypeVar("_Result")


class Stuck(Exception):
    """A process that did not come to an end in time."""


class Failed(Exception):
    """A process that ended with an exception; says which."""


@dataclass(frozen=True, kw_only=True)
class Process(Generic[_Result]):
    """A process under way; `result` waits for it."""

    pid: int
    answer: Connection

    def result(self, deadline: float) -> _Result:
        """Return what its function returned.

        Args:
            deadline: on `time.monotonic`; it is killed then.

        Raises:
            Stuck: if it has not answered by then.
            Failed: if its function raised, or it died.
        """
        try:
            if not self.answer.poll(max(0.0, deadline - time.monotonic())):
                os.kill(self.pid, signal.SIGKILL)
                raise Stuck("a process did not come to an end in time")
            try:
                good, value = pickle.loads(self.answer.recv_bytes())
            except EOFError as error:
                raise Failed("a process died without an answer") from error
        finally:
            os.waitpid(self.pid, 0)
            self.answer.close()
        if not good:
            raise Failed(value)
        result: _Result = value
        return result


def start(function: Callable[[], _Result]) -> Process[_Result]:
    """Run `function` in a new process that is a copy of this one."""
    here, there = Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        here.close()
        answer: tuple[bool, object]
        try:
            answer = (True, function())
        except BaseException:
            answer = (False, traceback.format_exc()[-4000:])
        there.send_bytes(pickle.dumps(answer))
        os._exit(0)
    there.close()
    return Process(pid=pid, answer=here)


def apart(function: Callable[[], _Result], seconds: float) -> _Result:
    """Run `function` in a new process and return its result; see `Process.result`."""
    return start(function).result(time.monotonic() + seconds)
