"""Every tool that a memory folder offers."""

from __future__ import annotations

from pathlib import Path

from echo.serve.encoders import Encoders
from echo.serve.reply import MemoryTool
from echo.serve.tools_evidence import Evidence
from echo.serve.tools_notes import Notes
from echo.serve.tools_places import PlaceTools
from echo.serve.tools_plan import Plan
from echo.serve.tools_procedures import Procedures
from echo.serve.tools_query import Query
from echo.serve.tools_recall import Recall
from echo.serve.tools_why import Why


def every_tool(root: Path, *, read_only: bool = False) -> list[MemoryTool]:
    """Return the tools of the memory at `root`, those that read first; with `read_only` no others.

    Raises:
        MfmError: if there is no memory at `root`.
    """
    encoders = Encoders()
    families = (
        Query(root, encoders),
        Evidence(root),
        PlaceTools(root),
        Recall(root, encoders, read_only=read_only),
        Why(root, read_only=read_only),
        Notes(root),
        Plan(root),
        Procedures(root),
    )
    tools = sorted((tool for family in families for tool in family.tools()), key=lambda tool: tool.writes)
    return [tool for tool in tools if not (read_only and tool.writes)]
