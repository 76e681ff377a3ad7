"""A user's own model as a net: `own:NAME@DIGEST`. It is named when the server is started; a browser cannot name it.

ATTNVIZ_MODEL    FILE.py:FUNCTION or package.module:FUNCTION: a function without arguments that returns a torch module,
                 or (module, preprocessing, class names); each of the last two may be None
ATTNVIZ_TIMM     instead of it, the name of a timm model
ATTNVIZ_WEIGHTS  the weights of ATTNVIZ_TIMM: a .safetensors file, or "random"; by default the pretrained weights
"""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput
from attnviz.models import Input
from attnviz.subjects.net import Net

if TYPE_CHECKING:
    from torch import Tensor, nn

    from attnviz.capture.loading import Loaded

MODEL, TIMM, WEIGHTS = "ATTNVIZ_MODEL", "ATTNVIZ_TIMM", "ATTNVIZ_WEIGHTS"
KIND = "own"
ARCHITECTURE = "own"

_one_at_a_time = Lock()


@dataclass(frozen=True, eq=False)
class Own:
    """A user's own model.

    Args:
        net: the net that describes it.
        loaded: the loaded model, shared by all visitors; it is changed only while the lock is held, and changed back.
        lock: held while it runs or is copied, since third-party modules may keep values between their parts.
    """

    net: Net
    loaded: Loaded
    lock: Lock = field(default_factory=Lock, repr=False)

    @property
    def model(self) -> nn.Module:
        """The torch module, in evaluation mode."""
        return self.loaded.model

    @property
    def prepare(self) -> Callable[[Any], Tensor]:
        """The preprocessing from a PIL image to the model's input, (channel, row, column)."""
        return self.loaded.prepare


def there() -> bool:
    """Return whether the server was started with a user's own model."""
    return bool(os.environ.get(MODEL) or os.environ.get(TIMM))


def check() -> None:
    """Check the environment variables before the model is built; BadInput: they contradict each other."""
    word, timm, weights = _words()
    if not (word or timm or weights):
        return
    from attnviz.capture.loading import parted, require

    if word and timm:
        raise BadInput(f"Set one of {MODEL} and {TIMM}.")
    if weights and not timm:
        raise BadInput(f"{WEIGHTS} goes with {TIMM}; the function that {MODEL} names loads its own weights.")
    require(weights)
    if word:
        parted(word)


def own() -> Own:
    """Return the model that the server was started with. It is built once; BadInput explains why it cannot be."""
    check()
    with _one_at_a_time:
        return _built(*_words())


def _words() -> tuple[str, str, str]:
    return os.environ.get(MODEL, ""), os.environ.get(TIMM, ""), os.environ.get(WEIGHTS, "")


def is_built() -> bool:
    """Return whether the model that the server was started with has been built."""
    return _built.cache_info().currsize > 0


def own_net(key: str) -> Net:
    """Return the net with the given key; BadInput: the server was started without a model, or with another one."""
    if not there():
        raise BadInput(
            f"{key} is somebody's own model, and this server was started without one. Set {MODEL} to "
            "FILE.py:FUNCTION, and start it again."
        )
    net = own().net
    if key not in (net.key, f"{KIND}:{net.title}"):
        raise BadInput(f"{key} is not the model that this server was started with, which is {net.key}.")
    return net


@lru_cache(maxsize=1)
def _built(word: str, timm: str, weights: str) -> Own:
    from attnviz.capture.loading import SIDE, load_model

    loaded = load_model(timm or word, timm=bool(timm), weights=weights)
    model = loaded.model
    model.requires_grad_(False)
    name, digest, lock = timm or word.rpartition(":")[2], _digest(model), Lock()

    def build() -> nn.Module:
        with lock:  # parts of it may be replaced while it runs
            return copy.deepcopy(model)

    net = Net(
        key=f"{KIND}:{name}@{digest[:12]}",
        title=name,
        architecture=ARCHITECTURE,
        config={},
        classes=loaded.classes,
        input=Input(3, SIDE, SIDE, "resized"),
        digest=digest,
        parameters=sum(one.numel() for one in model.parameters()),
        build=build,
    )
    return Own(net, loaded, lock)


def _digest(model: nn.Module) -> str:
    import torch

    digest = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        if tensor.numel():
            digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
