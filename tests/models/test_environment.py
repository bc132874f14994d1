"""How commands ask models, as the environment says."""

from __future__ import annotations

import pytest

from csd.chat import Message, ModelError
from echo.experiments.reasoner import resolved
from echo.experiments.spec import UsageError
from echo.models.named import model_named
from echo.models.settings import ModelSettings, from_environment
from tests.models.fake_server import said, serving

QUESTION = (Message(role="user", text="What burns?"),)


def test_nothing_set_is_the_defaults():
    assert from_environment({}) == ModelSettings()
    assert from_environment({"ECHO_MODEL_TIMEOUT": " "}, seed=3) == ModelSettings(seed=3)


def test_each_variable_is_read(tmp_path):
    told = {
        "ECHO_MODEL_CACHE": str(tmp_path),
        "ECHO_MODEL_PRICES": "0.15,0.60",
        "ECHO_MODEL_TIMEOUT": "7.5",
        "ECHO_MODEL_RETRIES": "0",
        "ECHO_MODEL_AT_ONCE": "2",
    }
    assert from_environment(told) == ModelSettings(
        cache=tmp_path, prompt_price=0.15, completion_price=0.6, timeout=7.5, retries=0, concurrency=2
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ECHO_MODEL_PRICES", "0.15"),
        ("ECHO_MODEL_PRICES", "a,b"),
        ("ECHO_MODEL_PRICES", "-1,2"),
        ("ECHO_MODEL_PRICES", "nan,2"),
        ("ECHO_MODEL_TIMEOUT", "soon"),
        ("ECHO_MODEL_TIMEOUT", "0"),
        ("ECHO_MODEL_RETRIES", "-1"),
        ("ECHO_MODEL_AT_ONCE", "1.5"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(monkeypatch, name, value):
    with pytest.raises(ModelError, match=rf"expected {name} .*{value}.*unset it"):
        from_environment({name: value})
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=name):
        resolved("openai:small")


def test_a_second_life_answers_from_the_cache_and_money_is_counted(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ECHO_MODEL_CACHE", str(tmp_path))
    monkeypatch.setenv("ECHO_MODEL_PRICES", "0.15,0.60")
    with serving(said("coal")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        first = model_named("openai:small", settings=from_environment())(QUESTION)
        second = model_named("openai:small", settings=from_environment())(QUESTION)
        assert len(server.asked) == 1
    assert (first.text, second.text) == ("coal", "coal")
    assert first.money == pytest.approx((7 * 0.15 + 3 * 0.60) / 1e6)
    assert (first.cached, second.cached) == (False, True)
