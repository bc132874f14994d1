from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from csd.words.words import Words
from tests.csd.descriptors import digging, playing, wooden_pickaxe
from tests.csd.words_feed import FakeBank

ROOT = Path(__file__).parents[2]


def digest(bank: FakeBank, path: Path | None) -> str:
    with Words(path) as words:
        words.refresh(bank)
        return words.digest()


@pytest.mark.parametrize("moment", ["filling", "before the file is put there", "catching up", "committing"])
def test_a_kill_leaves_words_that_are_whole_or_made_again(tmp_path: Path, moment: str) -> None:
    path, bank = tmp_path / "bank.sqlite.cache" / "words.db", FakeBank()
    for csd in (digging("sand"), playing("coal", "fuel"), wooden_pickaxe()):
        bank.add(csd)
    script = f"""
import os, signal, sys
from pathlib import Path
from csd.words import follow
from csd.words.words import Words
from tests.csd.descriptors import digging, playing, wooden_pickaxe
from tests.csd.words_feed import FakeBank

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

class Dying(FakeBank):
    def texts(self, after_row=0):
        yield from super().texts(after_row)
        if moment in ("filling", "catching up") and len(self.records) > 4:
            die()

moment, bank = {moment!r}, Dying()
for csd in (digging("sand"), playing("coal", "fuel"), wooden_pickaxe()):
    bank.add(csd)
words = Words(Path({str(path)!r}))
if moment in ("catching up", "committing"):
    words.refresh(bank)
elif moment == "before the file is put there":
    Path.replace = die
bank.remove(1)
for number in range(1500):
    bank.add(digging(f"clay{{number}}"))
if moment == "committing":
    follow._set_mark = die
words.refresh(bank)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    bank.retire(2)
    assert digest(bank, path) == digest(bank.copy(), None)
    with Words(path) as words:
        assert words.check(bank) == []
