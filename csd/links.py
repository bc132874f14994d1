"""What hangs together in a bank: descriptors, the episodes they describe, and the names they mention."""

from __future__ import annotations

from csd.tables import BankFile, transaction


class Links(BankFile):
    """Links between descriptors, to episodes, and to the nodes of the symbolic graph."""

    def link(self, source: str, kind: str, target: str) -> None:
        """Link two descriptors, such as 'derived_from' or 'contradicts'; a link there is left alone.

        Raises:
            BankError: on an unknown id.
        """
        with transaction(self._connection, self._where):
            self._link(source, kind, target)

    def links(self, id: str) -> list[tuple[str, str, str]]:
        """Return the links from and to descriptor `id` as (source, kind, target), sorted."""
        row = self._row(id)
        return [
            (source, kind, target)
            for source, kind, target in self._fetch(
                "SELECT a.id, kind, b.id FROM link JOIN csd a ON a.row = source JOIN csd b ON b.row = target "
                "WHERE source = ? OR target = ? ORDER BY 1, 2, 3",
                (row, row),
            )
        ]

    def describing(self, episode: str) -> list[str]:
        """Return the ids of the descriptors of MFM episode `episode`, sorted."""
        rows = self._fetch(
            "SELECT id FROM csd JOIN episode USING (row) WHERE episode = ? ORDER BY id", (episode,)
        )
        return [id for (id,) in rows]

    def mentioning(self, node: str) -> list[str]:
        """Return the ids of the descriptors whose graph holds `node` ('thing:oak_planks'), sorted."""
        rows = self._fetch(
            "SELECT id FROM csd WHERE row IN (SELECT row FROM edge WHERE source = ?1 "
            "UNION SELECT row FROM edge WHERE target = ?1) ORDER BY id",
            (node,),
        )
        return [id for (id,) in rows]

    def _link(self, source: str, kind: str, target: str) -> None:
        self._connection.execute(
            "INSERT OR IGNORE INTO link VALUES (?, ?, ?)", (self._row(source), kind, self._row(target))
        )
