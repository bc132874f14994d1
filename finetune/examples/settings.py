"""What a data set is asked to be."""

from __future__ import annotations

from dataclasses import dataclass, field

from csd.by_model.trace import STYLES
from finetune.examples.recorded import SettingsError
from finetune.examples.rows import LAYOUTS, Layout
from finetune.examples.splits import HeldOut

LEAST_STYLES = 2
"""Styles in training at least: of one, a model learns the template."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How many rows of what."""

    seed: int = 0
    train: int = 2000
    """Rows wanted, 1 or more; fewer are made where the episodes do not give so many different ones."""
    validation: int = 100
    test: int = 160
    out_of_template: int = 40
    """Test rows in the unseen style, over and above `test`."""
    repair_share: float = 0.15
    """Of the rows of each split, 0..1: repairs; where rows run out, of those that are made."""
    refuse_share: float = 0.03
    """The same: refusals."""
    held: HeldOut = field(default_factory=HeldOut)
    unseen_style: str = STYLES[-1]
    """Style of traces that only out-of-template rows have."""
    layout: Layout = "messages"
    pictures: bool = False
    """Whether conversations show the frame before the deciding step, where one was recorded."""
    most_tokens: int | None = None
    """Longer conversations are left out; needs a tokenizer. None is no limit."""

    @property
    def styles(self) -> tuple[str, ...]:
        """Styles of all other rows."""
        return tuple(style for style in STYLES if style != self.unseen_style)

    @property
    def rows(self) -> int:
        """Rows wanted in all."""
        return self.train + self.validation + self.test + self.out_of_template

    def check(self) -> None:
        """Raise on settings that cannot be meant.

        Raises:
            SettingsError: naming the setting.
        """
        for name in ("train", "validation", "test"):
            if getattr(self, name) < 1:
                raise SettingsError(f"expected 1 or more {name} rows; got {getattr(self, name)}.")
        if self.out_of_template < 0:
            raise SettingsError(f"expected 0 or more rows out of template; got {self.out_of_template}.")
        shares = (self.repair_share, self.refuse_share)
        # Asked so that what is no number is refused too.
        if not (all(each >= 0 for each in shares) and sum(shares) < 1):
            raise SettingsError(
                f"expected shares of repairs and refusals from 0 on, together below 1; got {shares[0]} and "
                f"{shares[1]}. The rest are the rows that write a descriptor."
            )
        sides = (self.held.test_share, self.held.validation_share)
        if not (all(each > 0 for each in sides) and sum(sides) <= 0.5):
            raise SettingsError(
                f"expected shares of episodes held out above 0 and together at most 0.5; got {sides[0]} for "
                f"the test and {sides[1]} for validation."
            )
        if self.unseen_style not in STYLES or len(self.styles) < LEAST_STYLES:
            raise SettingsError(
                f"expected an unseen style out of {', '.join(STYLES)}; got {self.unseen_style!r}."
            )
        if self.layout not in LAYOUTS:
            raise SettingsError(f"expected a layout out of {', '.join(LAYOUTS)}; got {self.layout!r}.")
