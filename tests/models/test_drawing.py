"""Drawing tokens."""

from __future__ import annotations

import numpy as np
import pytest

from echo.models.chances import DrawTokens

torch = pytest.importorskip("torch", reason="the finetune extra is not installed")
pytestmark = pytest.mark.finetune


def drawn(temperature: float, *, times: int = 4000) -> list[int]:
    chances = torch.tensor([[0.5, 0.3, 0.2, 0.0]]).log()
    draw = DrawTokens(temperature, [np.random.default_rng(7)])
    picks = [int(draw(torch.zeros(1, 1), chances).argmax()) for _ in range(times)]
    return [picks.count(token) for token in range(4)]


def test_tokens_are_drawn_as_often_as_their_chances():
    counts = drawn(1.0)
    # Four standard deviations of a share of a half in 4,000 draws are 0.032.
    assert np.allclose(np.array(counts) / 4000, [0.5, 0.3, 0.2, 0.0], atol=0.032)
    assert counts[3] == 0


def test_a_low_temperature_takes_the_likeliest_mostly():
    # (0.3 / 0.5) ** 10 is 0.006 of the likeliest one's chance.
    assert drawn(0.1, times=500)[0] > 480


def test_each_row_has_its_own_draws():
    scores = torch.zeros(2, 1000)
    together = DrawTokens(1.0, [np.random.default_rng(1), np.random.default_rng(2)])(
        torch.zeros(2, 1), scores
    )
    alone = DrawTokens(1.0, [np.random.default_rng(2)])(torch.zeros(1, 1), scores[:1])
    assert torch.equal(together[1], alone[0])
    assert not torch.equal(together[0], together[1])
