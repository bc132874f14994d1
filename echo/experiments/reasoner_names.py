"""Names of reasoners in specs, results and file names."""

from __future__ import annotations

import hashlib
import re

RULE = "rule"
"""The reasoner without a model."""

LONGEST = 40
"""Characters of a model's name in a file name; a digest tells those apart that begin alike."""


def slug(name: str) -> str:
    """Return a resolved reasoner as a part of file names; '' for the rule.

    >>> slug("rule"), slug("openai:gpt-4o")
    ('', 'by-openai-gpt-4o-1cffe3')
    """
    if name == RULE:
        return ""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:LONGEST]
    return f"by-{plain}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
