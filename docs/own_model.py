"""Write the reports in docs/own_model.md again.

python -m docs.own_model

Weights are random; a report depends on them only where two numbers happen to be equal.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

import attnviz
from attnviz.data.vision import torchvision

PAGE = Path(__file__).parent / "own_model.md"


def of_timm(name: str, **options: Any) -> nn.Module:
    """Return a model of timm."""
    import timm

    model: nn.Module = timm.create_model(name, **options)
    return model


def models() -> dict[str, tuple[str, Callable[[], nn.Module], tuple[int, int]]]:
    """Return title -> how it is built, in code and as a function, and the size of its pictures."""
    library = torchvision().models
    return {
        "A vision transformer of torchvision": ("torchvision.models.vit_b_16()", library.vit_b_16, (224, 224)),
        "A class token and four registers, a picture that is not square": (
            'timm.create_model("vit_small_patch14_reg4_dinov2", img_size=(140, 224))',
            lambda: of_timm("vit_small_patch14_reg4_dinov2", img_size=(140, 224)),
            (140, 224),
        ),
        "Windows and shifted windows": ("torchvision.models.swin_t()", library.swin_t, (224, 224)),
        "Talking heads": ('timm.create_model("cait_xxs24_224")', lambda: of_timm("cait_xxs24_224"), (224, 224)),
        "Gates": ("torchvision.models.mobilenet_v3_small()", library.mobilenet_v3_small, (224, 224)),
    }


def main() -> None:
    parts = []
    for title, (code, build, size) in models().items():
        torch.manual_seed(0)
        report = attnviz.watch(build().eval(), "*")(torch.randn(1, 3, *size)).report()
        parts.append(f"### {title}\n\n```\n>>> model = {code}\n{report}\n```\n")
    text = PAGE.read_text("utf-8")
    begin, end = "<!-- reports -->\n", "<!-- end of reports -->"
    PAGE.write_text(re.sub(f"{begin}.*{end}", lambda _: begin + "\n" + "\n".join(parts) + "\n" + end, text, flags=re.S))


if __name__ == "__main__":
    main()
