"""All heads of a net over many pictures: what each does, how sure that is, and which pictures move it.

    heads = attnviz.heads("pixel_attention.digits", "strokes", count=500)
    heads.mean("effect").value                       # float64 (head,), beside .low and .high
    heads["effect"]                                  # float64 (head, picture)
    heads.random.mean("entropy").value               # the same of the net with random weights

What maps alone tell is computed in attnviz/measures/heads.py.

calls.py       which heads there are
passes.py      what further passes tell: heads switched off, the gradient, tokens erased
work.py        all of it in parts, which are kept on disk
kept.py        where, and by what digest
table.py       what is measured, and the result: means, intervals, parts of the pictures
claims.py      statements about a head, tested over pictures
export.py      CSV, npz, one HTML file
door.py        `attnviz.heads`: from a name to a net and its pictures
command.py     `attnviz heads`
"""
