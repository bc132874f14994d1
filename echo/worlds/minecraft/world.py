"""The Minecraft world: rules and terrain of 1.17.1 behind typed actions and observations.

Our agents use `MinecraftWorld.act` and `MinecraftWorld.observe`; the gymnasium side (`reset`, `step`,
`render`) is the same world behind spaces. What the agent gets never holds a recipe, a tool requirement, a
true chance or a list of what could be made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, SupportsFloat

import gymnasium

from csd.episode import COUNTED_KINDS, Action, Cell, Frame, Observation, Outcome
from echo.worlds.minecraft import gathering, living, making, placing
from echo.worlds.minecraft.checking import ActionCheck
from echo.worlds.minecraft.creatures import Rgb, name_colour
from echo.worlds.minecraft.facts import Facts, ItemFact, load_facts
from echo.worlds.minecraft.names import NameBook
from echo.worlds.minecraft.options import OptionsError, WorldOptions, changed_options
from echo.worlds.minecraft.render import draw
from echo.worlds.minecraft.scene import Scene
from echo.worlds.minecraft.spaces import ActionCoder, observation_space, observation_text

_HANDLERS: dict[str, Callable[[Scene, Any], Outcome]] = {
    "collect": gathering.collect,
    "mine": gathering.mine,
    "craft": making.craft,
    "smelt": making.smelt,
    "place": placing.place,
    "go_to": living.go_to,
    "look_at": living.look_at,
    "equip": living.equip,
    "eat": living.eat,
    "attack": living.attack,
    "drop": living.drop,
    "wait_until": living.wait_until,
}


@lru_cache(maxsize=16)
def _name_book(facts: Facts, seed: int | None) -> NameBook:
    return NameBook((*facts.items, *facts.blocks, *facts.mobs), seed)


class MinecraftWorld(gymnasium.Env[dict[str, Any], Action | dict[str, Any]]):
    """One body in one land.

    Attributes:
        options: Settings of the running world.
        names: The names it shows, and the real ones behind them.
        action_space, observation_space: See `echo.worlds.minecraft.spaces`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012 - gymnasium's own declaration

    def __init__(self, options: WorldOptions | None = None, facts: Facts | None = None) -> None:
        """Make the world ready to act in.

        Args:
            options: Settings; the defaults when None.
            facts: Rules and terrain; the project's own when None.

        Raises:
            OptionsError: if an option names something unknown.
        """
        self.render_mode = "rgb_array"
        self.facts = load_facts() if facts is None else facts
        self._fresh = True
        self.begin(WorldOptions() if options is None else options)

    def begin(self, options: WorldOptions) -> None:
        """Start over with `options`."""
        options.check_names(items=self.facts.items, blocks=self.facts.blocks, mobs=self.facts.mobs)
        self.options = options
        self.names = _name_book(self.facts, options.invented_names)
        self._check = ActionCheck(self.facts, self.names)
        self._coder = ActionCoder(self.facts, self.names)
        self.action_space = self._coder.space
        self.observation_space = observation_space(options.frame_size if options.frames else None)
        self._scene = Scene(self.facts, options, self.names)
        placing.set_out(self._scene, options.stations)

    def act(self, action: Action) -> Outcome:
        """Do one action.

        Failing for a reason of the world (nothing in sight, no station, no result) is an outcome with a code,
        and consumes nothing. Once the budget of counted actions is spent, every action is answered with
        ``budget_spent``.

        Raises:
            ActionError: if the action is malformed or names something unknown; nothing happens then.
        """
        real = self._check.real(action)
        scene = self._scene
        scene.begin()
        if scene.counted >= self.options.max_steps:
            return scene.outcome(
                "budget_spent",
                f"expected an action within the budget of {self.options.max_steps}; got one more. "
                f"Reset the world.",
            )
        scene.steps += 1
        if real.kind in COUNTED_KINDS:
            scene.counted += 1
        outcome = _HANDLERS[real.kind](scene, real)
        scene.tick += outcome.ticks
        scene.body.pass_time(outcome.ticks)
        return outcome

    def observe(self, frame: bool = False) -> Observation:
        """Return what is perceived now; its mappings are never changed afterwards.

        Args:
            frame: Whether to draw the view.
        """
        scene = self._scene
        body = scene.body
        held = scene.inventory.held
        return Observation(
            step=scene.steps,
            tick=scene.tick,
            position=body.position,
            yaw=body.yaw,
            pitch=body.pitch,
            inventory=scene.inventory.seen(),
            mainhand=None if held is None else scene.shown(held),
            blocks=scene.sight.blocks(body.feet),
            mobs=scene.herd.seen(body.feet, self.options.sight, scene.shown),
            stations=scene.stations_in_reach(),
            vitals=body.vitals,
            biome=self.facts.terrain.biome,
            frame=self.render() if frame else None,
        )

    @property
    def unlocked(self) -> Mapping[str, int]:
        """Every item ever carried, by shown name, with the counted actions at the time; in order of time."""
        return {self.names.shown(item): when for item, when in self._scene.unlocked.items()}

    @property
    def source(self) -> str:
        """What episodes of this world give as their source, such as ``minecraft-1.17.1``."""
        return f"minecraft-{self.facts.version}"

    @property
    def counted(self) -> int:
        """Counted actions so far."""
        return self._scene.counted

    @property
    def scene(self) -> Scene:
        """What is behind the view; for judges and the bench, never for agents."""
        return self._scene

    @property
    def gap(self) -> tuple[Cell, ...]:
        """Cells of the trench beside the spawn point, the nearest first; empty where there is none."""
        return self._scene.gap

    def carries(self, cell: Cell) -> bool:
        """Return whether a block that carries a body is at `cell`; False outside the land."""
        land = self._scene.land
        return land.inside(cell) and land.is_solid(cell)

    def render(self) -> Frame:
        """Return the view through the body's eyes, (frame_size, frame_size, 3) uint8."""
        scene = self._scene
        held = scene.held
        day = math.cos(
            (scene.tick % living.DAY_TICKS - living.DUSK_TICK / 2) / living.DAY_TICKS * 2 * math.pi
        )
        return draw(
            scene.land,
            scene.body,
            self.options.frame_size,
            creatures=scene.herd.places(),
            held=None if held is None else self._colour(held),
            # In steps, so that two looks at one place a little apart in time are alike.
            daylight=round(min(1.0, 0.6 + 0.8 * max(day, -0.5)), 1),
        )

    def _colour(self, item: ItemFact) -> Rgb:
        block = self.facts.blocks.get(item.block or "")
        return name_colour(item.name) if block is None else block.colour

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start over.

        Args:
            seed: Seed of the new world. Without one, the first reset keeps the options' seed and each later
                one draws the next from the last.
            options: `WorldOptions` fields to change.

        Returns:
            The first observation, and info as in `step`.

        Raises:
            OptionsError: on an unknown field or value.
        """
        if seed is not None and seed < 0:
            raise OptionsError(f"expected a seed of at least 0, or None; got {seed!r}.")
        super().reset(seed=seed)
        changes = dict(options or {})
        if seed is not None:
            changes["seed"] = seed
        elif not self._fresh and "seed" not in changes:
            changes["seed"] = int(self.np_random.integers(2**31))
        elif self._fresh:
            super().reset(seed=changes.get("seed", self.options.seed))
        self._fresh = False
        self.begin(changed_options(self.options, changes))
        observation = self.observe(frame=self.options.frames)
        return self._perceived(observation), {"observation": observation, "outcome": None, "unlocked": ()}

    def step(
        self, action: Action | dict[str, Any]
    ) -> tuple[dict[str, Any], SupportsFloat, bool, bool, dict[str, Any]]:
        """Do one action, typed or a member of the action space.

        Returns:
            Observation (``text``, and ``frame`` where the options ask for it); reward, the number of items
            carried for the first time; terminated, always False; truncated, whether the budget is spent; info
            with the typed ``observation`` and ``outcome`` and ``unlocked``, the names of those items.

        Raises:
            ActionError: as `act`.
        """
        before = len(self._scene.unlocked)
        typed = self._coder.action(action, self._scene.body.feet) if isinstance(action, dict) else action
        outcome = self.act(typed)
        observation = self.observe(frame=self.options.frames)
        new = tuple(self.unlocked)[before:]
        info = {"observation": observation, "outcome": outcome, "unlocked": new}
        spent = self._scene.counted >= self.options.max_steps
        return self._perceived(observation), float(len(new)), False, spent, info

    def _perceived(self, observation: Observation) -> dict[str, Any]:
        perceived: dict[str, Any] = {"text": observation_text(observation)}
        if observation.frame is not None:
            perceived["frame"] = observation.frame
        return perceived
