"""Makes the pictures of the home page in advance: `python -m attnviz.ui.home_pictures [NAME ...]`; without names, all.

A mechanism's row names the function that draws its two tiles. A test checks them against the models. Drawing them while
a visitor waits would require torch.
"""

import sys

from attnviz.subjects import Picture, net
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import home_picture


def tiles(name: str) -> home_picture.Pair:
    """Return the two tiles of a mechanism's picture: the input of the model, and a map of the mechanism."""
    row = MECHANISMS[name].home
    assert row is not None and row.tiles is not None
    shown, loaded = row.view, net(row.view["model"]).load(double=True)
    picture = Picture(shown["data"], shown["number"]) if "data" in shown else None
    image = None if picture is None else picture.taken_by(loaded.net)
    made: home_picture.Pair = row.tiles(loaded, picture, image, shown)
    return made


if __name__ == "__main__":
    for one in sys.argv[1:] or MECHANISMS:
        if found := MECHANISMS[one].home:
            home_picture.pair(*tiles(one)).save(found.file, optimize=True)
