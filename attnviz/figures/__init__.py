"""A view as a file or as the output of a notebook: a picture, the numbers, or the viewer itself.

figure.py  shown.py        views of attention, the choice of what to show, and its numbers: `attnviz.figure`
ours.py  captured.py       sources of views: one of our subjects, or a trace of any model
lies.py        where the tokens of a captured layer lie, and which of them attend to which
gates.py      figures of gates: `attnviz.gates`
kinds.py      the table of figures for models without attention between tokens; glimpses.py has paths of glimpses
saved.py      shared by all figures: writing files, and display in a notebook
maps.py  colours.py        the values of each map, and their colours, as in the viewer
record.py  callbacks.py     the history of your own training: `attnviz.record`
history.py    such a history as a file
static.py      pictures by matplotlib
page.py  modules.py        the viewer in one HTML file
widget.py      a viewer for notebooks that computes a layer when it is selected
command.py     `attnviz figure` and `attnviz view`
"""
