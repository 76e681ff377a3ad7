"""What a figure costs: recording during a training, and the files of ViT-B/16.

Run: python -m benchmarks.figures
"""

import time
from statistics import median

import torch
from torch import nn

import attnviz
from attnviz.data import vision
from benchmarks.clock import amount


def model() -> nn.Module:
    torchvision = vision.torchvision()
    made: nn.Module = torchvision.models.VisionTransformer(
        image_size=32, patch_size=4, num_layers=6, num_heads=4, hidden_dim=128, mlp_dim=256, num_classes=10
    )
    return made


def seconds(steps: int, every: int | None) -> tuple[float, float]:
    """Return how long a training takes, and how long one recording within it."""
    torch.manual_seed(0)
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    record = attnviz.record(net, torch.rand(1, 3, 32, 32), every=every or steps + 1)
    record.take()  # finds where tokens lie, which is kept
    begin = time.perf_counter()
    record.take()
    once = time.perf_counter() - begin
    if every:
        record.follow(optimizer)
    begin = time.perf_counter()
    for _ in range(steps):
        pictures, labels = torch.rand(32, 3, 32, 32), torch.randint(0, 10, (32,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(pictures), labels).backward()
        optimizer.step()
    return time.perf_counter() - begin, once


def main() -> None:
    steps = amount(25, 2)
    plain, once = zip(*(seconds(steps, None) for _ in range(amount(3, 1))), strict=True)
    step, recording = median(plain) / steps, median(once)
    print("| | ms | times a step of the training |")
    print("| --- | --- | --- |")
    for name, one in (("a step", step), ("a recording", recording), ("a recording, every 500 steps", recording / 500)):
        print(f"| {name} | {one * 1000:.3g} | {one / step:.3g} |")
    large = amount(vision.torchvision().models.vit_b_16, model)()
    side = amount(224, 32)
    pictures = torch.rand(1, 3, side, side)
    watched = attnviz.watch(large.eval())
    begin = time.perf_counter()
    seen = watched(pictures)
    passed = time.perf_counter()
    figure = attnviz.figure(seen, query=(5, 7))
    layers = len(seen.captured.calls)
    made = time.perf_counter()
    size = figure.megabytes
    written = time.perf_counter()
    print(f"\n| {amount('ViT-B/16', 'a small ViT')}, {layers} layers | s | times a watched pass |")
    print("| --- | --- | --- |")
    times = {"a watched pass": passed - begin, "its figure": made - passed, "the figure's HTML": written - made}
    for name, took in times.items():
        print(f"| {name} | {took:.3g} | {took / (passed - begin):.3g} |")
    print(f"\nThe HTML has {size:.3g} MB, {size / layers:.2g} MB a layer.")


if __name__ == "__main__":
    main()
