"""A view as a file or as the output of a notebook: a picture, the numbers, or the viewer itself.

figure.py  shown.py        what is shown, what is chosen of it, and its numbers: `attnviz.figure`
ours.py  captured.py       where views come from: a subject of ours, or a trace of any model
lies.py        where the tokens of a captured layer lie, and which of them attend to which
gates.py      the same of gates: `attnviz.gates`
kinds.py      the table of figures of models in which no token attends to another; glimpses.py has paths of glimpses
saved.py      what all can do: be written, and be shown by a notebook
maps.py  colours.py        the values of each map, and their colours, as the viewer has them
record.py  callbacks.py     the history of a training of one's own: `attnviz.record`
history.py    such a history as a file
static.py      pictures by matplotlib
page.py  modules.py        the viewer in one file of HTML
widget.py      a viewer for notebooks that computes a layer when it is chosen
command.py     `attnviz figure` and `attnviz view`
"""
