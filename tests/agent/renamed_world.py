"""A world under other names: each is replaced by one that says nothing but sorts alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from csd.episode import Action, Craft, Episode, Frame, Observation, Outcome, Station, Step
from echo.agent.body import World

Told = TypeVar("Told")


class Names:
    """Replaces names, keeping their alphabetical order."""

    def __init__(self, real: list[str]) -> None:
        self._shown = {name: f"n{place:04d}" for place, name in enumerate(sorted(dict.fromkeys(real)))}
        self._real = {shown: name for name, shown in self._shown.items()}

    def shown(self, name: str) -> str:
        return self._shown[name]

    def real(self, name: str) -> str:
        return self._real[name]

    def action(self, action: Action) -> Action:
        """Return an action of the agent's in real names."""
        return self._action(action, self._real)

    def episode(self, episode: Episode) -> Episode:
        """Return an episode under the new names."""
        steps = tuple(
            Step(
                before=self.observation(step.before),
                action=self._action(step.action, self._shown),
                outcome=self.outcome(step.outcome),
            )
            for step in episode.steps
        )
        return replace(episode, steps=steps, after=self.observation(episode.after))

    def observation(self, seen: Observation) -> Observation:
        return replace(
            seen,
            inventory=self._keys(seen.inventory),
            mainhand=None if seen.mainhand is None else self._shown[seen.mainhand],
            blocks=self._keys(seen.blocks),
            mobs=self._keys(seen.mobs),
            stations=tuple(
                Station(block=self._shown[one.block], position=one.position, offers=one.offers)
                for one in seen.stations
            ),
        )

    def outcome(self, outcome: Outcome) -> Outcome:
        return replace(
            outcome,
            message="",
            inventory_delta=self._keys(outcome.inventory_delta),
            block=None if outcome.block is None else self._shown[outcome.block],
            events=tuple(
                ":".join(self._shown.get(word, word) for word in one.split(":")) for one in outcome.events
            ),
        )

    def _keys(self, told: Mapping[str, Told]) -> dict[str, Told]:
        return {self._shown[name]: value for name, value in told.items()}

    def _action(self, action: Action, names: Mapping[str, str]) -> Action:
        changed: dict[str, Any] = {}
        if isinstance(action, Craft):
            changed["grid"] = tuple(
                tuple(None if item is None else names[item] for item in row) for row in action.grid
            )
        for field in ("block", "item", "input", "fuel", "mob"):
            name = getattr(action, field, None)
            if name is not None:
                changed[field] = names[name]
        return replace(action, **changed)


class RenamedWorld:
    """Another world, with `Names` between it and the agent."""

    def __init__(self, world: World, names: Names) -> None:
        self._world, self._names = world, names

    @property
    def source(self) -> str:
        return self._world.source

    def act(self, action: Action) -> Outcome:
        return self._names.outcome(self._world.act(self._names.action(action)))

    def observe(self, frame: bool = False) -> Observation:
        return self._names.observation(self._world.observe(frame))

    def render(self) -> Frame:
        return self._world.render()
