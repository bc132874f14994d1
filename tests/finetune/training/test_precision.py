import pytest

pytest.importorskip("peft", reason="the finetune extra is not installed")

import torch

from finetune.training import precision
from finetune.training.errors import TrainingError
from finetune.training.precision import TRIES, choose, probe

pytestmark = pytest.mark.finetune


class Machine:
    """Takes two seconds a step in float32 and one in bfloat16, longer while it is busy."""

    def __init__(self, monkeypatch, busy=lambda step: 1.0):
        self.now, self.steps, self.numbers, self._busy = 0.0, 0, [], busy
        monkeypatch.setattr(precision.time, "perf_counter", lambda: self.now)

    def loss_of(self, model):
        number = model.weight.dtype
        self.now += (2.0 if number == torch.float32 else 1.0) * self._busy(self.steps)
        self.steps += 1
        self.numbers.append((number, model.bias.dtype))
        return (model.bias.float() * 2).sum()


def model():
    told = torch.nn.Linear(2, 2, dtype=torch.bfloat16)
    told.weight.requires_grad = False
    told.bias.data = told.bias.data.float()
    return told


@pytest.mark.parametrize("busy_after", range(2 * (1 + TRIES)))
def test_work_beside_it_does_not_change_what_is_chosen(monkeypatch, busy_after):
    machine = Machine(monkeypatch, lambda step: 4.0 if step >= busy_after else 1.0)
    assert probe(model(), machine.loss_of).chosen == "bfloat16"
    machine = Machine(monkeypatch, lambda step: 4.0 if step < busy_after else 1.0)
    assert probe(model(), machine.loss_of).chosen == "bfloat16"


def test_number_types_are_tried_by_turns_and_the_first_turn_does_not_count(monkeypatch):
    machine = Machine(monkeypatch, lambda step: 0.1 if step < 2 else 1.0)
    assert probe(model(), machine.loss_of).seconds == {"float32": 2.0, "bfloat16": 1.0}
    assert [base for base, _ in machine.numbers] == [torch.float32, torch.bfloat16] * (1 + TRIES)
    assert {adapter for _, adapter in machine.numbers} == {torch.float32}


def test_an_adapter_in_the_number_type_of_the_base_is_tried_so(monkeypatch):
    machine = Machine(monkeypatch)
    probe(model(), machine.loss_of, whole=True)
    assert all(base == adapter for base, adapter in machine.numbers)


def test_a_number_type_without_a_finite_loss_is_not_chosen(monkeypatch):
    machine = Machine(monkeypatch)

    def loss_of(told):
        loss = machine.loss_of(told)
        return loss * float("nan") if told.weight.dtype == torch.bfloat16 else loss

    found = probe(model(), loss_of)
    assert (found.chosen, found.seconds) == ("float32", {"float32": 2.0, "bfloat16": None})
    with pytest.raises(TrainingError, match="finite loss of the untrained model"):
        probe(model(), lambda told: machine.loss_of(told) * float("inf"))


def test_bfloat16_must_be_clearly_faster():
    assert choose({"float32": 1.0, "bfloat16": 0.95}).chosen == "float32"
    assert choose({"float32": 1.0, "bfloat16": 0.85}).chosen == "bfloat16"
