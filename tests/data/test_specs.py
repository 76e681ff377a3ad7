import pytest

from attnviz.data import DATASETS


def test_the_table_is_in_teaching_order():
    assert list(DATASETS) == ["strokes", "mnist", "fashion_mnist", "cifar10"]


@pytest.mark.parametrize("name", DATASETS)
def test_a_spec_is_whole(name):
    spec = DATASETS[name]
    assert spec.name == name and spec.title and spec.about and spec.source
    assert len(spec.classes) == len(set(spec.classes)) == 10
    assert set(spec.counts) == {"train", "test"} and all(count >= 10_000 for count in spec.counts.values())
    assert spec.shape[2] in (1, 3)
    assert (spec.megabytes == 0) == (spec.torchvision is None)
