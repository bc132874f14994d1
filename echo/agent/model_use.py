"""How much a model decided in one life or episode, and what it was asked: nothing is counted silently."""

from __future__ import annotations

from dataclasses import dataclass, field

from ical.asking.calls import Call


@dataclass(slots=True)
class ModelUse:
    """Counts of decisions, and all answers."""

    decisions: int = 0
    """Times at which something was to be chosen; the sum of the next four."""
    ideas: int = 0
    """Of these, with an idea of the model at hand."""
    fallbacks: int = 0
    """With none, because the model's latest answer was of no use after all repairs: the explorer chose."""
    resting: int = 0
    """With none, because all that it proposed was tried and nothing new to ask about: the explorer chose."""
    spent: int = 0
    """With none, because no question was left: the explorer chose."""
    tried: int = 0
    """Ideas carried out."""
    worked: int = 0
    """Of these, that made something."""
    new: int = 0
    """Of these, that brought something never held before."""
    calls: list[Call] = field(default_factory=list)
    """All questions with their answers, in order."""
    rounds: int = 0
    """Questions for tasks, recoveries among them; repairs and verifications belong to their question."""
    unusable: int = 0
    """Of these, without a usable task after all repairs."""

    @property
    def tokens(self) -> int:
        """Of all prompts and answers; those of which the model told no count are left out."""
        counted = ((one.reply.prompt_tokens or 0) + (one.reply.completion_tokens or 0) for one in self.calls)
        return sum(counted)
