"""Runs of tiny models for tests of training."""

from __future__ import annotations

from pathlib import Path

from finetune.training.run import Origin, train
from finetune.training.settings import Adapter, Batches, Schedule, Settings

ORIGIN = Origin(commit="abc", versions={"echo-memory": "0"}, machine={"cores": 1})


def settings(base: Path, *, adapter=None, batches=None, **schedule) -> Settings:
    """Eight steps of four rows in float32 on the CPU, looked at and saved every four, unless told else."""
    told = {"steps": 8, "evaluate_every": 4, "save_every": 4, "learning_rate": 1e-2, **schedule}
    return Settings(
        base=str(base),
        device="cpu",
        number="float32",
        adapter=Adapter(**{"rank": 4, "alpha": 8, **(adapter or {})}),
        batches=Batches(**{"rows": 4, "most_tokens": 128, **(batches or {})}),
        schedule=Schedule(**told),
    )


def run(told: Settings, data: Path, out: Path, listener=None):
    return train(told, data, out, origin=ORIGIN, listener=listener)


def weights(folder: Path) -> dict:
    from safetensors.torch import load_file

    return load_file(folder / "adapter_model.safetensors")


class Heard:
    """Keeps what a run tells."""

    def __init__(self, after=None, do=None):
        self.steps, self.looks = [], []
        self._after, self._do = after, do

    def stepped(self, step, of, loss, seconds):
        self.steps.append((step, loss))
        if self._after == step:
            self._do()

    def looked(self, step, loss, best):
        self.looks.append((step, loss, best))
