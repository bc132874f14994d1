"""Every command's help fits 80 columns, shows an example, and the example can be typed."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.cli.bank_samples import COMMAND, call


def leaves(command=COMMAND, words=()):
    inner = getattr(command, "commands", None)
    if inner is None:
        yield words, command
        return
    for word, child in inner.items():
        yield from leaves(child, (*words, word))


COMMANDS = dict(leaves())


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_shows_an_example_that_is_understood(words):
    text = " ".join(COMMANDS[words].help.split())
    (line,) = re.findall(r"Example: (echo-memory .+)", text)
    typed = shlex.split(line)[1:]
    assert tuple(typed[: len(words)]) == words
    COMMANDS[words].make_context("echo-memory", typed[len(words) :])


@pytest.mark.parametrize("words", [(), *COMMANDS], ids=lambda words: " ".join(words) or "all")
def test_help_fits_eighty_columns(words):
    done = call(*words, "--help")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
