"""What training refuses."""

from __future__ import annotations


class TrainingError(ValueError):
    """Settings, data or a run that cannot be trained with; the text says what to change."""
