"""The memories that are compared, by the name of their agent and the switch that is turned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.encode import Encoder
from echo.agent.memory import Memory

FULL_SHOTS = 8
"""Exemplars in context of echo without a switch."""

SHOTS: Mapping[str, int] = {"1-shot": 1, "2-shot": 2, "4-shot": 4}

_ECHO = (
    *SHOTS,
    *(f"-{axis.value}" for axis in AXES),
    *(f"only-{axis.value}" for axis in AXES),
    "-ical",
    "-maintenance",
    "-verifier",
)

MEMORIES: Mapping[str, tuple[str, ...]] = {
    "echo": _ECHO,
    "direct": (),
    "deps": ("-selector",),
    "voyager": ("-self-verification",),
    "jarvis-1": ("-self-check",),
    "mrsteve": ("-place-memory",),
    "mp5": ("-patroller",),
    "pro-long": (),
    "vista": ("-notes",),
    "mfm": ("-frames", "-index", "-procedures", "-consolidation"),
    "echo-release": (),
}
"""Agent -> its switches, in the order of all tables."""


def make_memory(agent: str, switch: str | None, *, encoder: Encoder) -> Memory:
    """Return an empty memory.

    Args:
        agent: one of `MEMORIES`.
        switch: one of the agent's; None for the agent as it is.
        encoder: embeds the texts of those that compare texts.

    Raises:
        ValueError: on an agent, or a switch of it, that there is not.
    """
    if agent not in MEMORIES:
        raise ValueError(f"expected an agent out of {', '.join(MEMORIES)}; got {agent!r}.")
    if switch is not None and switch not in MEMORIES[agent]:
        known = ", ".join(MEMORIES[agent]) or "none: it has no switch"
        raise ValueError(f"expected for {agent} a switch out of {known}; got {switch!r}.")
    if agent == "echo":
        return _echo(echo_settings(switch), encoder)
    if agent in ("direct", "deps", "voyager", "jarvis-1", "mrsteve"):
        return _of_steps(agent, encoder, whole=switch is None)
    return _of_records(agent, switch, encoder)


@dataclass(frozen=True, kw_only=True)
class EchoSettings:
    """What a switch leaves of echo."""

    axes: tuple[Axis, ...]
    shots: int
    ical: bool
    maintains: bool
    verifies: bool


def echo_settings(switch: str | None) -> EchoSettings:
    """Return what echo is made with when `switch`, one of its own, is turned; None for nothing turned."""
    turned = switch or ""
    axes = tuple(axis for axis in AXES if turned != f"-{axis.value}")
    if turned.startswith("only-"):
        axes = tuple(axis for axis in AXES if turned == f"only-{axis.value}")
    return EchoSettings(
        axes=axes,
        shots=SHOTS.get(turned, FULL_SHOTS),
        ical=turned != "-ical",
        maintains=turned != "-maintenance",
        verifies=turned != "-verifier",
    )


def _echo(settings: EchoSettings, encoder: Encoder) -> Memory:
    from echo.agent.transfer_memory import TransferMemory

    return TransferMemory(
        encoder=encoder,
        axes=settings.axes,
        shots=settings.shots,
        ical=settings.ical,
        maintains=settings.maintains,
        verifies=settings.verifies,
    )


def _of_steps(agent: str, encoder: Encoder, *, whole: bool) -> Memory:
    """Return a memory of steps, skills or plans; its one switch is turned unless `whole`."""
    match agent:
        case "direct":
            from echo.baselines.direct import Direct

            return Direct()
        case "deps":
            from echo.baselines.deps import Deps

            return Deps(selector=whole)
        case "voyager":
            from echo.baselines.voyager import Voyager

            return Voyager(encoder=encoder, self_verification=whole)
        case "jarvis-1":
            from echo.baselines.jarvis import Jarvis1

            return Jarvis1(encoder=encoder, self_check=whole)
        case _:
            from echo.baselines.mrsteve import MrSteve

            return MrSteve(encoder=encoder, place_memory=whole)


def _of_records(agent: str, switch: str | None, encoder: Encoder) -> Memory:
    """Return a memory of workflows, logs, frames, descriptors or a folder."""
    match agent:
        case "mp5":
            from echo.baselines.mp5 import Mp5

            return Mp5(encoder=encoder, patroller=switch is None)
        case "pro-long":
            from echo.baselines.prolong import ProLong

            return ProLong()
        case "vista":
            from echo.baselines.vista import Vista

            return Vista(notes=switch is None)
        case "echo-release":
            from echo.baselines.echo_release import EchoRelease

            return EchoRelease()
        case _:
            from echo.baselines.mfm import MfmMemory
            from echo.mfm.options import MemoryOptions

            off = () if switch is None else (switch.removeprefix("-"),)
            return MfmMemory(options=MemoryOptions(**dict.fromkeys(off, False)))
