import pytest

from attnviz.data import DATASETS


def test_the_table_is_in_teaching_order():
    assert list(DATASETS)[:4] == ["strokes", "mnist", "fashion_mnist", "cifar10"]
    assert all(name.startswith(("cluttered_", "rotated_", "moved_", "strips_")) for name in list(DATASETS)[4:])


@pytest.mark.parametrize("name", DATASETS)
def test_a_spec_is_whole(name):
    spec = DATASETS[name]
    assert spec.name == name and spec.title and spec.about and spec.source
    assert len(spec.classes) == len(set(spec.classes)) == (11 if spec.target.per_step else 10)
    least = 8_000 if spec.batches else 10_000  # that are made anew in each epoch, or are all there are
    assert {"train", "test"} <= set(spec.counts) and min(spec.counts["train"], spec.counts["test"]) >= least
    assert spec.shape[2] in (1, 3)
    assert [spec.make, spec.batches, spec.torchvision].count(None) == 2
    assert (spec.megabytes > 0) == (spec.torchvision is not None or spec.made_from not in (None, "strokes"))
