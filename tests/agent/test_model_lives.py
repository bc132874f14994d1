"""A whole short unlocking life led by the small packaged model, held to the schema; nothing is faked."""

from __future__ import annotations

import pytest

from csd.axes import AXES
from csd.encode import HashingEncoder
from echo.agent.model_experiences import AlongAxes
from echo.agent.model_policy import ModelOptions, ModelPolicy
from echo.agent.unlock import play
from echo.experiments.demonstrate import record_demonstrations
from echo.models.named import ModelSettings, model_named
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld
from ical.asking.drafts import read_tasks
from ical.asking.round import Bounds

pytest.importorskip("llguidance", reason="the finetune extra is not installed")

STEPS = 45
"""Counted actions; the first decision comes after some 35."""

FEW = ModelOptions(
    bounds=Bounds(tasks=1, repairs=1, verifies=False, lays=True),
    budget_tokens=250,
    questions=2,
    recovers=False,
)
"""At most four answers, which take some ten seconds each on two cores."""


@pytest.mark.finetune
@pytest.mark.slow
def test_a_small_model_leads_a_life_from_start_to_end():
    model = model_named("hf:smollm2", settings=ModelSettings(most_tokens=160))
    report = play(
        world=MinecraftWorld(WorldOptions(seed=0, max_steps=STEPS)),
        agent="echo",
        axes=AXES,
        steps=STEPS,
        seed=0,
        demonstrations=record_demonstrations(2, 0, None),
        memory=None,
        encoder="hashing-256",
        progress=None,
        reasons=lambda own: ModelPolicy(own, model, AlongAxes(HashingEncoder()), options=FEW),
    )
    use = report.use
    assert report.actions == STEPS
    assert len(report.unlocks) >= 5
    assert use.decisions == use.ideas + use.fallbacks + use.resting + use.spent > 0
    assert 1 <= use.rounds <= 2
    assert use.rounds <= len(use.calls) <= 4
    for call in use.calls:
        assert call.reply.held_to_schema
        assert call.reply.prompt_tokens > 100
        # Held to the schema, what was not cut can be read; whether it will do is another matter.
        assert call.reply.cut or read_tasks(call.reply.text, 1).drafts
        assert call.usable or call.findings
