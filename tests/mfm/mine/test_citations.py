"""How texts name episodes, and what of a text is a claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo.mfm.layout import MfmError, episode_id
from echo.mfm.mine.citations import citations, cited, place_of, unreadable_citations
from echo.mfm.mine.claims import claims, unclosed
from tests.mfm.mine.evidence_samples import evidence


def names(text):
    return [each.name for each in citations(text)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a [ep_000001].", ["ep_000001"]),
        ("[life_2/ep_000123]", ["life_2/ep_000123"]),
        ("[ep_000001, life_1/ep_000002; ep_1234567]", ["ep_000001", "life_1/ep_000002", "ep_1234567"]),
        ("[ep_000009..ep_000011]", ["ep_000009", "ep_000010", "ep_000011"]),
        ("[ep_000009-ep_000010]", ["ep_000009", "ep_000010"]),
        ("[life_1/ep_000001\u2013ep_000002]", ["life_1/ep_000001", "life_1/ep_000002"]),
        ("[ep_000001](episodes/ep_000001)", ["ep_000001"]),
        ("ep_000001 (ep_000002) [[ep_000003]]", ["ep_000003"]),
        ("[x] [the map](map.png) []", []),
    ],
)
def test_citations_are_read_in_order(text, named):
    assert names(text) == named
    assert unreadable_citations(text) == []


@pytest.mark.parametrize(
    "shown",
    [
        "[ep_12]",
        "[ep_0000123]",
        "[ep 000012]",
        "[EP_000012]",
        "[life_0x/ep_000012]",
        "[ep_000012, the other]",
        "[ep_000009..ep_000002]",
        "[ep_000001..ep_009999]",
        "[life_1/ep_000001..life_2/ep_000002]",
        "[see ep_000012]",
    ],
)
def test_what_looks_like_a_citation_and_names_nothing_is_told(shown):
    assert names(f"a {shown} b") == []
    assert unreadable_citations(f"a {shown} b") == [shown]


def test_what_is_opened_and_not_closed_is_told_with_its_line():
    assert unclosed("```\na\n```\n<!-- b -->\n") == []
    assert unclosed("---\nname: x\n---\n~~~ py\n- a <!-- b\n") == [(4, "~~~"), (5, "<!--")]


@given(st.text("[]ep_life/0123456789 .,-;", max_size=40))
def test_any_text_can_be_read_and_places_are_those_of_the_brackets(text):
    for each in citations(text):
        assert text[each.start] == "["
        assert text[each.end - 1] == "]"
        assert each.episode[3:].isdigit()


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=5))
def test_what_is_cited_is_read_back(numbers):
    wanted = [episode_id(number) for number in numbers]
    assert names("It falls " + " ".join(f"[{name}]" for name in wanted)) == wanted
    assert names(f"It falls [{', '.join(wanted)}]") == wanted


def test_a_name_becomes_a_citation_or_an_error(tmp_path):
    assert cited("life_3/ep_000007").name == "life_3/ep_000007"
    with pytest.raises(MfmError, match="expected an episode such as 'ep_000123'"):
        cited("../ep_000001")
    root = evidence(tmp_path / "memory")
    assert place_of(root, cited("ep_000002")) == root / "episodes/ep_000002"
    assert place_of(root, cited("ep_000999")) is None
    assert place_of(root, cited("life_1/ep_000002")) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("# Only a heading\n\nTitle\n=====\n\nOther\n---\n", []),
        ("One. Two [ep_000001]. Three!", [(1, "One."), (1, "Two [ep_000001]."), (1, "Three!")]),
        ("One. [ep_000001] Two. [ep_000002]", [(1, "One. [ep_000001]"), (1, "Two. [ep_000002]")]),
        ("Sand falls, e.g. by 1.5 blocks.", [(1, "Sand falls, e.g. by 1.5 blocks.")]),
        ("a line\nthat goes on\n\nanother", [(1, "a line that goes on"), (4, "another")]),
        ("- one. Still one.\n  and on\n- two\n", [(1, "one. Still one. and on"), (3, "two")]),
        ("1. first\n2) second\n   - inner\n", [(1, "first"), (2, "second"), (3, "inner")]),
        ("What is there?\n\nOres:\n- [ ] open\n- [x] done [ep_000001]\n", [(5, "[x] done [ep_000001]")]),
        ("```\ncode\n```\n~~~ py\n- x\n```\n~~~\nafter", [(8, "after")]),
        ("```\nnever closed\n- x", [(2, "never closed"), (3, "x")]),
        ("```\n- a\n```python\nx\n```\n- b", [(2, "a"), (6, "b")]),
        ("- a <!-- open\n- b\n- c <!-- closed -->", [(1, "a open"), (2, "b"), (3, "c")]),
        ("- in code `<!--` no comment\n- b", [(1, "in code `<!--` no comment"), (2, "b")]),
        ("---\n- b\n\n---\n", [(2, "b")]),
        ("Text:\n\n    code()\n\n\tmore()\n\nAfter.", [(7, "After.")]),
        ("- a\n\n    of it\n    - inner\n", [(1, "a"), (3, "of it"), (4, "inner")]),
        (
            "\u77f3\u3002\u571f[ep_000001]\u3002\u4f55\uff1f",
            [(1, "\u77f3\u3002"), (1, "\u571f[ep_000001]\u3002")],
        ),
        ("\u77f3\u3002[ep_000001] \u571f\u3002", [(1, "\u77f3\u3002 [ep_000001]"), (1, "\u571f\u3002")]),
        ("---\nname: x\n---\nBody.", [(4, "Body.")]),
        ("<!-- no\nclaim --> Yes.", [(2, "Yes.")]),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\n", [(3, "1 2")]),
        ("> quoted", [(1, "quoted")]),
        ("[the map](map.png)\n\nhttps://example.org/\n\n[x]: http://y\n\n***\n", []),
        ("See [the map](map.png) there.", [(1, "See [the map](map.png) there.")]),
        ("\ufeffA.\r\n- b\r\n", [(1, "A."), (2, "b")]),
    ],
)
def test_bullets_rows_and_sentences_are_claims_and_the_rest_is_not(text, found):
    assert [(each.line, each.text) for each in claims(text)] == found


@given(st.text("ab.?!:#-*`~|>[]()\n \t1", max_size=60))
def test_any_text_has_claims_in_order_with_lines_that_are_there(text):
    found = claims(text)
    assert [each.line for each in found] == sorted(each.line for each in found)
    assert all(1 <= each.line <= text.count("\n") + 1 and each.text for each in found)
