"""Jobs for the pool's tests: they write their name, or fail in one of the ways jobs do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(kw_only=True)
class Writer:
    """Writes its name; mutable and so not hashable, as jobs may be."""

    name: str
    folder: Path
    weight: float = 1.0
    seconds: float = 0.0

    @property
    def produces(self) -> tuple[Path, ...]:
        return (self.folder / "runs" / f"{self.name}.json",)

    def play(self, report: Callable[[int, int], None]) -> None:
        report(1, 2)
        self.leave("started", str(os.getpid()))
        time.sleep(self.seconds)
        self.work()
        report(2, 2)
        self.produces[-1].parent.mkdir(parents=True, exist_ok=True)
        self.produces[-1].write_text(self.name)

    def work(self) -> None:
        """Do nothing more."""

    def leave(self, folder: str, text: str) -> None:
        (self.folder / folder).mkdir(parents=True, exist_ok=True)
        with (self.folder / folder / self.name).open("a") as file:
            file.write(f"{text}\n")

    def starts(self) -> int:
        return len((self.folder / "started" / self.name).read_text().split())


@dataclass(kw_only=True)
class Raiser(Writer):
    def work(self) -> None:
        raise RuntimeError("no land\n  to stand on")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@dataclass(kw_only=True)
class Crier(Writer):
    """Raises what is hard to tell."""

    error: Callable[[], Exception] = Unspeakable

    def work(self) -> None:
        raise self.error()


def odd_words() -> Exception:
    return RuntimeError("red \x1b[31m, half \ud800")


def many_words() -> Exception:
    return RuntimeError("x" * 5_000)


@dataclass(kw_only=True)
class Printer(Writer):
    def work(self) -> None:
        print("a job prints", flush=True)
        os.write(1, b"and so does a library\n")


@dataclass(kw_only=True)
class Misreporter(Writer):
    def play(self, report: Callable[[Any, Any], None]) -> None:
        report("half", None)


@dataclass(kw_only=True)
class Leaver(Writer):
    def work(self) -> None:
        raise SystemExit(4)


@dataclass(kw_only=True)
class Dier(Writer):
    """Dies `lives` times, then writes."""

    lives: int = 99

    def work(self) -> None:
        if self.starts() <= self.lives:
            os.kill(os.getpid(), 9)


@dataclass(kw_only=True)
class Forgetter(Writer):
    """Ends well without a result."""

    def play(self, report: Callable[[int, int], None]) -> None:
        report(1, 1)


@dataclass(kw_only=True)
class Unsendable(Writer):
    held: Any = field(default_factory=lambda: lambda: None)


@dataclass(kw_only=True)
class Counter(Writer):
    """Notes how many of the jobs that lie in one folder run while it does."""

    def work(self) -> None:
        running = self.folder / "running"
        running.mkdir(exist_ok=True)
        (running / self.name).touch()
        time.sleep(0.2)
        self.leave("beside", str(len(list(running.iterdir()))))
        (running / self.name).unlink()


@dataclass(kw_only=True)
class ThreadTeller(Writer):
    """Notes on how many threads it would compute."""

    def work(self) -> None:
        self.leave("threads", f"{os.environ['OMP_NUM_THREADS']} {os.environ['MKL_NUM_THREADS']}")


@dataclass(kw_only=True)
class DierBesides(Dier):
    """Dies when it begins, and notes which jobs had a result each time."""

    def work(self) -> None:
        self.leave("there", ",".join(sorted(path.stem for path in (self.folder / "runs").glob("*.json"))))
        super().work()


@dataclass(kw_only=True)
class DiskWriter(Writer):
    """Leaves a folder and a file on the disk that this machine's environment names.

    It waits for another of its kind, so that on nodes with one processor each the two are on two nodes.
    """

    @property
    def produces(self) -> tuple[Path, ...]:
        disk = Path(os.environ["POOL_DISK"])
        return (disk / "memories" / self.name, disk / "runs" / f"{self.name}.json")

    def work(self) -> None:
        self.leave("writers", "began")
        deadline = time.monotonic() + 60
        while len(list((self.folder / "writers").iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        memory = self.produces[0] / "deep"
        memory.mkdir(parents=True)
        (memory / "frames.bin").write_bytes(bytes(range(256)))
        (self.produces[0] / "index.txt").write_text(self.name)


@dataclass(kw_only=True)
class Patient(Writer):
    """Goes on only when the listener in `folder` has heard of it, however slow the machine is."""

    def work(self) -> None:
        deadline = time.monotonic() + 120
        while not (self.folder / "heard" / self.name).exists():
            if time.monotonic() > deadline:
                raise TimeoutError("nobody has heard of it for two minutes")
            time.sleep(0.05)


class Ear:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def advanced(self, name: str, done: int, of: int) -> None:
        self.heard.append(f"{name} {done}/{of}")

    def finished(self, name: str) -> None:
        self.heard.append(f"{name} finished")

    def failed(self, name: str, reason: str) -> None:
        self.heard.append(f"{name} failed: {reason}")

    @property
    def ends(self) -> list[str]:
        return [line for line in self.heard if line.endswith(" finished") or " failed: " in line]


class LeavingEar(Ear):
    """Notes in a folder of which jobs it has heard progress."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder / "heard"
        self.folder.mkdir(parents=True)

    def advanced(self, name: str, done: int, of: int) -> None:
        super().advanced(name, done, of)
        (self.folder / name).touch()


def is_running(pid: int) -> bool:
    """Return whether a process still does something; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
