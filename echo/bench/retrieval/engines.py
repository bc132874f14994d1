"""The engines that are compared: one protocol, and what each needs, is good for and is limited to."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol

from echo.bench.retrieval.question import Batch, Hit, Question

ECHO = "echo"


class Engine(Protocol):
    """A store of records that can be searched; opening one on a folder that has one goes on with it."""

    def add(self, batch: Batch) -> None:
        """Store a batch; it is on disk, and can be found, when this returns."""
        ...

    def finish(self) -> None:
        """Do what the engine's documentation advises after much was added: build indexes, compact."""
        ...

    def search(self, question: Question, k: int) -> list[Hit]:
        """Return the `k` best of those that pass the question's filter, best first, with evidence."""
        ...

    def delete(self, id: str) -> None:
        """Forget a record; it is not found any more when this returns."""
        ...

    def close(self) -> None:
        """Write what is still to be written and let go of the folder."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Entrant:
    """One engine and how it takes part."""

    name: str
    kind: Literal["ours", "exact", "approximate", "words"]
    how: str
    """Its set-up in a few words."""
    modules: tuple[str, ...]
    """What it imports, before any clock starts."""
    install: str = ""
    database: bool = False
    """Whether it is a database of its own, not a library with a file beside it."""
    limit: int | None = None
    """Largest size it is run at unless all is asked for."""

    @property
    def installed(self) -> bool:
        """Whether everything it imports is there."""
        return all(find_spec(module.partition(".")[0]) is not None for module in self.modules)


_PEERS = "echo.bench.retrieval.peers"

ENTRANTS: tuple[Entrant, ...] = (
    Entrant(
        name=ECHO,
        kind="ours",
        how="csd.bank.Bank, vectors given",
        modules=(f"{_PEERS}.echo_bank", "faiss", "numpy.ma"),
    ),
    Entrant(
        name="faiss-flat",
        kind="exact",
        modules=(f"{_PEERS}.faiss_flat", "faiss", "sqlite3"),
        how="IndexFlatIP over the five axes side by side, float32; records in SQLite",
    ),
    Entrant(
        name="numpy",
        kind="exact",
        modules=(f"{_PEERS}.numpy_axes", "sqlite3"),
        how="one float32 matrix an axis, unasked axes left out; records in SQLite",
    ),
    Entrant(
        name="lancedb",
        kind="exact",
        modules=(f"{_PEERS}.lance", "lancedb", "pyarrow"),
        install="lancedb",
        database=True,
        limit=100_000,
        how="no vector index (as advised up to 100k), scalar indexes, prefilter",
    ),
    Entrant(
        name="lancedb-ivf-rq",
        kind="approximate",
        modules=(f"{_PEERS}.lance", "lancedb", "pyarrow"),
        install="lancedb",
        database=True,
        limit=100_000,
        how="IVF_RQ (as advised with filters), refine factor 50, prefilter",
    ),
    Entrant(
        name="chroma",
        kind="approximate",
        modules=(f"{_PEERS}.chroma", "chromadb"),
        install="chromadb",
        database=True,
        limit=100_000,
        how="HNSW, inner product, ef_search 200, else default settings",
    ),
    Entrant(
        name="milvus-flat",
        kind="exact",
        modules=(f"{_PEERS}.milvus", "pymilvus", "milvus_lite"),
        install="'pymilvus[milvus-lite]'",
        database=True,
        limit=100_000,
        how="milvus-lite, FLAT, inner product",
    ),
    Entrant(
        name="milvus-hnsw",
        kind="approximate",
        modules=(f"{_PEERS}.milvus", "pymilvus", "milvus_lite"),
        install="'pymilvus[milvus-lite]'",
        database=True,
        limit=100_000,
        how="milvus-lite, HNSW M 16, efConstruction 200, ef 192",
    ),
    Entrant(
        name="bow",
        kind="words",
        modules=(f"{_PEERS}.bags", "sqlite3"),
        limit=10_000,
        how="word counts compared one by one, as in the released code; its ranking is not by vectors",
    ),
)


def entrant(name: str) -> Entrant:
    """Return the engine called `name`.

    Raises:
        ValueError: on an unknown name.
    """
    for one in ENTRANTS:
        if one.name == name:
            return one
    raise ValueError(f"expected an engine out of {', '.join(one.name for one in ENTRANTS)}; got {name!r}.")


def open_engine(name: str, folder: Path, dimension: int) -> Engine:
    """Open or make the store of engine `name` in `folder`, which is there."""
    match name:
        case "echo":
            from echo.bench.retrieval.peers.echo_bank import EchoBank

            return EchoBank(folder, dimension)
        case "faiss-flat":
            from echo.bench.retrieval.peers.faiss_flat import FaissFlat

            return FaissFlat(folder, dimension)
        case "numpy":
            from echo.bench.retrieval.peers.numpy_axes import NumpyAxes

            return NumpyAxes(folder, dimension)
        case "lancedb" | "lancedb-ivf-rq":
            from echo.bench.retrieval.peers.lance import Lance

            return Lance(folder, dimension, indexed=name != "lancedb")
        case "chroma":
            from echo.bench.retrieval.peers.chroma import Chroma

            return Chroma(folder)
        case "milvus-flat" | "milvus-hnsw":
            from echo.bench.retrieval.peers.milvus import Milvus

            return Milvus(folder, dimension, index="FLAT" if name == "milvus-flat" else "HNSW")
        case "bow":
            from echo.bench.retrieval.peers.bags import Bags

            return Bags(folder, dimension)
        case _:
            raise ValueError(f"expected an engine that is listed; got {name!r}.")
