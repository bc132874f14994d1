from __future__ import annotations

import numpy as np
from PIL import Image

from echo.bench.evidence import View, hash_lines, vector_lines, views
from echo.mfm.evidence.pictures import open_picture, png_bytes


def ramp(*colour: int, turned: bool = False) -> bytes:
    share = np.linspace(0, 1, 64)[:, None, None] if turned else np.linspace(0, 1, 64)[None, :, None]
    return png_bytes(Image.fromarray(np.broadcast_to(share * colour, (64, 64, 3)).astype(np.uint8)))


RED, BLUE = ramp(255, 0, 0), ramp(0, 0, 255, turned=True)


def test_shares_count_the_views_within_the_bound_and_the_views_found_first():
    group = [
        View(place=(0, 0, 0), as_it_was=RED, changed={"same": RED, "swapped": BLUE}),
        View(place=(9, 0, 0), as_it_was=BLUE, changed={"same": BLUE, "swapped": RED}),
        View(place=(9, 3, 0), as_it_was=BLUE, changed={"same": BLUE, "swapped": RED}),
    ]
    head, others, same, swapped = hash_lines([group])
    assert head.startswith("screen_hash: 256 bits")
    # Two of three pairs are at least four blocks apart, and neither is alike.
    assert " ".join(others.split()) == "other places 0.00% of 2 pairs within 16 bits"
    assert " ".join(same.split()) == "same 100.00% within 16 bits, median 0"
    assert "0.00% within 16 bits" in swapped
    _, same, swapped = vector_lines([group])
    assert " ".join(same.split()) == "same found first 100%, among the first five 100%"
    assert " ".join(swapped.split()) == "swapped found first 0%, among the first five 100%"


def test_views_are_the_same_every_time_and_changed_ones_differ():
    (once,), (again,) = views(3, places=1), views(3, places=1)
    assert once == again
    assert open_picture(once.as_it_was, "it").size == (64, 64)
    assert once.changed["turned by 12 degrees"] != once.as_it_was
