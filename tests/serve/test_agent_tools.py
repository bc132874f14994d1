from __future__ import annotations

from pathlib import Path

from echo.mfm.episodic.recorder import Recorder
from echo.mfm.options import MemoryOptions
from echo.mfm.turns.tools import EPISODES, allowed_tools
from echo.serve.agent_tools import agent_tools
from echo.serve.tools import every_tool
from tests.mfm.episodic.sample_steps import collect_log, picture, seen


def memory(root: Path) -> Path:
    with Recorder.open(root, source="test") as recorder:
        recorder.initial(seen(0, frame=picture(0)))
        recorder.write(goal="wood", steps=[collect_log(0, frame=picture(0))], after=seen(1, oak_log=1))
    return root


def test_an_agent_gets_every_tool_of_the_server_by_the_same_names(tmp_path: Path):
    root = memory(tmp_path)
    assert [tool.name for tool in agent_tools(root)] == [tool.name for tool in every_tool(root)]
    assert {tool.name for tool in agent_tools(root)} >= EPISODES


def test_an_opened_frame_comes_as_a_picture_and_names_its_episode(tmp_path: Path):
    tools = {tool.name: tool for tool in agent_tools(memory(tmp_path))}
    told = tools["inspect"].ask({"episode": "ep_000001", "frame": True})
    assert told.ok
    assert told.images[0].startswith(b"\x89PNG")
    assert told.viewed == ("ep_000001",)
    assert tools["inspect"].ask({"episode": "ep_000001"}).viewed == ()


def test_wrong_arguments_are_told_with_the_right_form_and_missing_episodes_by_name(tmp_path: Path):
    tools = {tool.name: tool for tool in agent_tools(memory(tmp_path))}
    wrong = tools["inspect"].ask({"episod": "ep_000001"})
    assert not wrong.ok
    assert wrong.text.startswith('expected {"episode": ..., "frame": false')
    missing = tools["inspect"].ask({"episode": "ep_000009"})
    assert not missing.ok
    assert "ep_000009" in missing.text


def test_a_direct_agent_keeps_its_files_and_procedures_only(tmp_path: Path):
    tools = agent_tools(memory(tmp_path))
    kept = {tool.name for tool in allowed_tools(tools, MemoryOptions(), direct=True)}
    assert kept == {tool.name for tool in tools} - EPISODES
    assert {"memory", "remember", "procedure_save"} <= kept
    flat = {tool.name for tool in allowed_tools(tools, MemoryOptions(index=False))}
    assert "inspect" in flat
    assert not flat & {"query", "places_near", "recall"}
