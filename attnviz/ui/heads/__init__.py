"""The page about heads over many pictures: the nets, the measurements, and the results.

nets.py       the nets that have attention heads
pictures.py   the chosen pictures: of a data set, or photographs
own.py        the choice of photographs for the visitor's own model
work.py       the table of heads, in parts of one background job
moved.py      the pictures that move a head
downloads.py  the table as files
claims.py     statements about a head, tested
question.py   does an ablation predict a retraining?
"""
