"""The output of a model if each of its layers were the last, computed by the model's own code after the last layer.

The layers are the modules of one list, such as `blocks.0`, `blocks.1`, ..., with one self-attention each. A first pass
keeps what each of them returns. Then the model runs once for each layer, while all of them return what they returned
before, except that the last one returns what that layer did. So no norm or head has to be found by its name: whatever
follows the last layer is applied to the tokens of each.

This is refused unless the output depends on the last layer alone: with noise as the picture, and noise from all other
layers, it must stay the same.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.capture.call import Call
from attnviz.capture.frames import tensors_of
from attnviz.errors import BadInput

_AS_BEFORE = 1e-5  # maximum difference of two outputs that are the same, relative to the largest number

NO_LIST = "its attentions are not one in each module of one list of layers, but for example in stages on several grids"
NO_MODULE = "its layers are not modules that run once each and return the tokens"
SHAPES = "its layers return different numbers of tokens or features"
OTHERS = "what follows the last layer also uses other layers, or the picture itself"


def as_last(model: nn.Module, batch: Tensor, calls: Mapping[str, Call]) -> dict[str, Any]:
    """Return the output if the layer of each captured self-attention were the last, by the call's path.

    The model's modules are changed while this runs, so nobody else may run it.

    Args:
        model: in evaluation mode.
        batch: the model's input.
        calls: the captured and the refused calls of a pass on it.

    Raises:
        BadInput: the reason why there is no such output.
    """
    blocks = layers_of(model, calls)
    list_path = next(iter(blocks.values())).rpartition(".")[0]
    layers = {f"{list_path}.{name}".lstrip("."): one for name, one in model.get_submodule(list_path).named_children()}
    with torch.no_grad():
        found, output = _recorded(model, layers, batch)
        *others, last = found
        shapes = {tuple(tensor.shape for tensor in tensors_of((found[path],))[:1]) for path in blocks.values()}
        if len(shapes) != 1 or last not in blocks.values():
            raise BadInput(SHAPES)

        def run(pictures: Tensor, returned: Mapping[str, Any]) -> Any:
            try:
                with _returning(layers, returned):
                    return model(pictures)
            except Exception as error:
                raise BadInput(f"{OTHERS} ({type(error).__name__})") from error

        noise = torch.Generator().manual_seed(0)
        random = {path: _mapped(found[path], lambda one: _noise_like(one, noise)) for path in others}
        if not _same(run(_noise_like(batch, noise), {**random, last: found[last]}), output):
            raise BadInput(OTHERS)
        return {path: run(batch, {**found, last: found[block]}) for path, block in blocks.items()}


def layers_of(model: nn.Module, calls: Mapping[str, Call]) -> dict[str, str]:
    """Return the path of the layer that each captured self-attention belongs to, in the order of the pass; BadInput if
    they are not the modules of one list, with one attention each."""
    own = {path: one for path, one in calls.items() if one.refused or one.queries == one.keys}
    lists: dict[str, dict[str, str]] = {}
    for path, call in own.items():
        parts = call.where.path.split(".")
        for end in range(1, len(parts)):
            inside = ".".join(parts[:end])
            if isinstance(model.get_submodule(inside), nn.ModuleList | nn.Sequential):
                lists.setdefault(inside, {})[path] = ".".join(parts[: end + 1])
    found = next((one for one in lists.values() if len({*one.values()}) == len(own)), {})
    found = {path: block for path, block in found.items() if not own[path].refused}
    if len(found) < 2:
        raise BadInput(NO_LIST)
    return found


def _recorded(model: nn.Module, layers: Mapping[str, nn.Module], batch: Tensor) -> tuple[dict[str, Any], Any]:
    """Run the model; return what each layer returns, in the order in which they run, and the output."""
    found: dict[str, Any] = {}
    runs: list[str] = []

    def hook(path: str) -> Callable[..., None]:
        def keep(module: nn.Module, given: Any, returned: Any) -> None:
            runs.append(path)
            found[path] = _mapped(returned, Tensor.clone)  # it may be changed in place

        return keep

    handles = [layer.register_forward_hook(hook(path)) for path, layer in layers.items()]
    try:
        output = model(batch)
    finally:
        for handle in handles:
            handle.remove()
    if len(runs) != len(layers) or len(found) != len(layers) or not all(tensors_of((one,)) for one in found.values()):
        raise BadInput(NO_MODULE)
    return found, output


@contextmanager
def _returning(layers: Mapping[str, nn.Module], returned: Mapping[str, Any]) -> Iterator[None]:
    """Let each layer return a copy of what is given."""
    before = {path: vars(layer)["forward"] for path, layer in layers.items() if "forward" in vars(layer)}
    try:
        for path, layer in layers.items():
            layer.forward = lambda *_, found=returned[path], **__: _mapped(found, Tensor.clone)
        yield
    finally:
        for path, layer in layers.items():
            vars(layer).pop("forward", None)
            vars(layer).update({"forward": before[path]} if path in before else {})


def _mapped(value: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """Return a layer's result with a function of each of its tensors."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, tuple | list):
        parts = [_mapped(one, function) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {name: _mapped(one, function) for name, one in value.items()}
    return value


def _noise_like(tensor: Tensor, generator: torch.Generator) -> Tensor:
    if not tensor.is_floating_point():
        return tensor
    return torch.rand(tensor.shape, generator=generator).to(tensor)


def _same(output: Any, other: Any) -> bool:
    """Return whether two outputs of a model hold the same numbers, up to rounding."""
    one, two = (tensors_of((getattr(found, "logits", found),)) for found in (output, other))
    return len(one) == len(two) > 0 and all(
        first.shape == second.shape and float((first - second).abs().max()) <= _AS_BEFORE * float(second.abs().max())
        for first, second in zip(one, two, strict=True)
    )
