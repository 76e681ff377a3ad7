"""In double precision no number of any model is computed in single precision, attnviz/models."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnviz.tracing import trace
from tests.models import test_readers as readers
from tests.models.test_models import ALWAYS, VARIANTS, built, is_control, pictures

SINGLE = (torch.float32, torch.bfloat16, torch.float16)


class Watched(TorchDispatchMode):
    """Notes each operation that gives a number of less than double precision."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        given = function(*arguments, **(named or {}))
        if any(isinstance(one, Tensor) and one.dtype in SINGLE for one in tree_leaves(given)):
            self.found.append(str(function))
        return given


def single(model: nn.Module, *arguments: Any, **named: Any) -> list[str]:
    with torch.no_grad(), Watched() as watched:
        model(*arguments, **named)
    return watched.found


@pytest.mark.parametrize("key", sorted(ALWAYS))
def test_a_model_of_pictures_in_double_computes_in_double(key):
    variant = VARIANTS[key]
    model, images = built(variant).double().eval(), pictures(variant, 2).double()
    assert single(model, images) == []
    if not is_control(variant):
        with trace(model):
            assert single(model, images) == []


@pytest.mark.parametrize("key", readers.VARIANTS)
def test_a_model_of_strips_in_double_computes_in_double(key):
    model = readers.built(key)
    assert single(model, readers.strips()) == []
    assert single(model, readers.strips(), targets=readers.texts()) == []
