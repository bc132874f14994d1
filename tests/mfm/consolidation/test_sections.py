"""Generated sections and hands: what people and agents write stays, to the letter."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from echo.mfm.consolidation.findings import Finding
from echo.mfm.consolidation.sections import Section, line_mark, write_section


def finding(subject: str, text: str = "gave nothing [ep_000001]") -> Finding:
    return Finding(rule="r", subject=subject, text=text, episodes=("ep_000001",))


def section(*findings: Finding, most: int = 9, grows: bool = False) -> Section:
    return Section(name="s", heading="## Heading", findings=findings, most=most, grows=grows)


def line(found: Finding) -> str:
    return f"{found.line} <!--{line_mark('s', found.line)}-->"


STONE, COAL, DIRT = finding("stone"), finding("coal"), finding("dirt")
WHOLE = f"<!-- consolidated: s -->\n## Heading\n\n{line(STONE)}\n{line(COAL)}\n<!-- end: s -->\n"


def test_a_section_stands_between_markers_with_its_heading_and_marked_lines():
    written = write_section("", section(STONE, COAL))
    assert written.text == WHOLE
    assert written.changed == (STONE, COAL)


def test_a_section_is_put_behind_what_is_there_already():
    assert write_section("mine\n", section(STONE, COAL)).text == f"mine\n\n{WHOLE}"
    assert write_section("mine", section(STONE, COAL)).text == f"mine\n\n{WHOLE}"


def test_the_same_again_changes_nothing():
    again = write_section(WHOLE, section(STONE, COAL))
    assert (again.text, again.changed) == (WHOLE, ())


def test_news_replaces_the_line_about_the_same_subject_only():
    news = finding("coal", "gave coal [ep_000002]")
    written = write_section(WHOLE, section(STONE, news))
    assert written.text == WHOLE.replace(line(COAL), line(news))
    assert (written.changed, written.removed) == ((news,), 0)


def test_what_is_not_found_any_more_goes():
    written = write_section(WHOLE, section(COAL))
    assert written.text == WHOLE.replace(line(STONE) + "\n", "")
    assert (written.changed, written.removed) == ((), 1)


def test_nothing_to_say_makes_no_section():
    assert write_section("mine\n", section()).text == "mine\n"


def test_a_line_changed_by_hand_is_kept_and_speaks_for_its_subject():
    changed = WHOLE.replace("- coal: gave nothing", "- coal: gave nothing, try again")
    written = write_section(changed, section(STONE, finding("coal", "gave coal [ep_000002]")))
    assert written.text == changed
    assert (written.by_hand, written.removed) == (("coal",), 0)


def test_lines_written_by_hand_stay_behind_the_line_they_were_put_behind():
    mixed = WHOLE.replace(line(STONE), f"{line(STONE)}\nmy own words\n\n- and a bullet")
    written = write_section(mixed, section(DIRT, STONE, COAL))
    assert written.text == mixed.replace(line(STONE), f"{line(DIRT)}\n{line(STONE)}")


def test_heading_and_introduction_may_be_changed_by_hand():
    changed = WHOLE.replace("## Heading", "# Mine")
    assert write_section(changed, section(STONE, COAL)).text == changed


def test_a_line_taken_out_by_hand_comes_back_with_news_only():
    marks = (line_mark("s", STONE.line), line_mark("s", COAL.line))
    without = WHOLE.replace(line(COAL) + "\n", "")
    written = write_section(without, section(STONE, COAL), before=marks)
    assert (written.text, written.refused) == (without, (marks[1],))
    again = write_section(without, section(STONE, COAL), before=written.marks, refused=written.refused)
    assert (again.text, again.refused) == (without, (marks[1],))
    news = finding("coal", "gave coal [ep_000002]")
    told = write_section(without, section(STONE, news), before=written.marks, refused=written.refused)
    assert (told.text, told.refused) == (WHOLE.replace(line(COAL), line(news)), ())


def test_a_line_that_gave_way_to_others_may_come_back():
    first = write_section("", section(STONE, COAL, most=1))
    assert (first.left_out, line(COAL) in first.text) == (1, False)
    assert first.text.endswith("<!-- end: s; 1 of less weight left out -->\n")
    second = write_section(first.text, section(COAL, STONE, most=1), before=first.marks)
    assert line(COAL) in second.text
    third = write_section(second.text, section(STONE, COAL, most=1), before=second.marks)
    assert third.text == first.text


def test_without_its_end_marker_a_section_ends_at_the_first_line_by_hand():
    torn = f"<!-- consolidated: s -->\n{line(STONE)}\nmy words\n"
    assert write_section(torn, section(STONE, COAL)).text == (
        f"<!-- consolidated: s -->\n{line(STONE)}\n{line(COAL)}\n<!-- end: s -->\nmy words\n"
    )


def test_line_ends_are_those_of_the_file():
    text = f"mine\r\n\r\n{WHOLE}".replace("\r\n", "\n").replace("\n", "\r\n")
    assert write_section("mine\r\n", section(STONE, COAL)).text == text
    written = write_section(text, section(STONE, COAL, DIRT))
    assert written.text == text.replace(line(COAL), f"{line(COAL)}\r\n{line(DIRT)}")
    assert write_section(written.text, section(STONE, COAL, DIRT)).text == written.text


def test_only_fresh_subjects_are_written_anew():
    news = finding("coal", "gave coal [ep_000002]"), finding("stone", "gave stone [ep_000002]")
    written = write_section(WHOLE, section(*news, DIRT), fresh={"coal"})
    assert written.text == (
        f"<!-- consolidated: s -->\n## Heading\n\n{line(news[0])}\n{line(STONE)}\n<!-- end: s -->\n"
    )


def test_a_section_that_grows_keeps_what_is_not_found_again_and_lets_the_oldest_give_way():
    written = write_section(WHOLE, section(DIRT, most=2, grows=True))
    assert written.text == WHOLE.replace(
        f"{line(STONE)}\n{line(COAL)}", f"{line(COAL)}\n{line(DIRT)}"
    ).replace("end: s", "end: s; 1 of less weight left out")


outside = st.text(st.characters(exclude_categories=("Cs",)), max_size=60).filter(
    lambda text: "consolidated: s" not in text
)


@given(outside, outside, st.lists(st.sampled_from([STONE, COAL, DIRT]), unique=True, max_size=3))
@example("\n\r\n", "", [])
def test_text_around_a_section_is_never_touched(head, tail, found):
    ends = "\r\n" if "\r\n" in head else "\n"
    first = write_section(head, section(STONE)).text
    assert first.startswith(head)
    grown = first + tail
    written = write_section(grown, section(*found)).text
    start = len(first) - len(f"<!-- end: s -->{ends}")
    assert grown[:start].startswith(head)
    assert written.startswith(head)
    assert written.endswith(ends + tail)
    assert write_section(written, section(*found)).text == written


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40), st.integers(0, 4))
def test_lines_by_hand_within_a_section_survive_in_their_order(words, place):
    lines = WHOLE.split("\n")
    lines[1 + place : 1 + place] = [words.replace("\n", " "), "<b>second</b>"]
    text = "\n".join(lines)
    if place == 4 or "<!--" in words:
        return
    written = write_section(text, replace(section(COAL, DIRT), most=1)).text
    kept = written.split("\n")
    assert kept.index(words.replace("\n", " ")) < kept.index("<b>second</b>")
