"""What ends an evaluation."""

from __future__ import annotations


class EvaluationError(ValueError):
    """Data or answers that cannot be evaluated; the text says what to change."""
