import pytest

from attnviz.data import DATASETS


def test_the_table_is_in_teaching_order():
    assert list(DATASETS)[:4] == ["strokes", "mnist", "fashion_mnist", "cifar10"]
    assert all(name.startswith(("cluttered_", "rotated_", "moved_")) for name in list(DATASETS)[4:])


@pytest.mark.parametrize("name", DATASETS)
def test_a_spec_is_whole(name):
    spec = DATASETS[name]
    assert spec.name == name and spec.title and spec.about and spec.source
    assert len(spec.classes) == len(set(spec.classes)) == 10
    assert {"train", "test"} <= set(spec.counts) and min(spec.counts["train"], spec.counts["test"]) >= 10_000
    assert spec.shape[2] in (1, 3)
    assert (spec.make is None) == (spec.torchvision is not None)
    assert (spec.megabytes > 0) == (spec.torchvision is not None or spec.made_from not in (None, "strokes"))
