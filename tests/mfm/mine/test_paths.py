"""Nothing outside mine/ is ever read or written, whatever a path says and whatever lies in mine/."""

import itertools
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echo.mfm.layout import MfmError
from echo.mfm.mine.paths import PathRefused, is_plain, names_of, normal, open_folder, open_mine
from echo.mfm.mine.writable import Mine

SECRET = "what an episode holds"


def memory(root: Path) -> Path:
    for name in ("mine", "episodes/ep_000001", "history", "cache", "previous/life_1/mine"):
        (root / name).mkdir(parents=True)
    for name in ("index.jsonl", "episodes/ep_000001/outcome.json", "previous/life_1/mine/notes.md", "secret"):
        (root / name).write_text(SECRET)
    return root


def outside(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and path.relative_to(root).parts[0] not in ("mine", "history")
    }


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../index.jsonl", "leads out"),
        ("a/../../secret", "leads out"),
        ("..", "leads out"),
        ("/etc/passwd", "absolute"),
        ("//etc/passwd", "absolute"),
        ("..\\secret", r"holds one of"),
        ("a\\b", "holds one of"),
        ("c:notes.md", "holds one of"),
        ("%2e%2e/secret", "percent-encoded"),
        ("%2e%2e%2fsecret", "percent-encoded"),
        ("%252e%252e/secret", "percent-encoded"),
        ("a%00b", "percent-encoded"),
        ("a\0b", "cannot be shown"),
        ("a\nb", "cannot be shown"),
        ("a\u202eb", "cannot be shown"),
        ("\ud800", "cannot be shown"),
        (".hidden", "is hidden"),
        ("a/.git/config", "is hidden"),
        ("\uff0e\uff0e/secret", "leads out"),
        ("a\uff0fb", "holds one of"),
        ("\u2024\u2024/secret", "leads out"),
        ("notes.md.", "ends with a dot"),
        ("notes.md ", "begins or ends with a space"),
        (" notes.md", "begins or ends with a space"),
        ("CON", "device"),
        ("aux.md", "device"),
        ("a/Lpt1.txt", "device"),
        ("COM¹", "device"),
        ("x" * 201, "longer than 200 bytes"),
        ("é" * 101, "longer than 200 bytes"),
        ("/".join(["abc"] * 13), "longer than 12 names"),
        ("/".join(["x" * 199] * 6), "or 1,000 bytes"),
    ],
)
def test_a_path_that_leads_elsewhere_or_that_some_system_cannot_hold_is_refused(path, reason, tmp_path):
    with pytest.raises(PathRefused, match=reason):
        names_of(path)
    mine = Mine(memory(tmp_path))
    before = outside(tmp_path)
    with pytest.raises(MfmError):
        mine.write(path, "x", by="agent", why="t")
    for reading in (mine.read, mine.kind, mine.paths, mine.history):
        with pytest.raises(MfmError):
            reading(path)
    assert outside(tmp_path) == before
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("notes.md", ("notes.md",)),
        ("./skills//smelt/SKILL.md", ("skills", "smelt", "SKILL.md")),
        ("100% sure.md", ("100% sure.md",)),
        ("a..b", ("a..b",)),
        ("console.md", ("console.md",)),
        ("日記/メモ.md", ("日記", "メモ.md")),
        ("", ()),
        (".", ()),
    ],
)
def test_other_paths_are_taken_as_they_are(path, names):
    assert names_of(path) == names


def test_what_is_no_text_is_refused():
    with pytest.raises(PathRefused, match="expected a path as text, got int"):
        names_of(3)


@given(st.text(max_size=30))
def test_the_normal_form_of_any_accepted_path_is_its_own_normal_form_and_stays_inside(path):
    try:
        shown = normal(path)
    except PathRefused:
        return
    assert normal(shown) == shown
    assert os.path.normpath(f"/m/{shown}").startswith("/m")
    assert all(is_plain(name) for name in names_of(path))


fragments = st.sampled_from(
    [
        "..",
        ".",
        "a",
        "b.md",
        "link",
        "loop",
        "ln",
        "hard",
        "fifo",
        "",
        "%2e%2e",
        "\\",
        "...",
        "episodes",
        "~",
        "mine",
    ]
) | st.text(max_size=6)
wild = (
    st.lists(fragments, max_size=5)
    .map("/".join)
    .flatmap(
        lambda path: st.sampled_from(
            [path, f"/{path}", quote(path, errors="surrogatepass"), path.replace("/", "\\")]
        )
    )
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths=st.lists(wild, min_size=1, max_size=3))
def test_no_path_reads_or_writes_anything_outside_whatever_links_lie_in_mine(paths, tmp_path_factory):
    root = memory(tmp_path_factory.mktemp("memory"))
    (root / "mine/a").mkdir()
    (root / "mine/b.md").write_text("mine")
    (root / "mine/link").symlink_to(root / "episodes")
    (root / "mine/a/link").symlink_to(root / "secret")
    (root / "mine/loop").symlink_to("loop")
    (root / "mine/ln").symlink_to("a")
    (root / "mine/hard").hardlink_to(root / "secret")
    os.mkfifo(root / "mine/fifo")
    before, mine = outside(root), Mine(root)
    for path in paths:
        for work in (
            lambda path=path: mine.read(path),
            lambda path=path: str(mine.paths(path)),
            lambda path=path: str(mine.write(path, "new", by="agent", why="t")),
            lambda path=path: str(mine.rename("b.md", path, by="agent", why="t")),
            lambda path=path: str(mine.delete(path, by="agent", why="t")),
        ):
            try:
                shown = work()
            except MfmError as error:
                shown = str(error)
            assert SECRET not in shown
        assert outside(root) == before
    assert (root / "mine/hard").samefile(root / "secret")


@pytest.mark.parametrize("place", ["episodes", "episodes/ep_000001/outcome.json", "nowhere"])
def test_a_link_is_refused_wherever_it_leads(tmp_path, place):
    mine = Mine(memory(tmp_path))
    (tmp_path / "mine/link").symlink_to(tmp_path / place)
    for path in ("link", "link/ep_000001/outcome.json"):
        for work in (mine.read, mine.kind):
            with pytest.raises(PathRefused, match="link"):
                work(path)
        with pytest.raises(PathRefused, match="link"):
            mine.write(path, "x", by="agent", why="t")
    assert mine.paths() == []
    assert "a symbolic link" in mine.strange()["link"]


def test_mine_itself_may_be_no_link(tmp_path):
    memory(tmp_path)
    (tmp_path / "mine").rmdir()
    (tmp_path / "mine").symlink_to(tmp_path / "episodes")
    mine = Mine(tmp_path)
    with pytest.raises(PathRefused, match="link or no folder"):
        mine.paths()
    with pytest.raises(PathRefused, match="link or no folder"):
        mine.write("notes.md", "x", by="agent", why="t")
    assert sorted(path.name for path in (tmp_path / "episodes").iterdir()) == ["ep_000001"]


def test_a_folder_swapped_for_a_link_behind_the_opening_leads_nowhere(tmp_path):
    memory(tmp_path)
    (tmp_path / "mine/a").mkdir()
    with open_mine(tmp_path) as top, open_folder(top, ("a",)) as folder:
        (tmp_path / "mine/a").rmdir()
        (tmp_path / "mine/a").symlink_to(tmp_path / "episodes")
        with os.scandir(folder) as entries:
            assert list(entries) == []
        with pytest.raises(PathRefused, match="link"), open_folder(top, ("a",)):
            pass


def test_a_folder_swapped_for_a_link_again_and_again_while_files_are_written_leads_nowhere(tmp_path):
    root = memory(tmp_path)
    (root / "mine/a").mkdir()
    before, over = outside(root), threading.Event()

    def swap():
        for number in itertools.count():
            # The writer may make or fill the folder between any two of these.
            for step in (
                lambda number=number: (root / "mine/a").rename(root / f"mine/aside{number}"),
                lambda: (root / "mine/a").symlink_to(root / "episodes/ep_000001"),
                lambda: (root / "mine/a").unlink(),
            ):
                with suppress(OSError):
                    step()
            if over.wait(0.001 * (number % 4)):
                return

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen = set()
    for number in range(40):
        with suppress(MfmError, OSError):
            Mine(root).write("a/outcome.json", f"own {number}", by="agent", why="t")
            seen.add(Mine(root).read("a/outcome.json"))
    over.set()
    swapping.join()
    Mine(root).write("a/outcome.json", "own at last", by="agent", why="t")
    seen.add(Mine(root).read("a/outcome.json"))
    assert outside(root) == before
    assert all(text.startswith("own ") for text in seen)


def test_pipes_sockets_devices_and_hard_links_are_refused_at_once(tmp_path, monkeypatch):
    mine = Mine(memory(tmp_path))
    os.mkfifo(tmp_path / "mine/pipe")
    (tmp_path / "mine/hard").hardlink_to(tmp_path / "secret")
    monkeypatch.chdir(tmp_path / "mine")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for path, reason in [("pipe", "a pipe"), ("socket", "a socket"), ("hard", "2 names")]:
            with pytest.raises(PathRefused, match=reason):
                mine.read(path)
            with pytest.raises(PathRefused, match=reason):
                mine.write(path, "x", by="agent", why="t")
    assert (tmp_path / "secret").read_text() == SECRET
    assert mine.paths() == []
