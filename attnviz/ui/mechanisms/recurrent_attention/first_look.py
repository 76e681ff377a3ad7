"""The picture with which the page opens, which the model answers correctly, and its path, computed in advance.

After a training, `python -m attnviz.ui.mechanisms.recurrent_attention.first_look` computes both again for every model
here whose pictures need no download. A test compares them with the results of the models. For other data sets the
picture is found on request.
"""

from attnviz import cards, data
from attnviz.subjects import Net, Picture, Subject, usable
from attnviz.ui.shared import cache, first_look, pickers
from attnviz.views.glimpses import GlimpseView
from attnviz.views.payload import header_of


def opens(net: Net, source: str) -> Picture:
    """Return the first picture of an available data set that a net answers correctly along its first draw.

    Torch is loaded only if no first look at the data set is stored."""
    found = None if net.card is None else first_look.stored(net.key)
    if found is not None:
        asked = header_of(found)["ask"]
        if asked["data"] == source:
            return Picture(**asked)
    from attnviz.ui.mechanisms.recurrent_attention import glances

    return Picture(source, cache.of_net(glances.first_right, net, source))


Places = tuple[tuple[float, float], ...]


def view(subject: Subject, draw: int | None, forced: Places = ()) -> GlimpseView:
    """Return the player's contents for a subject; torch is loaded only if they are not stored.

    `draw` is the seed of the random numbers, or None for the path along the means. `forced` holds the (row, column) in
    -1..1 of each glimpse whose location is prescribed.
    """
    found = stored(subject, draw, forced)
    if found is not None:
        return GlimpseView.unpacked(found)
    from attnviz.ui.mechanisms.recurrent_attention import glances

    return cache.of_subject(glances.view, subject, draw, forced)


def stored(subject: Subject, draw: int | None, forced: Places = ()) -> bytes | None:
    """Return the payload of `view` if it was computed in advance, else None."""
    if subject.net.card is None or draw != 0 or forced:
        return None
    return first_look.stored(subject.net.key, subject.example.key)


def renew() -> None:
    """Compute the first looks again and write them next to the weights."""
    from attnviz.ui.mechanisms.recurrent_attention import glances

    for net in usable([name for name in cards.names() if name.startswith("recurrent_attention.")]).values():
        always = [name for name in pickers.sources(net) if not data.spec(name).megabytes]
        if always:
            loaded = net.load()
            picture = Picture(always[0], glances.first_right(loaded, always[0]))
            first_look.keep(net.key, glances.view(loaded, picture, 0).packed())


if __name__ == "__main__":
    renew()
