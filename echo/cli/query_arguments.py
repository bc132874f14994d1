"""The arguments of ``echo-memory query``, read as the published tool reads them.

Plain ones are read here; argparse, which takes 10 ms to load, reads all others and says what is wrong.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import NoReturn

PROGRAM = "echo-memory query"

USAGE = (
    f"{PROGRAM} [--root DIR] [--last N] [--steps A B] [--near X Z] [--radius R] [--tag TAG] "
    "[--action ACTION] [--grep TEXT] [--previous] [--same-screen PNG] [--sheet PNG] [--json] "
    "[--then-now EP] [--now PNG] [--out PNG] [--q TEXT] [--text TEXT] [--similar TEXT|PNG] [--limit N]"
)

PUBLISHED = (
    "--help",
    "--root",
    "--last",
    "--steps",
    "--near",
    "--radius",
    "--tag",
    "--action",
    "--grep",
    "--previous",
    "--same-screen",
    "--sheet",
    "--json",
    "--then-now",
    "--now",
    "--out",
    "--q",
)
OURS = ("--text", "--similar", "--limit")
"""What the published tool does not have. A beginning that means one of its options, or could mean several of
them, means the same here; only what means none of them is looked for among these."""

_SWITCHES = ("--previous", "--json")
_WHOLE = {"--last": 1, "--steps": 2, "--limit": 1}
_REAL = {"--near": 2, "--radius": 1}


class Asked:
    """The arguments of the command."""

    root: str = "."
    last: int | None = None
    steps: Sequence[int] | None = None
    near: Sequence[float] | None = None
    radius: float = 6.0
    tag: str | None = None
    action: str | None = None
    grep: str | None = None
    previous: bool = False
    same_screen: str | None = None
    sheet: str | None = None
    json: bool = False
    then_now: str | None = None
    now: str | None = None
    out: str = "then_now.png"
    q: str | None = None
    text: str | None = None
    similar: str | None = None
    limit: int | None = None


def read_arguments(words: Sequence[str]) -> Asked:
    """Read the words after 'query'.

    Raises:
        SystemExit: with code 0 after help, 2 on wrong use.
    """
    asked = _read_plainly(words) or _read(words)
    for name, text in (("--text", asked.text), ("--similar", asked.similar)):
        if text is not None and not any(letter.isalnum() for letter in text):
            refuse(f"argument {name}: expected something to look for, got {text!r}")
    return asked


def refuse(message: str) -> NoReturn:
    """Print how the command is used and what is wrong, and leave with code 2."""
    import sys

    sys.stderr.write(f"usage: {USAGE}\n{PROGRAM}: error: {message}\n")
    raise SystemExit(2)


def _read_plainly(words: Sequence[str]) -> Asked | None:
    """Read arguments in which nothing is left to say, or return None where `_read` must.

    >>> _read_plainly(["--last", "3", "--tag", "damage"]).last
    3
    >>> _read_plainly(["--last", "x"]) is None
    True
    """
    asked, rest = Asked(), iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if word in _SWITCHES:
            setattr(asked, word[2:], True)
            continue
        if name in _SWITCHES or name not in (*PUBLISHED[1:], *OURS):
            return None
        count = (_WHOLE | _REAL).get(name, 1)
        if "=" in word and count > 1:
            return None
        values = [value] if "=" in word else [one for _, one in zip(range(count), rest, strict=False)]
        if len(values) != count or any(map(_looks_like_option, values if "=" not in word else ())):
            return None
        try:
            taken = [_kind(name)(one) for one in values]
        except ValueError:
            return None
        setattr(asked, name[2:].replace("-", "_"), taken if count > 1 else taken[0])
    return asked


def _looks_like_option(word: str) -> bool:
    """Whether argparse might take a word for an option; it takes negative numbers for values."""
    return word.startswith("-") and not (word[1:].replace(".", "", 1).isdecimal() and word[-1] != ".")


def _read(words: Sequence[str]) -> Asked:
    import argparse

    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        usage=USAGE,
        description="Print the episodes of a memory that meet all conditions, in order of time.",
        epilog=f"The beginning of an option will do where no other begins so.\n\n"
        f"Example: {PROGRAM} --near 12 -40 --tag damage --last 5",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, metavar, told in _OPTIONS:
        if name in _SWITCHES:
            parser.add_argument(name, action="store_true", help=told)
        else:
            count = (_WHOLE | _REAL).get(name, 1)
            parser.add_argument(
                name,
                metavar=metavar if count == 1 else tuple(metavar.split()),
                nargs=None if count == 1 else count,
                type=_kind(name),
                help=told,
            )
    asked = Asked()
    for name, value in vars(parser.parse_args(list(_whole_names(words)))).items():
        if value is not None:
            setattr(asked, name, value)
    return asked


def _whole_names(words: Sequence[str]) -> Iterator[str]:
    """Yield the words with beginnings of options written out, as far as they mean one option."""
    rest = iter(words)
    for word in rest:
        if word == "--":
            yield word
            yield from rest
            return
        name, sign, value = word.partition("=")
        if not name.startswith("--") or name in (*PUBLISHED, *OURS) or " " in name:
            yield word
            continue
        meant = [one for one in PUBLISHED if one.startswith(name)]
        meant = meant or [one for one in OURS if one.startswith(name)]
        if len(meant) > 1:
            refuse(f"ambiguous option: {word} could match {', '.join(meant)}")
        yield f"{meant[0]}{sign}{value}" if meant else word


def _kind(name: str) -> Callable[[str], object]:
    return int if name in _WHOLE else float if name in _REAL else str


_OPTIONS = (
    ("--root", "DIR", "Memory folder, or previous/life_N within one (default: the current folder)."),
    ("--last", "N", "Only the last N of them."),
    ("--steps", "A B", "Only those that reach into the steps A to B."),
    ("--near", "X Z", "Only those that began near X Z."),
    ("--radius", "R", "How near, in blocks (default: 6.0)."),
    ("--tag", "TAG", "Only those with this tag."),
    ("--action", "ACTION", "Only those with this kind of action."),
    ("--grep", "TEXT", "Only those with this text in their index line, action, outcome or state."),
    ("--previous", "", "Ask the earlier lives instead."),
    ("--same-screen", "PNG", "Only those that began with this screen."),
    ("--sheet", "PNG", "Also write a sheet of their frames to this file."),
    ("--json", "", "Print their index lines as JSON."),
    ("--then-now", "EP", "Write this episode's frame, or this picture, beside the current view."),
    ("--now", "PNG", "The current view, for --then-now."),
    ("--out", "PNG", "Where --then-now writes (default: then_now.png)."),
    ("--q", "TEXT", "The question that the pictures are to answer; it is printed with them."),
    ("--text", "TEXT", "Only those in whose texts all these words occur."),
    ("--similar", "TEXT|PNG", "The most similar ones, the best first."),
    ("--limit", "N", "At most N of them."),
)
