"""A model of the visitor's own, as a net: `own:NAME@DIGEST`. Whoever starts the server names it; a browser cannot.

ATTNVIZ_MODEL    FILE.py:FUNCTION or package.module:FUNCTION: a function without arguments that returns a torch module,
                 or (module, preprocessing, class names); each of the last two may be None
ATTNVIZ_TIMM     in its place, a model of timm
ATTNVIZ_WEIGHTS  a .safetensors file with the weights of ATTNVIZ_TIMM; without it they are random
"""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from attnviz.errors import AttnvizError, BadInput
from attnviz.models import Input
from attnviz.subjects.net import Net

if TYPE_CHECKING:
    from torch import Tensor, nn

MODEL, TIMM, WEIGHTS = "ATTNVIZ_MODEL", "ATTNVIZ_TIMM", "ATTNVIZ_WEIGHTS"
KIND = "own"
ARCHITECTURE = "own"
SIDE = 224  # pixels, where the model names no preprocessing
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet

_one_at_a_time = Lock()


@dataclass(frozen=True, eq=False)
class Own:
    """A model of the visitor's own.

    Args:
        net: that names it.
        model: in evaluation mode; shared by all visitors, and never changed.
        prepare: from a PIL image to what the model takes, (channel, row, column).
    """

    net: Net
    model: nn.Module
    prepare: Callable[[Any], Tensor]


def there() -> bool:
    """Return whether the server was started with a model of the visitor's own."""
    return bool(os.environ.get(MODEL) or os.environ.get(TIMM))


def own() -> Own:
    """Return the model that the server was started with, which is built once.

    Raises:
        BadInput: there is none, or it cannot be built; the sentence says why.
    """
    words = os.environ.get(MODEL, ""), os.environ.get(TIMM, ""), os.environ.get(WEIGHTS, "")
    with _one_at_a_time:
        return _built(*words)


def own_net(key: str) -> Net:
    """Return the net of that key.

    Raises:
        BadInput: the server was started without a model, or with another one.
    """
    if not there():
        raise BadInput(
            f"{key} is a model of somebody's own, and this server was started without one. Set {MODEL} to "
            "FILE.py:FUNCTION, and start it again."
        )
    net = own().net
    if key not in (net.key, f"{KIND}:{net.title}"):
        raise BadInput(f"{key} is not the model that this server was started with, which is {net.key}.")
    return net


@lru_cache(maxsize=1)
def _built(word: str, timm: str, weights: str) -> Own:
    from torch import nn

    if bool(word) == bool(timm):
        raise BadInput(f"Set one of {MODEL} and {TIMM}.")
    if weights and not timm:
        raise BadInput(f"{WEIGHTS} goes with {TIMM}; the function that {MODEL} names loads its weights by itself.")
    try:
        made = _of_timm(timm, weights) if timm else _of_function(word)
    except AttnvizError:
        raise
    except Exception as error:  # whatever code that is not ours raises
        raise BadInput(f"{timm or word} cannot be built: {type(error).__name__}: {error}") from error
    model, prepare, classes = made if isinstance(made, tuple) and len(made) == 3 else (made, None, None)
    if not isinstance(model, nn.Module):
        raise BadInput(
            f"{timm or word} returned {type(made).__name__}; expected a torch module, or (module, preprocessing, "
            "class names)."
        )
    if prepare is not None and not callable(prepare):
        raise BadInput(f"{timm or word}: expected a function from a PIL image to a tensor as preprocessing.")
    model.eval().requires_grad_(False)
    name, digest = timm or word.rpartition(":")[2], _digest(model)
    net = Net(
        key=f"{KIND}:{name}@{digest[:12]}",
        title=name,
        architecture=ARCHITECTURE,
        config={},
        classes=tuple(str(one) for one in classes or ()),
        input=Input(3, SIDE, SIDE, "resized"),
        digest=digest,
        parameters=sum(one.numel() for one in model.parameters()),
        build=lambda: copy.deepcopy(model),
    )
    return Own(net, model, prepare or _as_imagenet)


def _of_function(word: str) -> Any:
    from attnviz.capture.loading import made_by
    from attnviz.data import vision

    with suppress(ImportError):  # the model may not need it
        vision.torchvision()  # with torch's CPU build beside the ordinary wheel, `import torchvision` fails otherwise
    return made_by(word)


def _of_timm(name: str, weights: str) -> tuple[nn.Module, Callable[[Any], Tensor], Sequence[str] | None]:
    from attnviz.data import vision

    vision.torchvision()  # timm imports it
    try:
        import timm
    except ModuleNotFoundError as error:
        raise BadInput("Models of timm need timm: pip install timm.") from error
    model = timm.create_model(name, pretrained=False)
    if weights:
        from safetensors.torch import load_file

        if not Path(weights).is_file():
            raise BadInput(f"There is no file {weights}.")
        model.load_state_dict(load_file(weights))
    settings = timm.data.resolve_model_data_config(model)  # type: ignore[attr-defined, no-untyped-call]
    prepare = timm.data.create_transform(**settings, is_training=False)  # type: ignore[attr-defined]
    names = _imagenet() if getattr(model, "num_classes", 0) == 1000 else None
    return model, prepare, names


def _imagenet() -> list[str]:
    """Return the names of ImageNet's 1,000 classes, which timm ships."""
    from timm.data import ImageNetInfo  # type: ignore[attr-defined]

    info = ImageNetInfo()
    return [info.index_to_description(number).partition(",")[0] for number in range(1000)]


def _as_imagenet(image: Any) -> Tensor:
    """Return a picture's middle in 224 x 224 pixels, normalised as most models are."""
    import numpy as np
    import torch
    from PIL import Image, ImageOps

    pixels = np.asarray(ImageOps.fit(image.convert("RGB"), (SIDE, SIDE), Image.Resampling.BICUBIC))
    mean, deviation = torch.tensor(MEAN)[:, None, None], torch.tensor(DEVIATION)[:, None, None]
    return (torch.from_numpy(pixels.copy()).permute(2, 0, 1) / 255 - mean) / deviation


def _digest(model: nn.Module) -> str:
    import torch

    digest = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        if tensor.numel():
            digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
