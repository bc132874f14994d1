"""``echo-memory run turns``: a model-driven agent with a memory folder, turn by turn."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.plain_text import counted
from echo.cli.programs import present
from echo.cli.screen import FAILED, exit_codes, note_console, print_json
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from echo.mfm.turns.harness import Milestone
    from echo.mfm.turns.record import Turn


def turns(
    context: typer.Context,
    root: Annotated[Path, typer.Option(metavar="DIR", help="Memory folder; made where there is none.")],
    model: Annotated[
        str,
        typer.Option(metavar="COMMAND", help="Program that answers: messages as JSON in, its reply out."),
    ],
    goal: Annotated[str, typer.Option(metavar="TEXT", help="What the agent is to do.")],
    count: Annotated[int, typer.Option("--turns", min=1, metavar="N", help="Turns to take.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the Minecraft world.")] = 0,
    steps: Annotated[int, typer.Option(min=1, metavar="N", help="Counted actions, at most.")] = 8_000,
    invented_names: Annotated[
        int | None, typer.Option(min=0, metavar="SEED", help="Rename every item, by this seed.")
    ] = None,
    milestones: Annotated[
        str,
        typer.Option(metavar="LIST", help="'wood=oak_log, tools=stick:4': reached when so many are held."),
    ] = "",
    direct: Annotated[
        bool, typer.Option("--direct", help="An agent without a memory of episodes, to compare with.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long one reply may take.")] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Let a model live in the Minecraft world with a memory folder, and write down every turn.

    The world is new each time; what the folder recorded before becomes an earlier life. Any program can be
    the model: it reads {"messages": [{"role", "text", "images"}]} and writes its reply.

    Example: echo-memory run turns --root runs/mine --model 'python my_model.py' --goal 'a stone pickaxe'
    """
    with exit_codes("the turns taken are kept"):
        from echo.experiments.sitting import Sitting, sit
        from echo.mfm.turns.command_model import CommandModel
        from echo.mfm.turns.harness import TurnSettings
        from echo.serve.agent_tools import agent_tools
        from echo.worlds.minecraft.options import WorldOptions

        sitting = Sitting(
            settings=TurnSettings(goal=goal, direct=direct, milestones=_milestones(milestones)),
            world=WorldOptions(seed=seed, max_steps=steps, invented_names=invented_names),
            turns=count,
            command=_command_line(context),
        )
        asked = CommandModel(command=present(model), seconds=seconds)
        sat = sit(root, asked, agent_tools, sitting, taken=_tell())
        taken = sat.turns
        failures = [turn for turn in taken if turn.failure is not None]
        if as_json:
            print_json(
                {
                    "root": str(root),
                    "turns": len(taken),
                    "failures": len(failures),
                    "put_away": sat.put_away,
                    "last_step": taken[-1].last_step,
                    "milestones": [name for turn in taken for name in turn.milestones],
                }
            )
        else:
            if sat.put_away is not None:
                typer.echo(f"what was recorded before is life {sat.put_away}, in previous/")
            typer.echo(f"{counted(len(taken), 'turn')}, {len(failures)} without a usable answer")
            typer.echo(f"next: echo-memory stats {shlex.quote(str(root))} --turns")
    if len(failures) == len(taken):
        raise typer.Exit(FAILED)


def _tell() -> Callable[[Turn], None]:
    """Return what tells of each turn on standard error, as it is taken."""
    console = note_console()

    def tell(turn: Turn) -> None:
        steps, commands = turn.last_step - turn.first_step, len(turn.commands)
        done = f"{counted(steps, 'step')}, {counted(commands, 'command')}"
        told = done if turn.failure is None else f"{done}; {plain(turn.failure)}"
        reached = f"; reached {', '.join(turn.milestones)}" if turn.milestones else ""
        console.print(f"turn {turn.turn}: {told}{reached}", markup=False, soft_wrap=True)

    return tell


def _command_line(context: typer.Context) -> str:
    """Return the command as it would be typed, every setting written out."""
    words = ["echo-memory", "run", "turns"]
    for name, value in context.params.items():
        option = "--turns" if name == "count" else f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value is not None and value is not False and value != "":
            words += [option, str(value)]
    return shlex.join(words)


def _milestones(text: str) -> tuple[Milestone, ...]:
    """Read ``wood=oak_log, tools=stick:4``.

    Raises:
        UsageError: on anything else.
    """
    from echo.experiments.spec import UsageError
    from echo.mfm.turns.harness import Milestone

    read: list[Milestone] = []
    for each in filter(None, (part.strip() for part in text.split(","))):
        name, sign, wanted = (part.strip() for part in each.partition("="))
        item, colon, count = (part.strip() for part in wanted.partition(":"))
        if not (name and sign and item) or (colon and not (count.isdecimal() and int(count) > 0)):
            raise UsageError(f"expected milestones such as 'wood=oak_log, tools=stick:4', got {each!r}.")
        read.append(Milestone(name=name, item=item, count=int(count) if colon else 1))
    return tuple(read)
