"""One flat colour for every block: the project's own choice, made without looking at game art.

Blocks of the captured terrain and those a player makes early are set by hand to sit far apart; the rest
follow from words in their names (dye, wood, stone), and what no word places takes a colour from its
name's digest.
"""

from __future__ import annotations

import colorsys
import hashlib

Colour = tuple[int, int, int]

BY_NAME: dict[str, Colour] = {
    "air": (176, 214, 255), "cave_air": (16, 16, 48), "void_air": (0, 0, 0),
    "stone": (128, 128, 130), "cobblestone": (96, 108, 114), "smooth_stone": (160, 160, 162),
    "granite": (170, 100, 82), "polished_granite": (172, 118, 98), "diorite": (204, 206, 214),
    "polished_diorite": (220, 220, 222), "andesite": (132, 156, 138), "polished_andesite": (150, 160, 152),
    "deepslate": (70, 70, 82), "cobbled_deepslate": (96, 84, 96), "tuff": (112, 124, 92),
    "dripstone_block": (144, 124, 92), "pointed_dripstone": (112, 106, 40), "bedrock": (14, 14, 16),
    "dirt": (134, 90, 60), "coarse_dirt": (106, 74, 50), "grass_block": (94, 160, 58),
    "dirt_path": (156, 132, 76), "farmland": (92, 60, 36), "gravel": (168, 152, 146), "sand": (222, 210, 158),
    "clay": (158, 166, 180), "snow": (244, 250, 252), "snow_block": (240, 246, 250), "ice": (160, 196, 250),
    "water": (44, 92, 220), "lava": (236, 96, 18), "fire": (255, 160, 32),
    "oak_log": (96, 66, 26), "birch_log": (234, 226, 192), "oak_leaves": (52, 116, 34),
    "birch_leaves": (154, 172, 60), "oak_planks": (176, 140, 84), "birch_planks": (208, 190, 130),
    "oak_sapling": (76, 140, 48), "birch_sapling": (142, 178, 92), "grass": (124, 188, 72),
    "fern": (96, 150, 66), "tall_grass": (116, 178, 66), "glow_lichen": (116, 196, 176),
    "coal_ore": (56, 56, 52), "iron_ore": (200, 160, 132), "copper_ore": (196, 112, 72),
    "gold_ore": (232, 200, 60), "redstone_ore": (196, 30, 30), "lapis_ore": (40, 72, 176),
    "diamond_ore": (92, 226, 220), "emerald_ore": (40, 196, 90),
    "deepslate_coal_ore": (38, 42, 36), "deepslate_iron_ore": (178, 136, 124),
    "deepslate_copper_ore": (150, 76, 92), "deepslate_gold_ore": (184, 156, 48),
    "deepslate_redstone_ore": (146, 22, 30), "deepslate_lapis_ore": (32, 54, 138),
    "deepslate_diamond_ore": (66, 172, 178), "deepslate_emerald_ore": (32, 146, 76),
    "crafting_table": (172, 84, 30), "furnace": (84, 84, 132), "blast_furnace": (78, 78, 90),
    "smoker": (96, 84, 70), "chest": (172, 116, 40), "stonecutter": (132, 120, 112), "torch": (255, 216, 96),
    "wall_torch": (255, 216, 96), "ladder": (166, 126, 72), "obsidian": (30, 18, 48),
    "coal_block": (20, 20, 22), "iron_block": (216, 216, 220), "raw_iron_block": (178, 144, 116),
    "copper_block": (198, 110, 80), "raw_copper_block": (160, 108, 76), "gold_block": (246, 212, 64),
    "raw_gold_block": (224, 172, 50), "redstone_block": (176, 24, 8), "redstone_wire": (160, 0, 0),
    "lapis_block": (32, 68, 148), "diamond_block": (104, 236, 224), "emerald_block": (44, 208, 92),
    "glass": (212, 234, 240), "glass_pane": (206, 230, 238), "stone_bricks": (120, 120, 122),
    "bricks": (150, 92, 76), "bookshelf": (130, 98, 58), "netherrack": (108, 46, 46),
    "glowstone": (250, 218, 140), "white_wool": (234, 236, 238), "pumpkin": (218, 130, 30),
    "melon": (112, 150, 40), "cactus": (80, 130, 46), "cobweb": (226, 230, 232),
}  # fmt: skip
"""Chosen by hand."""

BY_WORD: tuple[tuple[str, Colour], ...] = (
    ("light_blue", (74, 176, 222)), ("light_gray", (152, 152, 146)), ("white", (232, 234, 236)),
    ("orange", (240, 122, 24)), ("magenta", (196, 76, 188)), ("yellow", (248, 206, 46)),
    ("lime", (118, 196, 32)), ("pink", (240, 148, 178)), ("gray", (72, 78, 82)), ("cyan", (24, 148, 158)),
    ("purple", (132, 48, 180)), ("blue", (58, 66, 168)), ("brown", (122, 78, 44)), ("green", (92, 120, 30)),
    ("black", (26, 26, 32)), ("dark_oak", (74, 48, 24)), ("oak", (170, 134, 80)), ("birch", (206, 188, 128)),
    ("spruce", (118, 88, 52)), ("jungle", (166, 120, 86)), ("acacia", (174, 96, 54)),
    ("crimson", (128, 42, 68)), ("warped", (46, 124, 120)), ("polished_blackstone", (54, 50, 58)),
    ("blackstone", (44, 38, 46)), ("deepslate", (76, 76, 84)), ("end_stone", (220, 224, 162)),
    ("red_sandstone", (188, 100, 34)), ("sandstone", (216, 204, 154)), ("prismarine", (98, 164, 150)),
    ("quartz", (236, 230, 222)), ("purpur", (168, 124, 168)), ("nether_brick", (46, 22, 28)),
    ("granite", (160, 110, 92)), ("diorite", (204, 204, 206)), ("andesite", (136, 144, 138)),
    ("cobblestone", (110, 110, 114)), ("stone", (132, 132, 134)), ("brick", (148, 92, 78)),
    ("oxidized", (84, 162, 134)), ("weathered", (110, 152, 110)), ("exposed", (162, 126, 104)),
    ("copper", (194, 108, 80)), ("amethyst", (136, 100, 192)), ("basalt", (80, 80, 86)),
    ("dead", (132, 124, 120)), ("tube", (50, 88, 206)), ("brain", (206, 92, 160)),
    ("bubble", (164, 26, 162)), ("horn", (216, 200, 66)), ("red", (160, 40, 34)), ("iron", (214, 214, 218)),
    ("gold", (244, 208, 62)), ("moss", (90, 112, 46)), ("snow", (242, 248, 252)), ("ice", (144, 182, 248)),
)  # fmt: skip
"""First match wins: longer words stand before the words they contain."""

_SHADE = 14
"""Greatest change of a channel that keeps blocks of one family apart."""


def block_colour(name: str) -> Colour:
    """Return the flat colour of the block `name`, RGB 0-255, the same on every machine.

    >>> block_colour("diamond_ore"), block_colour("red_wool")[0] > block_colour("red_wool")[2]
    ((92, 226, 220), True)
    """
    if name in BY_NAME:
        return BY_NAME[name]
    digest = hashlib.sha256(name.encode()).digest()
    for word, (red, green, blue) in BY_WORD:
        if word in name:
            shade = digest[0] % (2 * _SHADE + 1) - _SHADE
            return (_clamp(red + shade), _clamp(green + shade), _clamp(blue + shade))
    hue, saturation, value = digest[0] / 255, 0.35 + digest[1] / 510, 0.5 + digest[2] / 638
    red, green, blue = (round(255 * part) for part in colorsys.hsv_to_rgb(hue, saturation, value))
    return (red, green, blue)


def _clamp(channel: int) -> int:
    return max(0, min(255, channel))
