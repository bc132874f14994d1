"""What else belongs to an episode: named bytes in its folder `attachment/`."""

from __future__ import annotations

from collections.abc import Mapping

from echo.mfm.layout import ATTACHMENT

MOST_NAME_BYTES = 200


def attachment_files(attachments: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of `attachments`, path within the episode folder -> content, in their order.

    Raises:
        ValueError: on a name that is no plain file name, or that differs from another only in upper and
            lower case.
        TypeError: on content that is not bytes.
    """
    files: dict[str, bytes] = {}
    taken: dict[str, str] = {}
    for name, data in attachments.items():
        _check_name(name)
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(
                f"expected bytes in the attachment {name!r}, got {type(data).__name__}. Encode it first."
            )
        other = taken.setdefault(name.casefold(), name)
        if other != name:
            raise ValueError(
                f"expected attachment names that differ in more than case, got {other!r} and {name!r}. "
                f"Rename one; some file systems hold only one of them."
            )
        files[f"{ATTACHMENT}/{name}"] = bytes(data)
    return files


def _check_name(name: str) -> None:
    wrong = (
        not isinstance(name, str)
        or not name
        or name.startswith(".")
        or name != name.strip()
        or any(sign in "/\\" or not sign.isprintable() for sign in name)
        or len(name.encode("utf-8", "surrogatepass")) > MOST_NAME_BYTES
    )
    if wrong:
        raise ValueError(
            f"expected a plain file name of at most {MOST_NAME_BYTES} bytes for an attachment, without '/', "
            f"'\\' and control characters and not beginning with a dot, got {name!r}. Rename it."
        )
