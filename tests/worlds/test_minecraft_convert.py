"""The converter on packages small enough to work out by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from echo.worlds.minecraft.convert import build_parser, main
from echo.worlds.minecraft.convert_blocks import block_drops
from echo.worlds.minecraft.convert_items import fuel_ticks
from echo.worlds.minecraft.convert_recipes import convert_recipes, convert_tags
from echo.worlds.minecraft.convert_sources import SourceError, SourcePackage
from echo.worlds.minecraft.convert_terrain import convert_terrain, read_sections, unpack
from echo.worlds.minecraft.facts import load_facts
from echo.worlds.minecraft.reachability import reachable
from echo.worlds.minecraft.rules import craft_result, smelt_result

ITEMS = ["air", "stone", "cobblestone", "oak_log", "oak_planks", "stick", "crafting_table", "wooden_pickaxe",
         "furnace", "dirt"]  # fmt: skip
IDS = {name: number for number, name in enumerate(ITEMS)}
NAMES = dict(enumerate(ITEMS))
BLOCKS = ["air", "stone", "cobblestone", "oak_log", "oak_planks", "crafting_table", "furnace", "dirt"]


def stack(name, count=1):
    return {"present": True, "itemId": IDS[name], "itemCount": count}


def shaped(identity, result, count, rows):
    """A recipe as the recorder nests it: width lists of height cells, filled row by row."""
    wide, high = len(rows[0]), len(rows)
    cells = [[stack(cell)] if cell else [] for row in rows for cell in row]
    nested = [cells[start : start + high] for start in range(0, wide * high, high)]
    data = {"width": wide, "height": high, "group": "", "ingredients": nested, "result": stack(result, count)}
    return {"type": "minecraft:crafting_shaped", "recipeId": f"minecraft:{identity}", "data": data}


def recipe_packet():
    plank, stick = "oak_planks", "stick"
    smelting = {"group": "", "ingredient": [stack("cobblestone")], "result": stack("stone"),
                "experience": 0.10000000149011612, "cookTime": 200}  # fmt: skip
    planks = {"group": "", "ingredients": [[stack("oak_log")]], "result": stack("oak_planks", 4)}
    return {
        "recipes": [
            shaped("stick", "stick", 4, [[plank], [plank]]),
            shaped("crafting_table", "crafting_table", 1, [[plank, plank], [plank, plank]]),
            shaped("wooden_pickaxe", "wooden_pickaxe", 1,
                   [[plank] * 3, [None, stick, None], [None, stick, None]]),
            shaped("furnace", "furnace", 1,
                   [["cobblestone"] * 3, ["cobblestone", None, "cobblestone"], ["cobblestone"] * 3]),
            {"type": "minecraft:crafting_shapeless", "recipeId": "minecraft:oak_planks", "data": planks},
            {"type": "minecraft:smelting", "recipeId": "minecraft:stone", "data": smelting},
            {"type": "minecraft:crafting_special_repairitem", "recipeId": "minecraft:repair_item"},
        ]
    }  # fmt: skip


def varint(number):
    out = []
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return [*out, number]


def section_bytes(states, palette, bits):
    """One 16x16x16 section: states in wire order (y, then z, then x)."""
    entries = [palette.index(state) for state in states] if palette else states
    per_long = 64 // bits
    longs = [
        sum(entry << (bits * place) for place, entry in enumerate(entries[start : start + per_long]))
        for start in range(0, 4096, per_long)
    ]
    head = [0x10, 0x00, bits]
    if palette:
        head += varint(len(palette)) + [byte for state in palette for byte in varint(state)]
    return [*head, *varint(len(longs)), *(byte for long in longs for byte in long.to_bytes(8, "big"))]


def chunk(states, palette, bits, x=0, z=0):
    return {"x": x, "z": z, "bitMap": [[0, 1]], "biomes": [4] * 1024,
            "chunkData": {"type": "Buffer", "data": section_bytes(states, palette, bits)}}  # fmt: skip


def flat_world():
    """Stone up to y 7, one oak log at (x 3, y 8, z 5), air above."""
    states = [1 if place < 8 * 256 else 0 for place in range(4096)]
    states[8 * 256 + 5 * 16 + 3] = 3
    return states


def block_row(number, name):
    mineable = {"stone", "cobblestone", "furnace"}
    row = {"id": number, "name": name, "hardness": 1.5, "minStateId": number, "maxStateId": number,
           "boundingBox": "empty" if name == "air" else "block"}  # fmt: skip
    return row | ({"harvestTools": {str(IDS["wooden_pickaxe"]): True}} if name in mineable else {})


def write_sources(root: Path) -> tuple[Path, Path]:
    loot = [{"block": name, "drops": [{"item": "cobblestone" if name == "stone" else name, "dropChance": 0.5,
             "stackSizeRange": [1, 1]}]} for name in BLOCKS if name != "air"]  # fmt: skip
    tags = [
        {"tagType": "minecraft:item",
         "tags": [{"tagName": "minecraft:planks", "entries": [IDS["oak_planks"]]},
                  {"tagName": "minecraft:logs", "entries": [IDS["oak_log"]]}]},
        {"tagType": "minecraft:block",
         "tags": [{"tagName": "minecraft:mineable/pickaxe", "entries": [1]}]},
        {"tagType": "minecraft:fluid", "tags": []},
    ]  # fmt: skip
    packets, data = "minecraft-packets/data/pc/{}/from-server/{}/1.json", "minecraft-data/data/{}.json"
    paths = dict.fromkeys(("items", "blocks", "blockLoot", "foods", "biomes"), "pc/1.17")
    contents = {
        "packets": {
            "package.json": {"name": "minecraft-packets", "version": "1.9.0", "license": "MIT"},
            packets.format("1.17.1", "declare_recipes"): recipe_packet(),
            packets.format("1.16.5", "declare_recipes"): recipe_packet(),
            packets.format("1.17.1", "tags"): {"tags": tags},
            packets.format("1.17.1", "map_chunk"): chunk(flat_world(), [0, 1, 3], 4),
        },
        "data": {
            "package.json": {
                "name": "minecraft-data",
                "version": "3.119.0",
                "license": "MIT",
                "author": "Someone <someone@example.org>",
            },
            data.format("dataPaths"): {"pc": {"1.17.1": paths}},
            data.format("pc/1.17/items"): [
                {"id": number, "name": name, "stackSize": 64} for name, number in IDS.items()
            ],
            data.format("pc/1.17/blocks"): [block_row(number, name) for number, name in enumerate(BLOCKS)],
            data.format("pc/1.17/blockLoot"): loot,
            data.format("pc/1.17/foods"): [],
            data.format("pc/1.17/biomes"): [{"id": 4, "name": "forest"}],
        },
    }
    for package, files in contents.items():
        for path, content in files.items():
            place = root / package / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(content))
    return root / "packets", root / "data"


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, Path]:
    return write_sources(tmp_path)


def convert_to(out: Path, sources: tuple[Path, Path], *options: str) -> int:
    packets, data = sources
    return main(["--packets", str(packets), "--data", str(data), "--out", str(out), *options])


def test_a_conversion_can_be_loaded_and_played(sources, tmp_path, capsys):
    assert convert_to(tmp_path / "out", sources) == 0
    facts = load_facts("1.17.1", tmp_path / "out")
    assert [recipe.id for recipe in facts.recipes] == [
        "crafting_table", "furnace", "oak_planks", "stick", "stone", "wooden_pickaxe",
    ]  # fmt: skip
    assert facts.special_recipes == ("repair_item",)
    assert craft_result(facts, [["oak_planks", None], ["oak_planks", None]]) == ("stick", 4)
    assert smelt_result(facts, "cobblestone") == ("stone", 1)
    assert facts.terrain.palette == ("air", "oak_log", "stone")
    assert facts.terrain.blocks.shape == (16, 16, 16)
    assert np.argwhere(facts.terrain.blocks == 1).tolist() == [[3, 8, 5]]
    assert (facts.terrain.blocks[:, :8, :] == 2).all()
    assert (facts.terrain.biome, facts.terrain.min_y) == ("forest", 0)
    assert facts.items["oak_planks"].fuel_ticks == 300
    assert facts.blocks["air"].hardness is None
    layers = reachable(facts).layers
    assert dict(layers) == {
        "oak_log": 0, "oak_planks": 1, "crafting_table": 2, "stick": 2, "wooden_pickaxe": 3,
        "cobblestone": 4, "furnace": 5, "stone": 6,
    }  # fmt: skip
    assert "card.json" in capsys.readouterr().out


def test_two_conversions_in_two_processes_are_byte_identical(sources, tmp_path):
    packets, data = sources
    for name, seed in (("one", "1"), ("two", "2")):
        command = [sys.executable, "-m", "echo.worlds.minecraft.convert", "--packets", str(packets),
                   "--data", str(data), "--out", str(tmp_path / name), "--json"]  # fmt: skip
        # Another hash seed orders sets otherwise: nothing may depend on it.
        done = subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)["version"] == "1.17.1"
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "two").iterdir())
    assert len(names) == 9
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_card_names_each_source_file_read(sources, tmp_path, capsys):
    assert convert_to(tmp_path / "out", sources, "--json") == 0
    card = json.loads(capsys.readouterr().out)
    assert card == json.loads((tmp_path / "out" / "card.json").read_text())
    assert [len(source["files"]) for source in card["sources"]] == [4, 6]
    assert [source["author"] for source in card["sources"]] == ["unknown", "Someone"]
    assert card["counts"]["reachable"] == 8
    assert card["counts"]["layers"] == 7


def test_a_package_unpacked_as_npm_packs_it_is_found(sources):
    packets, _ = sources
    inner = packets.parent / "outer" / "package"
    inner.parent.mkdir()
    packets.rename(inner)
    assert SourcePackage.from_folder(inner.parent, "minecraft-packets").root == inner


def test_a_missing_package_exits_with_2_and_says_how_to_get_it(sources, tmp_path, capsys):
    _, data = sources
    assert convert_to(tmp_path / "out", (tmp_path / "nowhere", data)) == 2
    assert "got no package.json there. Unpack it with: npm pack minecraft-packets" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_packages_given_the_wrong_way_round_are_refused(sources, tmp_path, capsys):
    packets, data = sources
    assert convert_to(tmp_path / "out", (data, packets)) == 2
    assert "expected the npm package 'minecraft-packets'; got 'minecraft-data'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("packets/minecraft-packets/data/pc/1.17.1/from-server/tags/1.json", '{"tags": [', "expected JSON"),
        ("packets/minecraft-packets/data/pc/1.17.1/from-server/tags/1.json", "{}",
         "expected item and block tags"),
        ("packets/minecraft-packets/data/pc/1.17.1/from-server/declare_recipes/1.json", "{}",
         "expected recipes in"),
        ("data/minecraft-data/data/dataPaths.json", '{"pc": {}}', "expected tables of Minecraft 1.17.1"),
        ("data/minecraft-data/data/pc/1.17/items.json", '[{"id": 1}]', "expected tables of Minecraft 1.17.1"),
        ("data/minecraft-data/data/pc/1.17/blockLoot.json", '[{"block": "stone"}]',
         "expected the layout of minecraft-packets 1.9.0 and minecraft-data 3.119.0; got KeyError 'drops'"),
    ],
)  # fmt: skip
def test_a_damaged_source_exits_with_2_and_writes_nothing(sources, tmp_path, capsys, path, content, message):
    (tmp_path / path).write_text(content)
    assert convert_to(tmp_path / "out", sources) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_missing_source_file_is_named(sources, tmp_path, capsys):
    (tmp_path / "data/minecraft-data/data/pc/1.17/foods.json").unlink()
    assert convert_to(tmp_path / "out", sources) == 2
    assert "expected the file minecraft-data/data/pc/1.17/foods.json" in capsys.readouterr().err


def test_help_shows_an_example():
    assert "npm pack minecraft-packets@1.9.0 minecraft-data@3.119.0" in build_parser().format_help()


def test_a_recipe_of_unknown_kind_or_item_is_refused_by_its_id():
    packet = {"recipes": [{"type": "minecraft:brewing", "recipeId": "minecraft:tea", "data": {}}]}
    with pytest.raises(SourceError, match="unknown recipe kind 'brewing' at recipe 'tea'"):
        convert_recipes(packet, NAMES, "1.json")
    packet = recipe_packet()
    packet["recipes"][0]["data"]["result"]["itemId"] = 999
    with pytest.raises(SourceError, match="KeyError 999 at recipe 'stick'"):
        convert_recipes(packet, NAMES, "1.json")


def test_a_shaped_recipe_with_missing_cells_is_refused():
    packet = recipe_packet()
    packet["recipes"][1]["data"]["width"] = 3
    with pytest.raises(SourceError, match="4 cells for a 3 by 2 grid at recipe 'crafting_table'"):
        convert_recipes(packet, NAMES, "1.json")


def test_a_wide_pattern_is_read_row_by_row():
    packet = {"recipes": [shaped("odd", "stone", 1, [["dirt", None, "stick"], ["stone", "dirt", None]])]}
    (recipe,) = convert_recipes(packet, NAMES, "1.json").recipes
    assert recipe.rows == [[["dirt"], [], ["stick"]], [["stone"], ["dirt"], []]]


def test_a_tag_with_an_unknown_id_is_refused():
    packet = {"tags": [{"tagType": "minecraft:item", "tags": [{"tagName": "minecraft:x", "entries": [77]}]}]}
    with pytest.raises(SourceError, match="expected a known item id; got 77"):
        convert_tags(packet, NAMES, {}, "1.json")


def test_bit_packed_numbers_do_not_cross_longs():
    # Five bits: twelve numbers a long, four bits of padding, 342 longs for 4,096 numbers.
    numbers = [(7 * place) % 32 for place in range(4096)]
    longs = [
        sum(number << (5 * place) for place, number in enumerate(numbers[start : start + 12]))
        for start in range(0, 4096, 12)
    ]
    assert len(longs) == 342
    packed = b"".join(long.to_bytes(8, "big") for long in longs)
    assert unpack(packed, 5).tolist() == numbers
    with pytest.raises(ValueError, match="2728 bytes for 342 longs"):
        unpack(packed[:-8], 5)


def test_a_section_without_a_palette_holds_states_directly():
    states = [(place * 13) % 20000 for place in range(4096)]
    sections = read_sections(chunk(states, [], 15), "1.json")
    assert list(sections) == [0]
    # Wire order is y, z, x; ours is x, z, y.
    assert sections[0][3, 5, 8] == states[8 * 256 + 5 * 16 + 3]


def test_chunk_data_that_end_early_or_go_on_are_refused():
    packet = chunk(flat_world(), [0, 1, 3], 4)
    packet["chunkData"]["data"] = packet["chunkData"]["data"][:-1]
    with pytest.raises(
        SourceError, match=r"expected 1 chunk sections; got 0 before the data failed at byte 0"
    ):
        read_sections(packet, "1.json")
    packet = chunk(flat_world(), [0, 1, 3], 4)
    packet["chunkData"]["data"].append(0)
    with pytest.raises(SourceError, match=r"to use all 2058 bytes; used 2057"):
        read_sections(packet, "1.json")


def test_columns_are_joined_in_place_and_gaps_are_refused():
    states, names = {0: "air", 1: "stone", 3: "oak_log"}, {4: "forest"}
    empty, log = [0] * 4096, flat_world()
    both = [("1", chunk(empty, [0], 4, x=-5, z=-23)), ("2", chunk(log, [0, 1, 3], 4, x=-5, z=-22))]
    terrain = convert_terrain(both, states, names)
    assert (terrain.shape, terrain.origin) == ((16, 16, 32), (-80, -368))
    flat = np.repeat([n for n, _ in terrain.runs], [length for _, length in terrain.runs])
    assert np.argwhere(flat.reshape(16, 32, 16) == 1).tolist() == [[3, 16 + 5, 8]]
    gap = [both[0], ("2", chunk(log, [0, 1, 3], 4, x=-5, z=-21))]
    with pytest.raises(SourceError, match="expected chunk columns that fill 1 by 3; got 2"):
        convert_terrain(gap, states, names)


def test_an_unknown_block_state_is_refused():
    with pytest.raises(SourceError, match=r"expected known block states; got \[3\]"):
        convert_terrain([("1", chunk(flat_world(), [0, 1, 3], 4))], {0: "air", 1: "stone"}, {4: "forest"})


def test_drops_leave_silk_touch_out_and_take_single_amounts():
    loot = {
        "ice": [{"item": "ice", "dropChance": 1, "stackSizeRange": [1, 1], "silkTouch": True}],
        "oak_slab": [{"item": "oak_slab", "dropChance": 1, "stackSizeRange": [2, 2]}],
        "bookshelf": [
            {"item": "bookshelf", "dropChance": 0.5, "stackSizeRange": [1, 1], "silkTouch": True},
            {"item": "book", "dropChance": 0.5, "stackSizeRange": [3, 3], "noSilkTouch": True},
        ],
    }
    drops = {
        name: [(drop.item, drop.low, drop.high, drop.chance) for drop in block_drops(name, loot, {"torch"})]
        for name in ("ice", "oak_slab", "bookshelf", "wall_torch", "nothing_known")
    }
    assert drops == {
        "ice": [],
        "oak_slab": [("oak_slab", 1, 1, 1.0)],
        "bookshelf": [("book", 3, 3, 1.0)],
        "wall_torch": [("torch", 1, 1, 1.0)],
        "nothing_known": [],
    }


def test_wood_that_does_not_burn_is_no_fuel_whatever_its_tags():
    tags = {"planks": ["oak_planks", "warped_planks"], "non_flammable_wood": ["warped_planks"]}
    fuels = fuel_ticks(tags)
    assert fuels["oak_planks"] == 300
    assert "warped_planks" not in fuels
