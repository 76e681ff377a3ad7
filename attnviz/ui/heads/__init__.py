"""The page about heads over many pictures: which nets, the work, what is drawn of it.

nets.py       the nets that have attention heads
pictures.py   the pictures that are asked for: of a data set, or photographs
own.py        the choice of photographs for a model of one's own
work.py       the table of heads, in parts of one background job
moved.py      the pictures that move a head
downloads.py  the table as files
claims.py     statements about a head, tested
question.py   does an ablation predict a retraining?
"""
