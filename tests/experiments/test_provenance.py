from __future__ import annotations

from echo.experiments.provenance import tell_foreign
from echo.experiments.results import RunResult
from echo.experiments.spec import UnlockSpec
from tests.experiments.fakes import make_run

NOW = "a" * 40
VERSIONS = {"python": "3.11.9", "numpy": "2.0"}


def made(seed: int, commit: str | None, versions: dict[str, str]) -> RunResult:
    run = make_run(UnlockSpec(agent="echo", seed=seed, steps=20), 3)
    return run.model_copy(update={"commit": commit, "versions": versions})


def test_results_of_the_same_code_are_no_news():
    assert tell_foreign([made(0, NOW, VERSIONS), made(1, NOW, dict(VERSIONS))], NOW, VERSIONS) is None
    assert tell_foreign([], NOW, VERSIONS) is None


def test_results_of_other_code_are_counted_with_their_commits_and_versions():
    kept = [
        made(0, NOW, VERSIONS),
        made(1, "b" * 40 + "+changes", VERSIONS),
        made(2, None, {"python": "3.11.9"}),
        made(3, NOW, {**VERSIONS, "numpy": "1.9"}),
    ]
    assert tell_foreign(kept, NOW, VERSIONS) == (
        "3 of 4 kept results made with commit bbbbbbbbbbbb+changes, commit unknown, numpy absent, numpy 1.9; "
        "this is commit aaaaaaaaaaaa. To play all anew, choose another --out."
    )
