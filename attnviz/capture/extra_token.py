"""A model with one more token than in training, and with changed activations in its feed-forward networks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.capture.call import Call
from attnviz.errors import BadInput

NO_NETWORK = (
    "not every layer has exactly one feed-forward network that ends in a linear layer with fewer outputs than inputs"
)


def hidden_of(model: nn.Module, layers: Mapping[str, str], calls: Mapping[str, Call]) -> list[str]:
    """Return, for each layer, the path of the linear layer whose input is the hidden activations of its feed-forward
    network.

    Args:
        layers: the path of the layer that each captured call belongs to, in order.

    Raises:
        BadInput: a layer does not have exactly one.
    """
    found = []
    for path, layer in layers.items():
        attention = calls[path].where.path
        linear = [
            f"{layer}.{name}"
            for name, part in model.get_submodule(layer).named_modules()
            if isinstance(part, nn.Linear) and part.in_features > part.out_features
            and not f"{layer}.{name}".startswith(f"{attention}.")
        ]  # fmt: skip
        if len(linear) != 1:
            raise BadInput(NO_NETWORK)
        found += linear
    return found


@contextmanager
def inputs_of(model: nn.Module, paths: Sequence[str]) -> Iterator[list[Tensor]]:
    """Collect the inputs of modules, in the order in which they are called."""
    found: list[Tensor] = []
    with ExitStack() as hooks:
        for path in paths:
            handle = model.get_submodule(path).register_forward_pre_hook(lambda _, given: found.append(given[0]))
            hooks.callback(handle.remove)
        yield found


@contextmanager
def extra_token(
    model: nn.Module, layers: Sequence[str], place: int, changes: Mapping[str, Callable[[Tensor], Tensor]]
) -> Iterator[None]:
    """Insert a token of zeros before the first of some layers, and take it out after the last.

    Args:
        layers: their paths, in order; each takes and returns tokens (batch, token, feature).
        place: the index of the new token.
        changes: the path of a module -> a function of its first input.
    """

    def insert(module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        tokens = given[0] if given else named["hidden_states"]
        new = torch.cat([tokens[:, :place], torch.zeros_like(tokens[:, :1]), tokens[:, place:]], 1)
        return ((new, *given[1:]), named) if given else (given, {**named, "hidden_states": new})

    def take(module: nn.Module, given: Any, returned: Any) -> Any:
        first = returned[0] if isinstance(returned, tuple) else returned
        left = torch.cat([first[:, :place], first[:, place + 1 :]], 1)
        return (left, *returned[1:]) if isinstance(returned, tuple) else left

    with ExitStack() as hooks:
        for path, change in changes.items():
            handle = model.get_submodule(path).register_forward_pre_hook(
                lambda _, given, change=change: (change(given[0]), *given[1:])
            )
            hooks.callback(handle.remove)
        first = model.get_submodule(layers[0]).register_forward_pre_hook(insert, with_kwargs=True)
        hooks.callback(first.remove)
        hooks.callback(model.get_submodule(layers[-1]).register_forward_hook(take).remove)
        yield
