"""Compare two of the trained models that come with attnviz on one drawn digit.

Run: python examples/checkpoints.py
"""

import torch

import attnviz
from attnviz import data


def main() -> None:
    images, labels = data.load("strokes", split="test", count=24)
    digit = torch.tensor(images[23:]).permute(0, 3, 1, 2) / 255  # (batch, channel, row, column) in 0..1
    for name in ("pixel_attention.digits", "vision_transformer.digits"):
        model, card = attnviz.load(name)
        with attnviz.trace(model, keep=["*.weights"]) as seen:
            answer = model(digit).softmax(-1)[0]
        kept = ", ".join(f"{path} {tuple(seen[path].tensor.shape)}" for path in seen)
        print(f"{card.name}: {card.classes[int(answer.argmax())]}, {float(answer.max()):.1%}; drawn was {labels[23]}")
        print(f"  {card.parameters:,} parameters; kept: {kept}")
    try:
        attnviz.load("pixel_attention.digit")
    except attnviz.AttnvizError as error:
        print(f"A name that does not exist: {error}")


if __name__ == "__main__":
    main()
