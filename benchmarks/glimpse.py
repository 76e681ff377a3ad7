"""What do six glimpses cost? The retina against a loop over pictures, and training against the net without a retina.

In seconds of the processor, of which one thread is used.

python -m benchmarks.glimpse
"""

from time import process_time

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, pad

from attnviz.layers.glimpse import Retina
from attnviz.models.recurrent_attention import RecurrentAttention
from attnviz.training.objectives.reinforcement import Reinforcement
from benchmarks.clock import amount, in_turn, table

BATCHES, GLIMPSES, SIDE, SIZE, SCALES = (32, 128), 6, 40, 12, 3
PICTURES, EPOCHS, ROUNDS = amount((10_000, 3, 101), (64, 1, 1))


class Free(Retina):
    """A retina whose glimpses cost nothing: it always sees the same."""

    def maps(self, images: Tensor) -> Tensor:
        return torch.full((len(images), self.scales * self.size**2), 0.5)

    def forward(self, maps: Tensor, location: Tensor) -> Tensor:
        return maps.unflatten(1, (self.scales, self.size, self.size))


def looped(retina: Retina, images: Tensor, locations: Tensor) -> Tensor:
    """Cut the patches of one picture after the other, as most implementations do."""
    margin = SIZE << (SCALES - 1)
    padded, corners, found = pad(images, (margin,) * 4), retina.corners(locations), []
    for picture, places in zip(padded, (corners + margin).tolist(), strict=True):
        for scale, (row, column) in enumerate(places):
            width = SIZE << scale
            cut = picture[:, row : row + width, column : column + width]
            found.append(avg_pool2d(cut, 1 << scale) if scale else cut)
    return torch.cat(found).unflatten(0, (len(images), SCALES))


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    retina = Retina(rows=SIDE, columns=SIDE, size=SIZE, scales=SCALES)
    for batch in BATCHES:
        images, locations = torch.rand(batch, 1, SIDE, SIDE), torch.rand(GLIMPSES, batch, 2) * 2 - 1

        def gathered(images: Tensor = images, locations: Tensor = locations) -> Tensor:
            maps = retina.maps(images)
            return torch.stack([retina(maps, location) for location in locations])

        def by_loop(images: Tensor = images, locations: Tensor = locations) -> Tensor:
            return torch.stack([looped(retina, images, location) for location in locations])

        apart = float((gathered() - by_loop()).abs().max())
        print(f"{GLIMPSES} glimpses, batch {batch}; largest difference {apart:.1e}")
        ways = {"maps and gathers": gathered, "loop over pictures": by_loop}
        print(table(in_turn(ways, ROUNDS, process_time), "maps and gathers"), "\n")

    model = RecurrentAttention(
        classes=tuple("0123456789"), rows=SIDE, columns=SIDE, size=SIZE, scales=SCALES, location_hidden=128
    )
    goal, generator = Reinforcement(), torch.Generator().manual_seed(0)
    labels, free = torch.arange(PICTURES) % 10, Free(rows=SIDE, columns=SIDE, size=SIZE, scales=SCALES)
    pictures = torch.randint(0, 256, (PICTURES, 1, SIDE, SIDE), dtype=torch.uint8)
    optimiser = torch.optim.Adam(model.parameters())

    def epoch(eyes: Retina) -> None:
        model.glimpses.retina = eyes
        for images, its in zip(pictures.split(BATCHES[0]), labels.split(BATCHES[0]), strict=True):
            optimiser.zero_grad()
            goal.loss(model, images.float() / 255, its, generator)["loss"].backward()
            optimiser.step()

    print(f"An epoch of {PICTURES:,} pictures, batch {BATCHES[0]}")
    eyes = {"free glimpses": lambda: epoch(free), "with the retina": lambda: epoch(retina)}
    times = in_turn(eyes, EPOCHS, process_time)
    print(table(times, "free glimpses", "s", 1.0))


if __name__ == "__main__":
    main()
