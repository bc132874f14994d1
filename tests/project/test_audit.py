"""docs/audit.md names every field a descriptor may hold, and only sources that an agent can see."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import csd.episode
from csd.axes import AXES
from csd.descriptor import Meta
from csd.vocabulary import PREDICATES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "audit.md"

FIELDS = {axis.value: tuple(PREDICATES[axis]) for axis in AXES} | {"meta": tuple(Meta.model_fields)}


def rows(section: str) -> dict[str, list[str]]:
    """Return the audited fields of a section with their sources, in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    body = re.split(r"^## ", text.split(f"\n## {section}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    cells = [line.strip("|").split("|") for line in body.splitlines() if line.startswith("| ")][1:]
    return {name.strip(): re.findall(r"`([^`]+)`", sources) for name, sources, _ in cells}


@pytest.mark.parametrize("section", FIELDS)
def test_every_field_that_a_descriptor_may_hold_is_audited_in_vocabulary_order(section: str):
    assert tuple(rows(section)) == FIELDS[section]


@pytest.mark.parametrize("section", FIELDS)
def test_every_source_is_a_field_of_what_an_agent_does_or_sees(section: str):
    for name, sources in rows(section).items():
        assert sources or name == "builder", name
        for source in sources:
            record, field = source.split(".")
            known = {found.name for found in dataclasses.fields(getattr(csd.episode, record))}
            assert field in known, f"{section}: {name} names {source}"
