"""When the memory of the machine does not suffice for a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from finetune.training.errors import TrainingError
from finetune.training.settings import Settings

SAID = ("out of memory", "can't allocate memory", "not enough memory")
"""How torch says it, on GPUs and processors."""


@contextmanager
def enough_memory(settings: Settings, longest: int) -> Iterator[None]:
    """Turn an allocation that fails inside the block into an error that says which settings to lower.

    Args:
        settings: of the run.
        longest: tokens of its longest row.

    Raises:
        TrainingError: if memory ran out.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        told = " ".join(str(error).split())
        if not isinstance(error, MemoryError) and not any(each in told.lower() for each in SAID):
            raise
        now = settings.batches.tokens_at_once
        ways = [f"lower `tokens_at_once` under `[batches]`, now {now:,}, which changes no result"]
        if not settings.checkpointing:
            ways.append("set `checkpointing = true`, a third slower, which changes none either")
        if settings.number != "bfloat16":
            ways.append('set `number = "bfloat16"`')
        raise TrainingError(
            f"expected memory for {now:,} tokens at once, or for the longest row ({longest:,} tokens), which "
            f"is never cut; got: {told[:200] or 'MemoryError'}. Each of these helps: {'; '.join(ways)}. "
            f"The same command goes on from the last checkpoint."
        ) from error
