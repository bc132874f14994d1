from __future__ import annotations

import json

import numpy as np
import pytest

from csd.axes import AXES
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from echo.bench.retrieval.asking import KINDS, questions_about
from echo.bench.retrieval.contest import figures
from echo.bench.retrieval.engines import entrant, open_engine
from echo.bench.retrieval.exact import TIE, Answer, exact_answers
from echo.bench.retrieval.measure import as_json, ask, fill
from echo.bench.retrieval.question import Facets, Filter, Hit, Question, batch_of
from echo.bench.retrieval.real import RealData, harvest
from echo.bench.retrieval.synthetic import BLOCK, SyntheticData

SIZE = 300
K = 10


def quiet(told: str) -> None:
    pass


@pytest.fixture(scope="module")
def data():
    return SyntheticData(3, SIZE)


@pytest.fixture(scope="module")
def extra(data):
    return data.held_out(12)


@pytest.fixture(scope="module")
def questions(data, extra):
    return questions_about(extra, data, 3)


@pytest.fixture(scope="module")
def right(data, questions):
    return {kind: exact_answers(data, questions[kind], K, quiet) for kind in KINDS}


class Perfect:
    """Scores everything it holds; what `forget` says is taken out of the deletes it heeds."""

    def __init__(self, *, forgets=True, keeps=slice(None)):
        self.forgets, self.keeps = forgets, keeps
        self.ids, self.vectors, self.facets = [], [], []

    def add(self, batch):
        for n, id in enumerate(batch.ids):
            self.ids.append(id)
            self.vectors.append(batch.vectors[n])
            self.facets.append((bool(batch.facets.success[n]), int(batch.facets.step[n])))

    def finish(self):
        pass

    def search(self, question, k):
        def passes(facets):
            return question.where is None or (facets[0] and facets[1] < question.where.before_step)

        scores = np.stack(self.vectors).reshape(len(self.ids), -1) @ question.joined
        best = [n for n in np.argsort(-scores) if passes(self.facets[n])][self.keeps]
        return [Hit(id=self.ids[n], cosines=(0.0,) * 5) for n in best[:k]]

    def delete(self, id):
        if self.forgets:
            n = self.ids.index(id)
            del self.ids[n], self.vectors[n], self.facets[n]

    def close(self):
        pass


def recalls(engine, data, extra, questions, right):
    fill(lambda: engine, data, extra, quiet)
    answers = as_json(ask(lambda: engine, questions, K, quiet))["answers"]
    return {kind: figures(answers[kind], right[kind], entrant("numpy"))["recall"] for kind in KINDS}


def test_synthetic_rows_do_not_depend_on_how_they_are_asked_for():
    one, other = SyntheticData(5, BLOCK + 40), SyntheticData(5, 10 * BLOCK)
    whole = one.vectors(BLOCK - 20, BLOCK + 20)
    np.testing.assert_array_equal(whole[15:25], other.vectors(BLOCK - 5, BLOCK + 5))
    np.testing.assert_allclose(np.linalg.norm(whole, axis=2), 1.0, atol=1e-6)
    assert one.records(7, 9)[1] == other.records(8, 9)[0]
    assert SyntheticData(6, 10).records(8, 9) != one.records(8, 9)


def test_synthetic_records_of_one_cluster_are_near_each_other():
    rows = SyntheticData(0, BLOCK).vectors(0, BLOCK)[:, 2]
    cosines = rows[0] @ rows[1:].T
    assert 0.6 < cosines.max() < 0.85
    assert abs(np.median(cosines)) < 0.05


def test_synthetic_records_are_descriptors_of_two_kilobytes_that_agree_with_their_facets(data):
    facets = data.facets(0, SIZE)
    for n, record in enumerate(data.records(0, SIZE)):
        csd = Csd.from_json(record)
        assert csd.canonical() == record
        assert 1_800 < len(record) < 3_200
        told = (csd.meta.success, csd.meta.step, csd.meta.verb, csd.meta.world, csd.meta.biome)
        assert told == (facets.success[n], facets.step[n], facets.verb[n], facets.world[n], facets.biome[n])
    assert len({Csd.from_json(record).id for record in data.records(0, SIZE)}) == SIZE


def test_held_out_records_are_not_among_the_data(data, extra):
    assert set(extra.ids).isdisjoint(batch_of(data, 0, SIZE).ids)


def test_a_filter_lets_a_tenth_through(data, questions):
    passing = [question.where.passes(data.facets(0, SIZE)).mean() for question in questions["filtered"]]
    assert 0.07 < min(passing) < max(passing) < 0.13
    assert len(set(passing)) > 1


class FourRecords:
    """Four records with vectors of length 2 on the first two axes; the last has none on the first."""

    size = 4
    dimension = 2

    def vectors(self, start, stop):
        rows = np.zeros((4, len(AXES), 2), dtype=np.float32)
        rows[:3, 0] = [(1, 0), (0.6, 0.8), (0.6, 0.8)]
        rows[3, 1] = (1, 0)
        return rows[start:stop]

    def facets(self, start, stop):
        whole = Facets(
            success=np.array([True, True, False, True]),
            step=np.array([0, 1, 2, 3]),
            verb=["craft"] * 4,
            world=["w"] * 4,
            biome=["b"] * 4,
        )
        return whole.cut(start, stop)

    def records(self, start, stop):
        return SyntheticData(0, 4).records(start, stop)


def asking(weights, where=None):
    vectors = np.zeros((len(AXES), 2), dtype=np.float32)
    vectors[:2] = (1, 0)
    return Question(vectors=vectors, weights=np.array(weights, np.float32), texts=("",) * 5, where=where)


def test_exact_answers_hold_ties_filters_and_only_what_takes_part():
    data = FourRecords()
    ids = batch_of(SyntheticData(0, 4), 0, 4).ids
    first = asking([1, 0, 0, 0, 0])
    late = asking([1, 0, 0, 0, 0], Filter(before_step=1))
    both = asking([0.5, 0.5, 0, 0, 0])
    two, all_first, filtered, weighted = (
        exact_answers(data, [question], k, quiet)[0]
        for question, k in ((first, 2), (first, 9), (late, 2), (both, 2))
    )
    assert (two.ids, two.wanted) == ({ids[0], ids[1], ids[2]}, 2)
    assert (all_first.ids, all_first.wanted) == ({ids[0], ids[1], ids[2]}, 3)
    assert (filtered.ids, filtered.wanted) == ({ids[0]}, 1)
    assert weighted.ids == {ids[0], ids[3]}
    assert exact_answers(data, [asking([0, 0, 1, 0, 0])], 2, quiet)[0].wanted == 0


def test_recall_counts_each_right_record_once_and_no_more_than_were_wanted():
    answer = Answer(ids=frozenset("abc"), wanted=2)
    assert answer.recall(["a", "c"]) == 1.0
    assert answer.recall(["a", "a"]) == 0.5
    assert answer.recall(["x", "y", "a", "b"]) == 0.0
    assert answer.recall([]) == 0.0
    assert Answer(ids=frozenset(), wanted=0).recall([]) == 1.0
    assert TIE < 1e-4


def test_an_engine_that_answers_right_has_recall_1(data, extra, questions, right):
    assert recalls(Perfect(), data, extra, questions, right) == dict.fromkeys(KINDS, 1.0)


def test_an_engine_that_misses_the_best_has_less(data, extra, questions, right):
    found = recalls(Perfect(keeps=slice(1, None)), data, extra, questions, right)
    assert all(recall < 0.95 for recall in found.values())


def test_an_engine_that_still_finds_what_was_deleted_has_less(data, extra, questions, right):
    found = recalls(Perfect(forgets=False), data, extra, questions, right)
    assert found["weighted"] < 0.95
    assert found["single"] < 0.95


@pytest.mark.parametrize("name", ["numpy", "faiss-flat", "echo"])
def test_an_exact_engine_keeps_its_answers_over_a_reopening(name, data, extra, questions, right, tmp_path):
    def opened():
        return open_engine(name, tmp_path, data.dimension)

    filled = fill(opened, data, extra, quiet)
    assert filled.batch_per_s > 0
    assert filled.singles == len(extra)
    asked = ask(opened, questions, K, quiet)
    answers = as_json(asked)["answers"]
    for kind in KINDS:
        assert figures(answers[kind], right[kind], entrant(name))["recall"] == 1.0
    assert asked.open_ms > 0
    assert asked.anonymous_mb > 0


@pytest.mark.parametrize("name", ["numpy", "faiss-flat", "echo"])
def test_hits_carry_the_cosines_of_all_axes(name, data, questions, tmp_path):
    engine = open_engine(name, tmp_path, data.dimension)
    batch = batch_of(data, 0, SIZE)
    engine.add(batch)
    question = questions["weighted"][0]
    for hit in engine.search(question, 3):
        exact = (batch.vectors[batch.ids.index(hit.id)] * question.vectors).sum(axis=1)
        np.testing.assert_allclose(hit.cosines, exact, atol=1e-3)
    engine.close()


def test_bags_of_words_find_the_record_with_the_same_words(data, questions, tmp_path):
    engine = open_engine("bow", tmp_path, data.dimension)
    batch = batch_of(data, 0, 50)
    engine.add(batch)
    same = questions_about(batch.one(7), data, 0)["weighted"][0]
    assert engine.search(same, 1)[0].id == batch.ids[7]
    engine.delete(batch.ids[7])
    assert engine.search(same, 1)[0].id != batch.ids[7]
    engine.close()


def test_real_descriptors_are_distinct_and_the_held_out_ones_are_left_out(tmp_path):
    told = []
    harvest(tmp_path, 110, 5.0, told.append, encoder=HashingEncoder(), steps=120)
    whole = RealData(tmp_path)
    assert whole.size >= 110
    assert told[-1].startswith("harvest ")
    data = RealData(tmp_path, 60)
    batch = batch_of(data, 0, data.size)
    held_out = data.held_out(5)
    assert data.size == len(set(batch.ids)) == 60
    assert len(held_out) >= 1
    assert set(held_out.ids).isdisjoint(batch_of(whole, 0, whole.size).ids)
    assert batch.csds[3].canonical() == batch.records[3]
    # An axis without text has no vector, every other one has one of unit length.
    lengths = np.linalg.norm(batch.vectors, axis=2)
    has_text = [[bool(csd.axis(axis)) for axis in AXES] for csd in batch.csds]
    np.testing.assert_allclose(lengths, np.array(has_text, dtype=float), atol=1e-5)
    np.testing.assert_array_equal(data.vectors(20, 31), batch.vectors[20:31])
    assert json.loads(batch.records[20])["meta"]["step"] == data.facets(20, 21).step[0]


def test_a_harvest_goes_on_where_it_was_and_stops_when_time_is_over(tmp_path):
    harvest(tmp_path, 1, 5.0, quiet, encoder=HashingEncoder(), steps=40)
    first = sorted(tmp_path.iterdir())
    written = first[0].stat().st_mtime_ns
    harvest(tmp_path, 10_000, 0.0, quiet, encoder=HashingEncoder(), steps=40)
    assert sorted(tmp_path.iterdir()) == first
    assert first[0].stat().st_mtime_ns == written
