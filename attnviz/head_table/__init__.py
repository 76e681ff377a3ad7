"""All heads of a net over many pictures: measures of each head on each picture, and their means with intervals.

    heads = attnviz.heads("pixel_attention.digits", "strokes", count=500)
        heads.mean("effect").value                       # float64 (head,), with intervals .low and .high
    heads["effect"]                                  # float64 (head, picture)
        heads.random.mean("entropy").value               # the same for the net with random weights

Measures of maps alone are computed in attnviz/measures/heads.py.

calls.py       the heads of a model
passes.py      measures from further passes: heads switched off, the gradient, tokens erased
work.py        all measures, in parts that are stored on disk
kept.py        where the parts are stored, and their digests
table.py       the measures, and the result: means, intervals, subsets of the pictures
claims.py      statements about a head, tested over pictures
export.py      CSV, npz, one HTML file
door.py        `attnviz.heads`: from a name to a net and its pictures
command.py     `attnviz heads`
"""
