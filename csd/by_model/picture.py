"""The frame that goes with an episode, for models that see."""

from __future__ import annotations

from io import BytesIO

from csd.episode import Episode
from csd.scene import scene_of


def picture(episode: Episode, product: str | None = None) -> bytes | None:
    """Return what was seen before the deciding step as a PNG file, or None where no frame was recorded."""
    from PIL import Image

    scene = scene_of(episode, product)
    frame = (episode.after if scene is None else scene.step.before).frame
    if frame is None:
        return None
    file = BytesIO()
    Image.fromarray(frame).save(file, "PNG")
    return file.getvalue()
