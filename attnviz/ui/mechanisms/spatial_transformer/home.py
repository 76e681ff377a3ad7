"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.spatial_transformer.home`."""

import numpy as np
from PIL.Image import Image

from attnviz.subjects import Picture, net
from attnviz.ui.mechanisms.spatial_transformer import MECHANISM, grids
from attnviz.ui.mechanisms.spatial_transformer.many import path_of
from attnviz.ui.shared import home_picture

CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
SHRUNK = 0.75  # of the picture, so that the grid, which may reach beyond it, has room


def tiles() -> tuple[Image, Image]:
    """Return the digit with the outline of its grid, and what is sampled."""
    assert MECHANISM.home is not None
    shown = MECHANISM.home.view
    loaded, picture = net(shown["model"]).load(double=True), Picture(shown["data"], shown["number"])
    seen, _ = grids.seen_of(loaded, picture)
    path = path_of(loaded)
    theta = seen[f"{path}.theta"].tensor[0].numpy()
    sampled = seen[f"{path}.transformed"].tensor[0, 0].numpy()
    image = picture.taken_by(loaded.net)[..., 0]
    around = [round(count * (1 / SHRUNK - 1) / 2) for count in image.shape]
    padded = np.pad(image, [(one, one) for one in around])
    rows, columns = image.shape
    left = home_picture.grey(padded)
    points = []
    for x, y in CORNERS:
        across, down = theta @ (x, y, 1)
        points.append((around[0] + (down + 1) * rows / 2, around[1] + (across + 1) * columns / 2))
    home_picture.path(left, padded.shape, points)
    return left, home_picture.grey(255 * sampled)


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)
