"""Nets: what is known of them before their weights are loaded, and where their weights come from."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from attnviz import cards, checkpoints, subjects
from attnviz.errors import UnknownName
from attnviz.models import MODELS
from attnviz.subjects import NETS, Net

NAME = "pixel_attention.1v8"


def test_a_checkpoint_is_a_net_with_what_its_card_says() -> None:
    net, card = subjects.net(NAME), cards.read(NAME)
    assert (net.key, net.title, net.architecture, net.recipe, net.seed) == (
        NAME, card.recipe.title, "pixel_attention", "1v8", card.seed,
    )  # fmt: skip
    assert (net.classes, net.labels, net.data) == (card.classes, tuple(card.recipe.classes), "mnist")
    assert (net.digest, net.parameters, net.card) == (card.weights_digest, card.parameters, card)
    assert net.input == MODELS["pixel_attention"].input(card.config)
    assert net.grid == MODELS["pixel_attention"].grid(card.config)


def test_it_loads_in_single_or_in_double_precision() -> None:
    expected = checkpoints.load(NAME).model.state_dict()
    for double, dtype in ((False, torch.float32), (True, torch.float64)):
        model, net = subjects.net(NAME).load(double=double)
        assert net.key == NAME
        assert not model.training
        assert not any(parameter.requires_grad for parameter in model.parameters())
        for name, value in model.state_dict().items():
            assert value.dtype == dtype
            torch.testing.assert_close(value, expected[name].to(dtype), rtol=0, atol=0)


def test_another_kind_of_net_is_found_by_the_beginning_of_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = replace(subjects.net(NAME), key="theirs:small", card=None, build=lambda: nn.Linear(1, 1))

    def find(key: str) -> Net:
        assert key == "theirs:small"
        return theirs

    monkeypatch.setitem(NETS, "theirs", find)
    assert subjects.net("theirs:small") is theirs
    assert isinstance(subjects.net("theirs:small").load().model, nn.Linear)
    with pytest.raises(UnknownName, match="no kind of net 'their'. Did you mean 'theirs'"):
        subjects.net("their:small")


def test_only_checkpoints_with_weights_are_usable() -> None:
    usable = subjects.usable()
    assert {*usable} == {name for name in cards.names() if cards.weights(name).is_file()}
    assert set(cards.names()) - set(usable), "some checkpoints have no weights"
    assert set(subjects.usable([NAME, "nobody"])) == {NAME}
