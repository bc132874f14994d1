"""Making a data set out of recorded episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from csd.by_model.prompts import Shot
from finetune.examples.balance import generator_for
from finetune.examples.leakage import leaks, refuse_leaks
from finetune.examples.making import Maker, Tell
from finetune.examples.pool import Pool, pool_of
from finetune.examples.recorded import ExamplesError, LeftOut, Recorded, SettingsError
from finetune.examples.rows import Example, TokenCount
from finetune.examples.settings import Settings
from finetune.examples.splits import SPLITS, Split


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """Examples by split, and everything that the card tells of how they came about."""

    of_split: Mapping[Split, tuple[Example, ...]]
    pool: Pool
    settings: Settings
    left: tuple[LeftOut, ...]
    """Episodes and examples that became no rows."""

    @property
    def only_in_train(self) -> tuple[str, ...]:
        """Task families of which the test has no row, sorted."""
        tested = {example.told.task_family for example in self.of_split["test"]}
        trained = dict.fromkeys(example.told.task_family for example in self.of_split["train"])
        return tuple(sorted(family for family in trained if family not in tested))


def build(
    recorded: Sequence[Recorded],
    settings: Settings,
    *,
    shots: Mapping[str, tuple[Shot, ...]],
    count: TokenCount | None = None,
    tell: Tell | None = None,
) -> DataSet:
    """Make a data set: the same episodes and settings give the same examples in the same order.

    Rows of one kind are spread evenly over the task families of a split, as far as there are episodes, within
    a family over its item families, and over the styles; an episode gets a second row, in another style,
    once each has one. Conversations that were made before are left out.

    Args:
        recorded: episodes, in the order of their memories and of time.
        settings: what is wanted.
        shots: the examples of the few-shot prompt, by style: their answers are among the wrong attempts of
            repairs, and none may be a row.
        count: counts tokens; needed where `settings.most_tokens` is given.
        tell: told of progress.

    Raises:
        SettingsError: on settings that cannot be meant.
        ExamplesError: on episodes that give no data set, or a leak.
    """
    settings.check()
    if settings.most_tokens is not None and count is None:
        raise SettingsError(
            f"expected a tokenizer to hold rows to {settings.most_tokens:,} tokens; got none. Name a base."
        )
    pool = pool_of(recorded, settings.held, generator_for(settings.seed, "splits"))
    maker = Maker(settings=settings, pool=pool, shots=shots, count=count, tell=tell)
    made = {split: maker.examples(split) for split in SPLITS}
    empty = [split for split in SPLITS if not made[split]]
    if empty:
        first = maker.left[0] if maker.left else None
        why = f" ({first.name}: {first.reason} {first.detail})" if first else ""
        raise ExamplesError(
            f"expected rows for each split; got none for {', '.join(empty)}{why}. Allow longer rows, or "
            f"record more episodes."
        )
    if settings.pictures and not any(each.pictured for split in SPLITS for each in made[split]):
        raise ExamplesError(
            "expected recorded pictures of moments before a deciding step; got none. Leave pictures out, or "
            "record episodes in a world that draws them."
        )
    shown = [shot for each in shots.values() for shot in each]
    refuse_leaks(leaks(made, shown, tasks_held=bool(settings.held.tasks)))
    return DataSet(of_split=made, pool=pool, settings=settings, left=(*pool.left, *maker.left))
