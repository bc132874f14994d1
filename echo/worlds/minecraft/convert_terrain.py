"""Read the recorded chunk columns: bit-packed block numbers behind a palette for each 16x16x16 section.

Source: the chunk format of protocol 755/756 (Minecraft 1.17), as minecraft.wiki describes it: big-endian
longs, entries never span two longs, no palette above 8 bits an entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from echo.worlds.minecraft.convert_sources import SourceError
from echo.worlds.minecraft.facts_files import TerrainRecord

SECTION = 16
MIN_Y = 0
"""Lowest block of the overworld in 1.17.1."""
_VOLUME = SECTION**3
_LARGEST_PALETTE_BITS = 8


def state_names(blocks: list[dict[str, Any]]) -> dict[int, str]:
    """Return block-state id to block name."""
    return {
        state: str(block["name"])
        for block in blocks
        for state in range(block["minStateId"], block["maxStateId"] + 1)
    }


def convert_terrain(
    chunks: list[tuple[str, dict[str, Any]]], states: Mapping[int, str], biomes: Mapping[int, str]
) -> TerrainRecord:
    """Join neighbouring chunk columns into one block of terrain.

    Args:
        chunks: (path, ``map_chunk`` packet) of columns that together fill a rectangle.
        states: block-state id to block name.
        biomes: biome id to name.

    Raises:
        SourceError: if a column cannot be read, or the columns leave gaps.
    """
    columns: dict[tuple[int, int], dict[int, NDArray[np.int64]]] = {}
    seen: Counter[int] = Counter()
    for where, packet in chunks:
        columns[(packet["x"], packet["z"])] = read_sections(packet, where)
        seen.update(packet["biomes"])
    left, near = min(x for x, _ in columns), min(z for _, z in columns)
    wide = max(x for x, _ in columns) - left + 1
    deep = max(z for _, z in columns) - near + 1
    if len(columns) != wide * deep:
        raise SourceError(
            f"expected chunk columns that fill {wide} by {deep}; got {len(columns)}: {sorted(columns)}."
        )
    high = max(max(sections) for sections in columns.values()) + 1
    blocks = np.zeros((wide * SECTION, deep * SECTION, high * SECTION), dtype=np.int64)
    for (x, z), sections in columns.items():
        for y, section in sections.items():
            east, south, up = ((n * SECTION) for n in (x - left, z - near, y))
            blocks[east : east + SECTION, south : south + SECTION, up : up + SECTION] = section
    biome = biomes[min(seen, key=lambda number: (-seen[number], number))]
    return _record(blocks, states, biome, (left * SECTION, near * SECTION))


def _record(
    blocks: NDArray[np.int64], states: Mapping[int, str], biome: str, origin: tuple[int, int]
) -> TerrainRecord:
    present = [int(state) for state in np.unique(blocks)]
    unknown = [state for state in present if state not in states]
    if unknown:
        raise SourceError(f"expected known block states; got {unknown[:5]} in the chunks.")
    palette = sorted({states[state] for state in present})
    numbers = np.array([palette.index(states[state]) for state in present])
    flat = numbers[np.searchsorted(np.array(present), blocks)].reshape(-1)
    starts = np.concatenate(([0], np.flatnonzero(np.diff(flat)) + 1))
    lengths = np.diff(np.concatenate((starts, [flat.size])))
    wide, deep, high = blocks.shape
    return TerrainRecord(
        palette=palette,
        shape=(wide, high, deep),
        runs=[(int(flat[start]), int(length)) for start, length in zip(starts, lengths, strict=True)],
        min_y=MIN_Y,
        biome=biome,
        origin=origin,
    )


def read_sections(packet: dict[str, Any], where: str) -> dict[int, NDArray[np.int64]]:
    """Return the sections of one chunk column by height.

    Returns:
        Section number (0 lowest) to block states, (16, 16, 16) as (x, z, y).

    Raises:
        SourceError: if the data end early or go on after the last section.
    """
    data = bytes(packet["chunkData"]["data"])
    words = [((high & 0xFFFFFFFF) << 32) | (low & 0xFFFFFFFF) for high, low in packet["bitMap"]]
    present = [64 * place + bit for place, word in enumerate(words) for bit in range(64) if (word >> bit) & 1]
    sections: dict[int, NDArray[np.int64]] = {}
    offset = 0
    try:
        for y in present:
            sections[y], offset = _section(data, offset)
    except (IndexError, ValueError) as error:
        raise SourceError(
            f"expected {len(present)} chunk sections; got {len(sections)} before the data failed at byte "
            f"{offset} of {len(data)} ({error}), in {where}. Unpack the package again."
        ) from error
    if offset != len(data) or not sections:
        raise SourceError(
            f"expected {len(present)} chunk sections to use all {len(data)} bytes; used {offset}, in {where}."
        )
    return sections


def _section(data: bytes, offset: int) -> tuple[NDArray[np.int64], int]:
    bits = data[offset + 2]
    offset += 3
    palette: list[int] = []
    if bits <= _LARGEST_PALETTE_BITS:
        count, offset = _varint(data, offset)
        for _ in range(count):
            state, offset = _varint(data, offset)
            palette.append(state)
    longs, offset = _varint(data, offset)
    states = unpack(data[offset : offset + 8 * longs], bits)
    if palette:
        states = np.array(palette, dtype=np.int64)[states]
    # On the wire y is outermost and x innermost.
    return states.reshape(SECTION, SECTION, SECTION).transpose(2, 1, 0), offset + 8 * longs


def unpack(packed: bytes, bits: int) -> NDArray[np.int64]:
    """Return the 4,096 numbers of `bits` bits each in big-endian longs, lowest bits first.

    Raises:
        ValueError: if the longs are not as many as that takes.
    """
    if not 1 <= bits <= 32:
        raise ValueError(f"{bits} bits an entry")
    per_long = 64 // bits
    longs = -(-_VOLUME // per_long)
    if len(packed) != 8 * longs:
        raise ValueError(f"{len(packed)} bytes for {longs} longs")
    words = np.frombuffer(packed, dtype=">u8").astype(np.uint64)
    shifts = np.arange(per_long, dtype=np.uint64) * np.uint64(bits)
    numbers = (words[:, None] >> shifts) & np.uint64((1 << bits) - 1)
    return numbers.reshape(-1)[:_VOLUME].astype(np.int64)


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[offset]
        offset += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, offset
