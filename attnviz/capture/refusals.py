"""Messages for attention that cannot be captured, and the checks behind them."""

from collections.abc import Collection, Iterable
from typing import Any

import torch
from torch import Tensor, nn

CHANGED = (
    "its weights are changed between the softmax and the values (talking heads, a gate, dropout in training mode): the "
    "softmax is not what the layer uses"
)
COMBINED = (
    "its output is combined with that of another attention of the same layer (differential attention): neither is what "
    "the layer uses"
)
COMPOSED = (
    "its weights are multiplied with other weights of the same layer, with an inverse of them, or twice, before they "
    "reach a query (a low-rank approximation such as Nyström's, several steps at once): no softmax alone is what the "
    "layer uses"
)
CHANNELS = "its softmax runs over channels, not over tokens: it weighs features of all tokens together"
LINEAR = (
    "a product of a product without a softmax of torch's between them (linear attention, a sigmoid, a kernel of "
    "distances, a softmax that is written out): there are no weights that can be checked"
)
NO_SCORES = (
    "its weights do not come from the product of a query and a key, or not in a way that can be followed (such as "
    "outlook attention, or scores that are gathered)"
)
OTHER_AXIS = "its softmax does not run over the keys that a query attends to (linear or slot attention)"
SINK = (
    "only a part of its softmax meets these values (an attention sink, or keys in several parts), so that these "
    "weights do not sum to one"
)
UNUSED = "the product of its weights and the values was not seen, so that they cannot be checked"
DROPOUT = "dropout is on, so that its weights are drawn at random: call model.eval() first"
SHAPE = "its values do not fit its weights, axis by axis"
QUERIES = "its weights are summed over queries, not over keys"


def unusual(tensors: Iterable[Any]) -> str:
    """Return why the values of tensors cannot be kept; "" if they can."""
    if torch._C._is_tracing():
        return "it is called while torch.jit.trace records the model"
    for one in tensors:
        if not isinstance(one, Tensor):
            continue
        if torch._C._functorch.is_functorch_wrapped_tensor(one):
            return "it is called under torch.vmap or another transform of torch.func"
        if type(one).__name__ in ("FakeTensor", "FunctionalTensor"):
            return "it is called under torch.export, where tensors have no values"
        if one.is_nested:
            return "its tensors are nested"
    return ""


def far(error: float) -> str:
    """Return the message for a call whose result differs from its weights times values."""
    return (
        f"weights times values differ from the result of the call by {error:.1e} relative, more than rounding: the "
        "weights that can be computed are not those that it used"
    )


def looks_like_attention(module: nn.Module) -> bool:
    """Return whether the name of a module's class is that of an attention."""
    return "attention" in type(module).__name__.lower() or "attn" in type(module).__name__.lower()


def carries_a_state(module: nn.Module) -> bool:
    """Return whether a module has a state decay among its own weights, under the names used by Mamba, RWKV and Griffin,
    or is called a retention."""
    own = {name for name, _ in module.named_parameters(recurse=False)}
    return not _DECAYS.isdisjoint(own) or "retention" in type(module).__name__.lower()


_DECAYS = {"A_log", "A_logs", "time_decay", "recurrent_param"}


def states(model: nn.Module, seen: Collection[str]) -> str:
    """Name the modules that carry a state and had no call captured or refused; "" if there are none."""
    named = [path for path, module in model.named_modules() if carries_a_state(module) and path not in seen]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    what = "a state is carried from token to token in place of attention (as in RWKV, Mamba and RetNet)"
    return f"In {', '.join(path or 'the model itself' for path in named[:3])}{more} {what}." if named else ""


def missed(model: nn.Module, seen: Iterable[str]) -> list[str]:
    """Return the paths of modules that look like attention and had no call captured or refused."""
    around = {path[:end] for path in seen for end in (*(n for n, sign in enumerate(path) if sign == "."), len(path))}
    modules = model.named_modules()
    named = [path for path, module in modules if looks_like_attention(module) and not carries_a_state(module)]
    inside = tuple(f"{path}." for path in {*seen})
    return [path for path in named if path and path not in around and not f"{path}.".startswith(inside)]


def nothing(model: nn.Module, refused: dict[str, str]) -> str:
    """Return the message that no attention was captured, with the refusals and the modules that may explain it."""
    modules = [(path, module) for path, module in model.named_modules() if not carries_a_state(module)]
    named = [path or type(model).__name__ for path, module in modules if looks_like_attention(module)]
    parts = [f"No attention was captured in {type(model).__name__}."]
    if refused:
        shown = [f"{path or 'the model itself'}: {why}" for path, why in list(refused.items())[:5]]
        more = f"; and {len(refused) - 5} more" if len(refused) > 5 else ""
        parts.append(f"Refused were {'; '.join(shown)}{more}.")
    if stateful := states(model, refused):
        parts.append(stateful)
    if named:
        more = f" and {len(named) - 10} more" if len(named) > 10 else ""
        parts.append(f"Modules that look like attention: {', '.join(named[:10])}{more}.")
    elif not refused and not stateful:
        parts.append("No module looks like attention either.")
    if not refused:
        parts.append("The model must run inside the block, and in its thread.")
    if isinstance(model, torch.fx.GraphModule):
        parts.append("A program that torch has made from a model has no taps: trace the model itself.")
    if isinstance(model, nn.DataParallel):
        parts.append("DataParallel runs in other threads: use model.module.")
    if jitted := scripted(model):
        parts.append(f"Modules compiled by torch.jit cannot be traced: {', '.join(jitted[:5])}.")
    return " ".join(parts)


def scripted(model: nn.Module) -> list[str]:
    """Return the paths of modules that torch.jit has compiled."""
    modules = model.named_modules()
    return [path or "the model" for path, module in modules if isinstance(module, torch.jit.ScriptModule)]
