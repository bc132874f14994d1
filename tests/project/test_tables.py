"""Every table between marks in README and docs says what the committed results and the task files say."""

from __future__ import annotations

from pathlib import Path

from echo.experiments.tasks.tables import filled_pages

ROOT = Path(__file__).resolve().parents[2]

LIMIT = 1_500_000
"""Bytes that the committed results may take in all."""


def test_every_table_is_what_its_source_says():
    differing = [
        str(page.relative_to(ROOT))
        for page, text in filled_pages(ROOT).items()
        if page.read_text(encoding="utf-8") != text
    ]
    assert differing == [], "run: python -m echo.experiments.tasks.tables --write"


def test_committed_results_stay_small():
    assert sum(path.stat().st_size for path in (ROOT / "data" / "results").glob("*")) < LIMIT
