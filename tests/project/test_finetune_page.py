"""What docs/finetune.md says of settings is what they are, and its commands run one after the other."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from echo.cli.app import app
from finetune.training.settings import Adapter, Batches, Schedule, Settings, read_settings, shipped

ROOT = Path(__file__).resolve().parents[2]

PAGE = (ROOT / "docs" / "finetune.md").read_text(encoding="utf-8")

SETTINGS = PAGE.split("\n### Settings\n")[1].split("\n### ")[0]

(TOML,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def rows(text: str) -> dict[str, str]:
    """Return key -> default as the table in `text` says."""
    return dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", text, flags=re.MULTILINE))


def said(default: object) -> str:
    if default is None:
        return "none"
    if default == ():
        return "[]"
    return str(default).lower() if isinstance(default, bool) else str(default)


@pytest.mark.parametrize(
    ("heading", "kind"),
    [("adapter", Adapter), ("batches", Batches), ("schedule", Schedule), (None, Settings)],
    ids=["adapter", "batches", "schedule", "top"],
)
def test_the_tables_hold_every_setting_with_its_default(heading, kind):
    text = SETTINGS.split("\nUnder `[")[0]
    if heading is not None:
        text = SETTINGS.split(f"\nUnder `[{heading}]`:\n")[1].split("\nUnder `[")[0]
    real = {
        name: said(field.default)
        for name, field in kind.model_fields.items()
        if name not in ("adapter", "batches", "schedule")
    }
    assert rows(text) == real


def test_the_settings_shown_are_read(tmp_path):
    (tmp_path / "my.toml").write_text(TOML)
    told = read_settings(str(tmp_path / "my.toml"))
    assert (told.adapter.number, told.schedule.patience) == ("base", 5)


def test_the_settings_that_come_with_the_project_are_named():
    assert [name for name in shipped() if f"`{name}`" not in SETTINGS] == []
    assert [name for name in shipped() if read_settings(name).batches.tokens_at_once > 2048] == []


def command(start: str) -> str:
    """Return the first command line of the page that begins with `start`."""
    return next(line for line in PAGE.splitlines() if line.startswith(f"echo-memory {start}"))


@pytest.mark.finetune
def test_its_commands_run_one_after_the_other(tmp_path, monkeypatch):
    pytest.importorskip("peft", reason="the finetune extra is not installed")
    from tests.cli.test_finetune_examples import FEW, recorded
    from tests.finetune.examples.recorded_samples import memory
    from tests.finetune.training.tiny_models import text_base

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("echo-s100", "echo-s101"):
        recorded(tmp_path / "runs" / "unlock" / "memories" / name, *memory())
    text_base(tmp_path / "base")
    # A letter is a token here.
    longer = TOML.replace('"smollm2"', '"base"').replace("most_tokens = 1024", "most_tokens = 9000")
    (tmp_path / "my.toml").write_text(longer.replace("rows = 8", "rows = 1"))

    def run(start: str, *more: str) -> str:
        line = command(start).replace("smollm2-cpu", "my.toml").replace("smollm2", "base")
        words = shlex.split(line.replace("--most-tokens 1024", "--most-tokens 9000"))[1:]
        found = CliRunner().invoke(app, [*words, *more], catch_exceptions=False)
        assert found.exit_code == 0, found.output
        return found.stdout

    run("finetune examples", *FEW)
    run("finetune train", "--steps", "2")
    assert json.loads((tmp_path / "runs/tuned/run.json").read_text())["ended"]["steps"] == 2
    run("finetune evaluate", "--rows", "1", "--most-tokens", "4", "--column", "after")
    run("finetune merge")
    run("finetune export")
    held = {each.name for each in (tmp_path / "runs" / "packed").iterdir()}
    assert {"model.safetensors", "USE.md", "descriptor.schema.json", "tokenizer.json"} <= held
