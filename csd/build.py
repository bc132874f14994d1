"""The rule builder: an episode in, a descriptor on five axes out, with evidence for every statement.

Source: Echo §3.2 (content of the five fields); differs in that nothing is generated: every statement follows
by rule from the episode's records, so none can speak of what was not perceived.
"""

from __future__ import annotations

from dataclasses import dataclass

from csd.build_attr import attr_statements
from csd.build_func import func_statements
from csd.build_inter import inter_statements
from csd.build_proc import proc_statements
from csd.build_struct import struct_statements
from csd.descriptor import Csd, Meta
from csd.episode import Craft, Episode
from csd.scene import Scene, scene_of

BUILDER = "rules/1"
"""Name and version of the rules, kept in each descriptor's `meta.builder`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NotDescribed:
    """Why no descriptor was made of an episode."""

    reason: str
    """Expected, got, and what to do."""
    excerpts: tuple[str, ...] = ()
    """The parts of the episode that the reason speaks of."""


def describe(episode: Episode, product: str | None = None) -> Csd | NotDescribed:
    """Describe an episode on the five transfer axes.

    The deciding step is the last that gained `product` where that is given and was gained, else the last
    that did more than move. It fills struct, proc and func; attributes, attempts and failures are taken
    from every step. An axis that the episode says nothing about stays empty.

    Args:
        episode: one run of steps.
        product: the item the episode was for, where the caller knows it; success is then its gain.

    Returns:
        The descriptor, or the reason why there is none: no steps, a malformed grid, nothing to say.
    """
    scene = decided(episode, product)
    if isinstance(scene, NotDescribed):
        return scene
    axes = {
        "struct": struct_statements(scene),
        "attr": attr_statements(scene),
        "proc": proc_statements(scene),
        "func": func_statements(scene),
        "inter": inter_statements(scene),
    }
    if not any(axes.values()):
        return NotDescribed(
            reason=f"expected a step that gained, tried or failed at something; got only moves in "
            f"{episode.id}. Leave this episode undescribed.",
            excerpts=tuple(step.action.kind for step in episode.steps[:5]),
        )
    return Csd(meta=circumstances(scene, product), **axes)


def decided(episode: Episode, product: str | None = None) -> Scene | NotDescribed:
    """Return the scene of an episode, or why none can be described: no steps, or a malformed grid."""
    malformed = [
        step.action.grid for step in episode.steps if isinstance(step.action, Craft) and _ragged(step.action)
    ]
    if malformed:
        return NotDescribed(
            reason=f"expected crafting grids with rows of one length; got {len(malformed)} others in "
            f"{episode.id}. Fill short rows with None.",
            excerpts=tuple(map(str, malformed)),
        )
    scene = scene_of(episode, product)
    if scene is None:
        return NotDescribed(
            reason=f"expected at least one step; got none in {episode.id}. Record steps first."
        )
    return scene


def _ragged(action: Craft) -> bool:
    return len({len(row) for row in action.grid}) != 1


def circumstances(scene: Scene, product: str | None, *, builder: str = BUILDER) -> Meta:
    """Return what a descriptor says of the circumstances, whoever wrote its axes.

    Args:
        scene: the episode with its deciding step.
        product: the item the episode was for, where the caller knows it; success is then its gain.
        builder: who wrote the axes.
    """
    episode, seen = scene.episode, scene.step.before
    return Meta(
        task=episode.goal,
        success=scene.step.outcome.ok if product is None else scene.product == product,
        product=scene.product,
        verb=scene.verb,
        position=seen.position,
        step=episode.steps[0].before.step,
        tick=episode.steps[0].before.tick,
        biome=seen.biome,
        objects=tuple(sorted(seen.blocks)),
        world=episode.source,
        builder=builder,
        episodes=(episode.id,),
    )
