"""The closed vocabulary of descriptor statements: which predicates an axis may hold, and what they mean.

A statement is a triple (subject, predicate, value). Subjects and item-valued values are names as the
agent saw them; a predicate says what was *perceived*. Nothing here can hold a fact that the agent had
no way to see: this table is the audit of every field a descriptor may carry.
"""

from __future__ import annotations

from csd.axes import Axis

PREDICATES: dict[Axis, dict[str, str]] = {
    Axis.STRUCT: {
        "grid": "product -> rows of the laid grid, trimmed, one letter per item kind ('AAA/.B./.B.')",
        "fills": "item -> the letter it stands for in the grid",
        "cells": "item -> how many cells of the grid it fills",
        "part": "item -> its place in the arrangement (ring, top row, middle column, lower stem, all, ...)",
        "above": "letter -> letter below it in the same column",
        "beside": "letter -> letter next to it in the same row",
        "symmetry": "product -> symmetry of the grid (mirror, full, none)",
        "slot": "item -> station slot it was put into (input, fuel)",
        "lies": "block -> where it was found (above, level, below the feet) and how far, in blocks",
        "near": "block -> kind of another block that was nearest to it",
    },
    Axis.ATTR: {
        "colour": "block or item -> colour word of its drawn block",
        "stack_size": "item -> how many fit on one slot, as the inventory shows it",
        "placeable": "item -> whether placing it put a block into the world",
        "dig_ticks": "block -> time measured to dig it, with the item then held",
        "yielded_to": "block -> item that was held when it dropped something",
        "refused": "block -> item that was held when it dropped nothing",
        "drops": "block -> item that came out of it",
        "wears": "item -> whether use wore it down",
        "edible": "item -> whether eating it worked",
        "burns": "item -> whether it was taken as fuel",
    },
    Axis.PROC: {
        "made_by": "product -> verb that made it (craft, smelt, collect, attack)",
        "consumes": "product -> item used up, with how many ('brass_plate x3')",
        "yields": "product -> how many came out",
        "after": "product -> item or block that had to be there before (tool, station, input)",
        "step": "position in the episode ('1', '2', ...) -> what was done",
        "ticks": "product -> world time the making took",
    },
    Axis.FUNC: {
        "plays": "item -> role played (head, handle, shell, core, body, charge, fuel, tool, station, ...)",
        "supports": "item -> item whose partner it was in the grid",
        "serves": "item -> product it became part of",
        "opens": "item -> block that yielded only to it",
        "affords": "block -> what could be done beside it (grid3, smelt)",
    },
    Axis.INTER: {
        "tried": "action in words -> outcome code (ok, no_result, no_station, ...)",
        "feedback": "action in words -> what changed (inventory changes, events)",
        "failed": "action in words -> message of a failure on the way",
        "station": "product -> station used ('none' when made by hand)",
    },
}
"""Axis -> predicate -> meaning. `csd.descriptor` refuses any other predicate."""
