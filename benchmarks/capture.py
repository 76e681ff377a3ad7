"""What does capturing the attention of a model cost? Against the bare pass, at batch 1.

python -m benchmarks.capture [ROUNDS]

Torchvision's ViT-B/16 calls nn.MultiheadAttention, which has a fast path that capturing turns off; ViT-Tiny is timm's,
where that is installed. "Nothing watched" is a pass after others have been captured.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import torch
from torch import Tensor, nn

import attnviz
from attnviz.data.vision import torchvision
from benchmarks.clock import amount, in_turn, table

ROUNDS = amount(15, 1)


def bare(model: nn.Module, pictures: Tensor) -> None:
    """Run a pass that nobody watches."""
    with torch.no_grad():
        model(pictures)


def watched(model: nn.Module, pictures: Tensor, keep: str) -> None:
    """Run a pass of which something is kept; its weights are not asked for."""
    attnviz.watch(model, keep)(pictures)


def of(model: nn.Module, one: str) -> dict[str, Callable[[], None]]:
    """Return what is timed of a model, one of whose layers has the given path."""
    pictures = torch.rand(1, 3, 224, 224)
    return {
        "bare pass": partial(bare, model, pictures),
        "the weights of one layer": partial(watched, model, pictures, f"{one}.weights"),
        "the weights of all layers": partial(watched, model, pictures, "*.weights"),
        "all taps of all layers": partial(watched, model, pictures, "*"),
        "nothing watched": partial(bare, model, pictures),
    }


def main() -> None:
    torch.set_num_threads(1)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    layer = "encoder.layers.encoder_layer_7.self_attention"
    vision = torchvision().models
    tiny = partial(vision.VisionTransformer, 224, 56, 8, num_heads=2, hidden_dim=16, mlp_dim=16)
    models = {"torchvision ViT-B/16": (amount(vision.vit_b_16, tiny)().eval(), layer)}
    if find_spec("timm"):
        import timm

        models["timm ViT-Tiny/16"] = (timm.create_model("vit_tiny_patch16_224").eval(), "blocks.7.attn")
    for name, (model, one) in models.items():
        print(f"\n{name}, in processor time\n")
        print(table(in_turn(of(model, one), rounds, time.process_time), "bare pass"), flush=True)


if __name__ == "__main__":
    main()
