"""The fields of a Milvus collection, and what Milvus means when it says no."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from csd.axes import AXES
from csd.milvus.layout import MARKS, PIECE_CHARACTERS
from csd.store.errors import BankError
from csd.store.rows import MAX_RECORD_BYTES


def collection_schema(dimension: int, description: str) -> Any:
    """Return the pymilvus schema of a bank's collection.

    Args:
        dimension: length of a vector.
        description: what a server keeps beside the collection.
    """
    from pymilvus import DataType, MilvusClient

    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False, description=description)
    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=20)
    for axis in AXES:
        schema.add_field(axis.value, DataType.FLOAT_VECTOR, dim=dimension)
        schema.add_field(f"has_{axis}", DataType.BOOL)
    schema.add_field("success", DataType.BOOL)
    for name in ("task", "verb", "product", "world", "biome", "superseded_by"):
        schema.add_field(name, DataType.VARCHAR, max_length=256)
    for name in ("step", "recorded", "valid_from", "superseded_step", "superseded_at"):
        schema.add_field(name, DataType.INT64)
    for name in ("x", "z"):
        schema.add_field(name, DataType.DOUBLE)
    schema.add_field("filings", DataType.VARCHAR, max_length=65_535)
    lists = (
        ("record", PIECE_CHARACTERS, MAX_RECORD_BYTES // PIECE_CHARACTERS + 1),
        ("filed", 1024, MARKS),
        ("derived_from", 20, MARKS),
    )
    for name, length, capacity in lists:
        schema.add_field(
            name,
            DataType.ARRAY,
            element_type=DataType.VARCHAR,
            max_length=length,
            max_capacity=capacity,
        )
    return schema


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn what Milvus says into a `BankError` that says what to do.

    Raises:
        BankError: in place of what pymilvus and gRPC raise, and for a text that is no Unicode.
    """
    from grpc import RpcError
    from pymilvus import MilvusException

    try:
        yield
    except (MilvusException, RpcError, OSError) as error:
        said = str(error)
        if "vector field" in said and "limited to" in said:
            todo = f"Set proxy.maxVectorFieldNum to {len(AXES)} or more in the server's milvus.yaml"
        else:
            todo = "Check the address, the token and that the server runs, then repeat: nothing is done twice"
        raise BankError(f"expected a Milvus server that answers at {where}; got {said}. {todo}.") from error
    except UnicodeEncodeError as error:
        raise BankError(
            f"expected whole Unicode text for the bank at {where}; got {error}. Nothing was changed: "
            f"correct the value."
        ) from error
