"""Do drawn digits teach what handwritten ones look like?

    ATTNVIZ_DATA=FOLDER python benchmarks/strokes_to_mnist.py

A small convolutional net is trained on `strokes` alone and tested on MNIST's test set, which it meets once, at the end.
The other way, logistic regression on the standardised pixels is trained on MNIST's training ones and eights and tested
on drawn ones and eights. Needs MNIST in the data folder and some minutes on one core.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

from attnviz import data
from attnviz.answers import as_batch
from attnviz.data import Dataset, strokes
from benchmarks.clock import amount


def tensors(dataset: Dataset) -> tuple[torch.Tensor, torch.Tensor]:
    """Make (count, channel, row, column) in 0..1 and labels of a data set."""
    return as_batch(dataset.images), torch.tensor(dataset.labels)


def small_net() -> nn.Module:
    """Three convolutions and two dense layers: 98 thousand weights."""
    layers: list[nn.Module] = []
    for before, after in ((1, 16), (16, 32), (32, 64)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.3), nn.Linear(576, 128), nn.ReLU(), nn.Linear(128, 10))


def train(net: nn.Module, images: torch.Tensor, labels: torch.Tensor, epochs: int, rate: float) -> None:
    """Train in place with Adam, batch 128, the rate rising and falling once."""
    batches = len(images) // 128
    optimiser = torch.optim.Adam(net.parameters(), rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=epochs * batches)
    net.train()
    for _ in range(epochs):
        for batch in torch.randperm(len(images))[: batches * 128].split(128):
            loss = nn.functional.cross_entropy(net(images[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()


def right(net: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Say for each picture whether the net names its class, (count,) bool."""
    net.eval()
    with torch.no_grad():
        return torch.cat([net(part).argmax(1) for part in images.split(1000)]) == labels


def main() -> None:
    """Train, test and print the table."""
    parser = argparse.ArgumentParser(description="Train on strokes, test on MNIST, and the other way round.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=amount(5, 1))
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    mnist_test = data.load("mnist", "test", count=amount(None, 1024))
    ones_and_eights = data.load("mnist", "train", classes=(8, 1), count=amount(None, 1024))

    started = time.perf_counter()
    drawn = data.load("strokes", "train", count=amount(None, 1024))
    drawing = time.perf_counter() - started
    net = small_net()
    train(net, *tensors(drawn), epochs=options.epochs, rate=4e-3)
    seconds = time.perf_counter() - started - drawing
    known = right(net, *tensors(mnist_test))

    drawn_pairs = data.load("strokes", "test", classes=(8, 1), count=amount(None, 1024))
    images, labels = tensors(ones_and_eights)
    middle, spread = images.mean(), images.std()
    line = nn.Sequential(nn.Flatten(), nn.Linear(784, 2))
    train(line, (images - middle) / spread, labels, epochs=30, rate=1e-3)
    pair_images, pair_labels = tensors(drawn_pairs)
    told_apart = right(line, (pair_images - middle) / spread, pair_labels)

    print(f"strokes version {strokes.VERSION}: {len(drawn.labels):,} pictures drawn in {drawing:.1f} s")
    print(f"seed {options.seed}, {options.epochs} epochs, trained in {seconds:.0f} s on {options.threads} thread(s)\n")
    print("| trained on | model | tested on | pictures | accuracy |")
    print("|---|---|---|---|---|")
    print(f"| strokes | small CNN | MNIST test | {len(known):,} | {known.float().mean():.2%} |")
    for digit in range(10):
        share = known[torch.tensor(np.array(mnist_test.labels) == digit)]
        print(f"| | | only {digit} | {len(share):,} | {share.float().mean():.2%} |")
    print(
        f"| MNIST train, 1 and 8 | line through the pixels | strokes test, 1 and 8 | {len(told_apart):,} | "
        f"{told_apart.float().mean():.2%} |"
    )


if __name__ == "__main__":
    main()
