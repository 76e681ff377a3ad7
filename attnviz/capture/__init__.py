"""Capture the attention and gates of any torch module as taps.

mode.py        sees the torch calls of a thread and recognises attention among them
lineage.py  products.py  mixing.py  gates.py        how attention is recognised
capturing.py   keeps, edits and checks the calls of one pass; refusals.py explains the calls that are refused
frames.py  layout.py        the module that makes a call, and the meaning of its leading axes
places.py  answers.py  places_kept.py     the positions of tokens on the picture
call.py        one call and its recomputation
seen.py  readings.py  watching.py        the results for the user
"""
