"""Whatever a world may record: consolidation neither fails nor writes the same thing differently twice."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.mine.check import check_notes
from tests.mfm.consolidation.small_lives import mine_texts
from tests.mfm.episodic.sample_steps import observations, steps

episodes = st.lists(st.tuples(st.lists(steps, min_size=1, max_size=3), observations), max_size=3)


@settings(
    max_examples=12,
    deadline=None,
    # Shrinking an episode takes minutes.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(episodes)
def test_any_episodes_are_consolidated_once_and_for_all(held):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        with Recorder.open(root, source="s", durability="batch", frames="none") as recorder:
            for done, after in held:
                # The same twice, so that there is something to repeat.
                recorder.write(goal="g", steps=done, after=after)
                recorder.write(goal="g", steps=done, after=after)
        done = consolidate(root, least=2)
        assert done.unreadable == ()
        before = mine_texts(root)
        assert consolidate(root, least=2).change is None
        assert mine_texts(root) == before
        # Names such as '1 stone_axe' may be read as an amount; that is not what is tested here.
        assert [each for each in check_notes(root).findings if each.fault != "contradicted"] == []
