"""How commands come to a bank: where it lies, and which encoder goes with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from csd.store.schema import BANK_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from csd.bank import Bank
    from csd.encode import Encoder

BANK_HELP = f"Bank file, or memory folder with {BANK_FILE} in it."

BankPath = Annotated[Path, typer.Option("--bank", metavar="PATH", help=BANK_HELP)]

BankArgument = Annotated[Path | None, typer.Argument(metavar="[BANK]", help=f"{BANK_HELP} As --bank.")]

OptionalBankPath = Annotated[Path | None, typer.Option("--bank", "--root", metavar="PATH", help=BANK_HELP)]

EncoderName = Literal["minilm-int8", "minilm-fp32", "hashing-256"]

EncoderChoice = Annotated[
    EncoderName | None,
    typer.Option("--encoder", help="Text encoder; left out: the bank's own."),
]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

NEW_BANK_ENCODER: EncoderName = "minilm-int8"


class NotEncoding:
    """Stands for the encoder of a bank where nothing has to be embedded; its package need not be there."""

    def __init__(self, name: str, dimension: int) -> None:
        """Stand for the encoder `name`."""
        self.name = name
        self.dimension = dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Refuse to embed anything but nothing.

        Raises:
            EncodeError: on any text.
        """
        import numpy as np

        from csd.encode import EncodeError

        if texts:
            raise EncodeError(
                f"expected no text to embed here; got {len(texts)}. Open the bank with its own encoder."
            )
        return np.zeros((0, self.dimension), dtype=np.float32)


class Later:
    """An encoder that is loaded when there is something to embed."""

    def __init__(self, name: EncoderName, dimension: int) -> None:
        """Stand for the encoder `name` until it is needed."""
        self.name = name
        self.dimension = dimension
        self._loaded: Encoder | None = None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return what the encoder does; see `csd.encode.Encoder.encode`."""
        if self._loaded is None:
            self._loaded = _load(self.name)
        return self._loaded.encode(texts)


def bank_encoder(file: Path) -> Later | None:
    """Return the encoder that filled the bank `file`; None where it is not one of ours, or cannot be read."""
    from csd.store.errors import BankError
    from csd.store.file import stored_identity

    try:
        identity = stored_identity(file)
    except (BankError, KeyError, ValueError):
        return None
    for name in get_args(EncoderName):
        if name == identity.encoder:
            return Later(name, identity.dimension)
    return None


def bank_file(path: Path) -> Path:
    """Return the bank file that `path` means: itself, or the one in that folder."""
    return path / BANK_FILE if path.is_dir() else path


def chosen_bank(argument: Path | None, option: Path | None) -> Path:
    """Return the bank file of a command that takes it as an argument or as --bank; see `chosen_path`."""
    return bank_file(chosen_path(argument, option))


def chosen_path(argument: Path | None, option: Path | None) -> Path:
    """Return the bank or folder that a command was given as an argument or as --bank, as it was named.

    Where nothing is named, the current folder is meant, if it is a memory.

    Raises:
        UsageError: if neither or both were given.
    """
    from echo.experiments.spec import UsageError
    from echo.mfm.layout import INDEX

    here = Path()
    if argument is None and option is None and ((here / BANK_FILE).exists() or (here / INDEX).exists()):
        return here
    if (argument is None) == (option is None):
        got = "none" if argument is None else "both BANK and --bank"
        raise UsageError(f"expected one bank; got {got}. Name it with --bank PATH.")
    return argument or option or here


def open_bank(path: Path, encoder: EncoderName | None = None, *, embeds: bool = True) -> Bank:
    """Open the bank at `path`, which must be there.

    Args:
        path: a bank file, or a memory folder.
        encoder: the one to open it with; None is the one that filled it.
        embeds: whether texts will be embedded; without it no model is loaded.

    Raises:
        BankError: if there is no bank, it is damaged, or another encoder filled it, or one not known here.
        EncodeError: if a package for its encoder is missing.
    """
    from csd.bank import Bank
    from csd.store.errors import BankError
    from csd.store.file import stored_identity

    file = bank_file(path)
    identity = stored_identity(file)
    if encoder is not None and encoder != identity.encoder:
        # `Bank.open` would say so too, after loading a model for nothing.
        raise BankError(
            f"expected a bank filled by {encoder} at {file}; got one filled by {identity.encoder}. Leave out "
            f"--encoder, or embed it anew: echo-memory reembed {file} --encoder {encoder}."
        )
    if not embeds:
        return Bank.open(file, NotEncoding(identity.encoder, identity.dimension), create=False)
    known = get_args(EncoderName)
    if identity.encoder not in known:
        raise BankError(
            f"expected a bank filled by one of {', '.join(known)} at {file}; got one filled by "
            f"{identity.encoder}. Use it from Python, with Bank.open and that encoder."
        )
    return Bank.open(file, _load(identity.encoder), create=False)


def open_or_make_bank(path: Path, encoder: EncoderName | None) -> Bank:
    """Open the bank at `path`, or make one there and say so on standard error."""
    from csd.bank import Bank

    file = bank_file(path)
    if file.exists():
        return open_bank(file, encoder)
    bank = Bank.open(file, _load(encoder or NEW_BANK_ENCODER))
    typer.echo(f"made the bank {file} for {bank.encoder.name}", err=True)
    return bank


def _load(name: str) -> Encoder:
    from csd.encode import load_encoder

    return load_encoder(name)
