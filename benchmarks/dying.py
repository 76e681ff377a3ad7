"""How often does a net die whose output norm starts with scales near 0, and how? The figures of one page's experiment.

python -m benchmarks.dying FILE.json

Models A and C of Bacochina and Thom de Souza (arXiv 2302.05488) stay at chance. A stand-in dies in the same way: model
A without its attention branch, which adds 0.1 % there at the start. Each of its layers is then `ReLU(norm(x + bias))`,
with one scale from N(0, 0.02) and one shift; a linear layer follows. A layer is dead when it gives 0 at every pixel of
every picture: no gradient comes back through it. Takes some minutes; needs Fashion-MNIST.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnviz import data
from attnviz.answers import as_batch
from benchmarks.clock import amount

SEEDS, STEPS, BATCH = amount(60, 1), amount(45, 2), 1024  # three epochs of full batches have as many steps
STD, RATE = 0.02, 1e-3


class StandIn(nn.Module):
    """Model A without attention."""

    def __init__(self, layers: int, generator: torch.Generator) -> None:
        super().__init__()
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(1)) for _ in range(layers)])
        self.norms = nn.ModuleList([nn.BatchNorm2d(1) for _ in range(layers)])
        self.classifier = nn.Linear(784, 10)
        nn.init.zeros_(self.classifier.bias)
        for weight in (*(norm.weight for norm in self.norms), self.classifier.weight):
            nn.init.normal_(weight, 0, STD, generator=generator)

    def forward(self, images: Tensor) -> tuple[Tensor, list[dict[str, float]]]:
        said = []
        for bias, norm in zip(self.biases, self.norms, strict=True):
            inner = images + bias
            images = norm(inner).relu()
            variance, mean = torch.var_mean(inner.detach(), correction=0)
            said.append(
                {
                    "bias": bias.item(),
                    "mean": mean.item(),
                    "variance": variance.item(),
                    "scale": norm.weight.item(),
                    "shift": norm.bias.item(),
                    "above": (images.detach() > 0).float().mean().item(),
                }
            )
        return self.classifier(images.flatten(1)), said


def course(images: Tensor, labels: Tensor, layers: int, seed: int) -> dict[str, Any]:
    """Train one net; return its loss and, per step and layer, scale, shift, and the share of outputs above 0."""
    generator = torch.Generator().manual_seed(seed)
    net = StandIn(layers, generator)
    optimiser = torch.optim.Adam(net.parameters(), RATE)
    order = torch.randperm(len(images), generator=generator)
    steps, losses = [], []
    for step in range(STEPS + 1):
        batch = order[(step * BATCH) % len(order) :][:BATCH]
        logits, said = net(images[batch])
        loss = cross_entropy(logits, labels[batch])
        steps.append(said)
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    dead = min(layer["above"] for layer in steps[-1]) == 0
    return {"layers": layers, "seed": seed, "dead": dead, "losses": losses, "steps": steps}


def main() -> None:
    torch.set_num_threads(1)
    pictures, labels = data.load("fashion_mnist", "train", count=amount(None, 2048))
    images = as_batch(pictures)
    answers = torch.from_numpy(labels.copy()).long()
    every = [course(images, answers, layers, seed) for layers in (2, 4) for seed in range(SEEDS)]
    counts = {}
    for layers in (2, 4):
        dead = [one["seed"] for one in every if one["layers"] == layers and one["dead"]]
        counts[layers] = dead
        print(f"{layers} layers: {len(dead)} of {SEEDS} seeds are dead after {STEPS} steps: {dead}")
    shown = [next((one for one in every if one["dead"] is dead and one["layers"] == 2), None) for dead in (True, False)]
    found = {"seeds": SEEDS, "batch": BATCH, "dead": counts, "courses": [one for one in shown if one]}
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(rounded(found)) + "\n")


def rounded(said: Any) -> Any:
    """Return what is said with six digits per number: more than any picture shows."""
    if isinstance(said, dict):
        return {str(name): rounded(one) for name, one in said.items()}
    if isinstance(said, list):
        return [rounded(one) for one in said]
    return float(f"{said:.6g}") if isinstance(said, float) else said


if __name__ == "__main__":
    main()
