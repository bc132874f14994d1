"""The program in which agent-written Python runs: a process of its own that has shut itself in.

Started by `echo.mfm.procedural.sandbox`. It first gives up what it could do harm with and says what of that
worked; only then is it sent the script. JSON lines go both ways:

```
<- {"limits": {..}, "imports": [..]}              -> {"defences": {..}}
<- {"script": "..", "name": "..", "mode": ..}     -> {"action": {..}} | {"value": ..} | {"error": ".."} | ..
<- {"came": {..}}                                 -> ..
```
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from echo.mfm.procedural.bounds import MOST_SAID
from echo.mfm.procedural.lockdown import shut_in
from echo.mfm.procedural.words import WORDS, Came, Seen

_HIDDEN = frozenset(
    {
        *("__loader__", "__spec__", "breakpoint", "compile", "copyright", "credits", "eval", "exec"),
        *("exit", "help", "input", "license", "open", "quit"),
    }
)
"""Builtins that a script does not get."""

_UNSAFE = ("_ctypes", "_posixsubprocess", "_socket", "ctypes", "importlib", "resource", "struct")
"""Modules the lockdown used; a script does not get them from `sys.modules`."""

_MOST_BITS = 3_300
_DEEPEST = 32
OUT_OF_MEMORY = 77
"""Exit code where there was no memory left even to say so."""


class _Ended(Exception):
    """The parent has closed the line."""


class _Wrong(Exception):
    """The script gave what is no JSON value."""


class _Wire:
    """JSON lines to and from the parent, over the descriptors that only this program knows."""

    def __init__(self) -> None:
        """Move standard input and output elsewhere and put nothing in their place."""
        self.reading, self.writing, self._held = os.dup(0), os.dup(1), b""
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.close(null)
        # A script that gets at these modules and changes them changes nothing here.
        self._read, self._write, self._loads = os.read, os.write, json.loads
        self._encode = json.JSONEncoder(allow_nan=False).encode

    def take(self) -> Any:
        """Return the next line from the parent."""
        while b"\n" not in self._held:
            more = self._read(self.reading, 65_536)
            if not more:
                raise _Ended
            self._held += more
        line, self._held = self._held.split(b"\n", 1)
        return self._loads(line)

    def give(self, value: Any) -> None:
        """Send one line."""
        data = memoryview(self._encode(value).encode("ascii") + b"\n")
        while data:
            data = data[self._write(self.writing, data) :]


def main() -> None:
    """Shut in, then run what is sent. Never returns."""
    wire = _Wire()
    try:
        begin = wire.take()
        kept = (wire.reading, wire.writing)
        wire.give({"defences": shut_in(begin["limits"], begin["imports"], kept)})
        for module in _UNSAFE:
            sys.modules.pop(module, None)
        _Script(wire, wire.take(), begin["imports"]).serve()
    except _Ended:
        pass
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        os._exit(0)


class _Script:
    """One script while it runs."""

    def __init__(self, wire: _Wire, sent: dict[str, Any], imports: Sequence[str]) -> None:
        self._wire, self._sent, self._imports = wire, sent, imports
        self._said: list[str] = []
        self._line: int | None = None

    def serve(self) -> None:
        """Run it and tell whatever comes of it."""
        sent, name = self._sent, self._sent["name"]
        try:
            space = self._namespace()
            exec(compile(sent["script"], name, "exec", dont_inherit=True), space)
            if sent["mode"] == "reflex":
                self._give({"value": _plain(space["reflex"](sent["given"]))})
            else:
                self._drive(space["run"])
                self._give({"value": None})
        except _Ended:
            raise
        except MemoryError:
            self._wire.give({"memory": True})
        except _Wrong as error:
            self._give({"wrong": str(error), "line": self._line})
        except BaseException as error:  # A script may raise anything, and all of it is an answer.
            self._give({"error": _shown(error), "line": _line_of(error, name)})

    def _drive(self, run: Callable[..., Any]) -> None:
        """Give each action of the generator, take what came of it, send that on."""
        going = run(Seen(self._sent["seen"]), **self._sent["arguments"])
        came = None
        while True:
            try:
                yielded = going.send(came)
            except StopIteration:
                return
            frame = getattr(going, "gi_frame", None)
            self._line = None if frame is None else frame.f_lineno
            pair = yielded if type(yielded) is tuple and len(yielded) == 2 else (yielded, None)
            self._give({"action": {"do": _plain(pair[0]), "expect": _plain(pair[1])}, "line": self._line})
            came = Came(self._wire.take()["came"])

    def _give(self, answer: dict[str, Any]) -> None:
        said = "".join(self._said)
        self._said.clear()
        self._wire.give({**answer, "said": said})

    def _namespace(self) -> dict[str, Any]:
        """Return the globals: builtins without those that reach out, and a `print` that is kept."""
        kept = {name: value for name, value in vars(builtins).items() if name not in _HIDDEN}
        kept.update({"__import__": self._importer(), "print": self._print})
        words = WORDS if self._sent["mode"] == "procedure" else {}
        return {"__builtins__": kept, "__name__": self._sent["name"], **words}

    def _importer(self) -> Callable[..., Any]:
        allowed = frozenset(
            (*self._imports, *(name.partition(".")[0] for name in self._imports), "__future__")
        )
        modules = {name: importlib.import_module(name) for name in sorted(allowed)}

        def bring(
            name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] = (), level: int = 0
        ) -> Any:
            if level or name not in modules:
                raise ImportError(f"a script may not import {name!r} here")
            return modules[name if fromlist else name.partition(".")[0]]

        return bring

    def _print(self, *values: Any, sep: str = " ", end: str = "\n", **_: Any) -> None:
        # One more than is kept, so that the other side sees that there was more.
        room = MOST_SAID + 1 - sum(map(len, self._said))
        if room > 0:
            self._said.append((sep.join(map(str, values)) + end)[:room])


def _shown(error: BaseException) -> str:
    try:
        text = f"{type(error).__name__}: {error}"
    except BaseException:  # An exception of the script's own may fail to say what it is.
        text = "an exception that cannot be shown"
    return text[:500]


def _line_of(error: BaseException, name: str) -> int | None:
    """Return the line of the script at which `error` arose, None where it arose elsewhere."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            found = trace.tb_lineno
        trace = trace.tb_next
    return error.lineno if found is None and isinstance(error, SyntaxError) else found


def _plain(value: Any, deep: int = 0) -> Any:
    """Return `value` as JSON would give it back; anything else is wrong."""
    if deep > _DEEPEST:
        raise _Wrong(f"a value nested more than {_DEEPEST} deep")
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        if value.bit_length() > _MOST_BITS:
            raise _Wrong("a whole number of about 1,000 digits or more")
        return value
    if type(value) is float:
        if value - value != 0:
            raise _Wrong(f"{value!r}, which is no finite number")
        return value
    if isinstance(value, list | tuple):
        return [_plain(each, deep + 1) for each in value]
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str:
                raise _Wrong(f"a mapping with a key of type {type(key).__name__}")
        return {key: _plain(each, deep + 1) for key, each in value.items()}
    raise _Wrong(f"a value of type {type(value).__name__}")
