"""What an episode is about, for splits in which no recipe crosses from one side to the other.

The *task family* is what the deciding step did and whether it worked: 'craft', 'craft failed', 'dig', ...
The *item family* is the last word of the name of what was made, dug or put down: 'planks' of 'oak_planks',
'ore' of 'deepslate_iron_ore'. Both follow from the episode alone: no rule of a world is looked up.

Item families that share the pattern of a grid that worked are one *group*, and a group is never divided. So
neither a recipe nor its shape is learnt on one side of a split and asked for on the other, and that holds
for memories in which the same things have other names too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from csd.descriptor import Csd
from csd.episode import Attack, Craft, Drop, Eat, Episode, Equip, Place, Smelt, Step
from csd.pattern import canonical_grid
from csd.scene import dug_block, grid_rows, scene_of

FAILED = " failed"
"""What is added to a task family whose deciding step did not work."""

NOTHING = "nothing"
"""Item family of an episode that names no item, block or creature in its deciding step."""

_VERBS = {"collect": "dig", "mine": "dig"}


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What an episode is about."""

    task_family: str
    item_family: str
    touched: tuple[str, ...]
    """Marks that its recipes bear, without repeats: 'word planks', 'grid AA/AA'. One group holds them all,
    or the episode belongs to no side of a split."""
    recipes: tuple[str, ...]
    """Recipes that worked in it, in words, without repeats."""


def about(episode: Episode, csd: Csd) -> About:
    """Tell what `episode`, described by `csd`, is about.

    >>> from csd.episode import Observation, Outcome, Vitals
    >>> seen = Observation(step=0, tick=0, position=(0.0, 0.0, 0.0), yaw=0.0, pitch=0.0, inventory={},
    ...     mainhand=None, blocks={}, mobs={}, stations=(), vitals=Vitals(), biome="plains")
    >>> laid = Step(before=seen, action=Craft(grid=(("oak_log",),)),
    ...     outcome=Outcome(code="ok", message="", inventory_delta={"oak_log": -1, "oak_planks": 4}))
    >>> one = Episode(id="ep_000000", goal="A of oak_log", steps=(laid,), after=seen, source="")
    >>> from csd.build import describe
    >>> told = about(one, describe(one))
    >>> told.task_family, told.item_family, told.touched
    ('craft', 'planks', ('word planks', 'grid A'))
    """
    scene = scene_of(episode, csd.meta.product)
    thing = csd.meta.product if csd.meta.verb in ("craft", "smelt") else None
    if thing is None and scene is not None:
        thing = _thing(scene.step)
    family = NOTHING if thing is None else word(thing)
    verb = _VERBS.get(csd.meta.verb, csd.meta.verb)
    recipes = tuple(_recipes(episode))
    marks = [_mark("word", family)]
    for recipe in recipes:
        marks += recipe.marks
    return About(
        task_family=verb if csd.meta.success else verb + FAILED,
        item_family=family,
        touched=tuple(dict.fromkeys(marks)),
        recipes=tuple(dict.fromkeys(recipe.words for recipe in recipes)),
    )


def word(name: str) -> str:
    """Return the word family of a name: its last word.

    >>> word("oak_planks"), word("chest")
    ('planks', 'chest')
    """
    return name.replace(" ", "_").rstrip("_").rpartition("_")[2] or name


@dataclass(frozen=True, kw_only=True, slots=True)
class Groups:
    """Item families that no split may divide."""

    of_mark: dict[str, str]
    """Mark -> name of its group."""

    def of(self, told: About) -> tuple[str, ...]:
        """Return the groups that an episode touches, that of its item family first, without repeats."""
        return tuple(dict.fromkeys(self.of_mark[mark] for mark in told.touched))

    @property
    def names(self) -> tuple[str, ...]:
        """The groups, sorted."""
        return tuple(sorted(dict.fromkeys(self.of_mark.values())))


def groups_of(told: Sequence[Episode]) -> Groups:
    """Join the marks that recipes of `told` bear together into groups.

    A group is named by its words, sorted, joined by '+'; one that has none (a pattern alone) by its marks.
    """
    parent: dict[str, str] = {}

    def root(mark: str) -> str:
        while parent.setdefault(mark, mark) != mark:
            mark = parent[mark]
        return mark

    for episode in told:
        for recipe in _recipes(episode):
            for mark in recipe.marks:
                parent[root(mark)] = root(recipe.marks[0])
    members: dict[str, list[str]] = {}
    for mark in sorted(parent):
        members.setdefault(root(mark), []).append(mark)
    return Groups(of_mark={mark: _group_name(marks) for marks in members.values() for mark in marks})


def with_words(groups: Groups, words: Iterable[str]) -> Groups:
    """Return `groups` with each of `words` in it; one of no recipe is a group of its own."""
    alone = {_mark("word", each): each for each in words}
    return Groups(of_mark={**alone, **groups.of_mark})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Recipe:
    words: str
    marks: tuple[str, ...]


def _recipes(episode: Episode) -> Iterator[_Recipe]:
    """Yield the recipes of the steps that made something."""
    for step in episode.steps:
        made = [item for item, change in step.outcome.inventory_delta.items() if change > 0]
        if not step.outcome.ok or not made:
            continue
        products = tuple(_mark("word", word(item)) for item in made)
        match step.action:
            case Craft() if grid_rows(step.action.grid):
                rows, fillers = canonical_grid(step.action.grid)
                laid = ", ".join(f"{letter} {item}" for letter, item in fillers.items())
                words = f"craft {rows} of {laid} to {', '.join(made)}"
                yield _Recipe(words=words, marks=(*products, _mark("grid", rows)))
            case Smelt():
                yield _Recipe(words=f"smelt {step.action.input} to {', '.join(made)}", marks=products)
            case _:
                pass


def _thing(step: Step) -> str | None:
    """What a step that made nothing was about."""
    match step.action:
        case Craft() if grid_rows(step.action.grid):
            return canonical_grid(step.action.grid).fillers["A"]
        case Smelt():
            return step.action.input
        case Place() | Eat() | Drop() | Equip():
            return step.action.item
        case Attack():
            return step.action.mob
        case _:
            return dug_block(step)


def _mark(kind: str, name: str) -> str:
    return f"{kind} {name}"


def _group_name(marks: Sequence[str]) -> str:
    words = [mark.removeprefix("word ") for mark in marks if mark.startswith("word ")]
    return "+".join(words or marks)
