"""The residual network with and without gates, attnviz/models/channel_attention.py, and the sizes of its recipes."""

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.layers.bam import Bam
from attnviz.layers.cbam import Cbam
from attnviz.layers.squeeze_excite import SqueezeExcite
from attnviz.models.channel_attention import ChannelAttention
from attnviz.recipes import hu
from attnviz.recipes.recipe import Recipe
from attnviz.training.evaluations import evaluation
from attnviz.training.examples import Examples
from attnviz.training.seeds import build

TEN = tuple("0123456789")


def weights(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_its_parameters_are_those_of_a_resnet_20_without_projections():
    model = ChannelAttention(classes=TEN, channels=3, rows=32, columns=32, blocks=3)
    expected = 9 * 3 * 16 + 2 * 16
    for before, width in ((16, 16), (16, 32), (32, 64)):
        expected += 9 * before * width + 5 * 9 * width * width + 6 * 2 * width
    assert weights(model) == expected + 64 * 10 + 10 == 269_722


@pytest.mark.parametrize(
    ("gate", "kind", "count"),
    [("se", SqueezeExcite, 6), ("cbam", Cbam, 6), ("bam", Bam, 3), ("none", SqueezeExcite, 0)],
)
def test_a_gate_stands_in_every_block_or_at_the_end_of_every_stage(gate, kind, count):
    model = ChannelAttention(classes=TEN, gate=gate)
    found = [name for name, module in model.named_modules() if isinstance(module, SqueezeExcite | Cbam | Bam)]
    assert len(found) == count
    assert all(isinstance(model.get_submodule(name), kind) for name in found)
    if gate == "bam":
        assert found == ["bam.1", "bam.3", "bam.5"]


def test_strides_halve_the_maps_and_the_answer_comes_from_their_means():
    model = ChannelAttention(classes=TEN, strides=(2, 2, 2)).eval()
    images = torch.rand(2, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    maps = model.stem(images)
    sizes = []
    for block in model.blocks:
        maps = block(maps)
        sizes.append(tuple(maps.shape[1:]))
    assert sizes == [(16, 14, 14)] * 2 + [(32, 7, 7)] * 2 + [(64, 4, 4)] * 2
    torch.testing.assert_close(model(images), maps.mean((2, 3)) @ model.classifier.weight.T + model.classifier.bias)


@pytest.mark.parametrize("task", [hu.DIGITS, hu.FASHION, hu.COLOUR], ids=["digits", "fashion", "cifar"])
def test_the_widened_network_has_the_weights_of_the_largest_with_gates_within_a_hundredth(task: tuple[Recipe, ...]):
    sizes = {recipe.name.partition("-")[2]: weights(build(recipe)) for recipe in task}
    largest = max(size for name, size in sizes.items() if name not in ("plain", "widened"))
    assert abs(sizes["widened"] / largest - 1) < 0.01
    assert sizes["plain"] < largest
    assert all(100_000 <= size <= 300_000 for size in sizes.values())


@pytest.mark.parametrize("task", [hu.DIGITS, hu.FASHION, hu.COLOUR], ids=["digits", "fashion", "cifar"])
def test_all_of_a_task_train_alike(task: tuple[Recipe, ...]):
    own = {"name", "title", "why", "cost", "config", "weights", "ablations", "control", "first", "questions"}
    assert len({str(recipe.model_dump(exclude=own)) for recipe in task}) == 1


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"gate": "eca"}, "one of none, se, cbam, bam, not 'eca'"),
        ({"strides": (1, 2)}, "not 3 and 2 of them"),
        ({"blocks": 0}, "at least one block"),
        ({"widths": (32, 16, 8)}, "can add channels"),
    ],
)
def test_a_network_that_cannot_be_is_refused(wrong, sentence):
    with pytest.raises(BadInput, match=sentence):
        ChannelAttention(classes=TEN, **wrong)


@pytest.mark.parametrize("recipe", [one for one in hu.DIGITS if one.ablations], ids=lambda one: one.name)
def test_every_evaluation_of_the_gates_finds_them_and_changes_the_answer(recipe: Recipe):
    model = build(recipe, torch.Generator().manual_seed(0)).eval()
    for module in model.modules():  # gates that differ by picture, as if trained
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.normal_(module.weight, generator=torch.Generator().manual_seed(1))
    images = torch.rand(8, 1, 28, 28, generator=torch.Generator().manual_seed(2))
    train = Examples((images * 255).byte(), torch.zeros(8, dtype=torch.long))
    layers = [name for name, module in model.named_modules() if isinstance(module, SqueezeExcite | Cbam | Bam)]
    single = [chosen.of for chosen in recipe.ablations if "*." not in chosen.of]
    assert [of.rpartition(".")[0] for of in single] == layers
    with torch.no_grad():
        plain = model(images)
        for chosen in recipe.ablations:
            with evaluation(chosen).replaced(model, train, chosen.of):
                assert not torch.allclose(model(images), plain, rtol=1e-4), chosen
