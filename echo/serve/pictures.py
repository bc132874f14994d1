"""What kind of picture some bytes are, by how they begin."""

from __future__ import annotations

_BEGINNINGS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def picture_type(data: bytes) -> str:
    r"""Return the media type of a picture.

    >>> picture_type(b"\x89PNG\r\n\x1a\n..."), picture_type(b"RIFF\0\0\0\0WEBP"), picture_type(b"text")
    ('image/png', 'image/webp', 'application/octet-stream')
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for begin, kind in _BEGINNINGS if data.startswith(begin)), "application/octet-stream")
