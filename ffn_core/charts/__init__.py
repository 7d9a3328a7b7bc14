"""The pictures: a figure is a `*_frame` (numbers, pandas) and a `*_chart` (looks, Altair, no data in it).

A chart names its datasets with `alt.NamedData`; whoever shows it sends frames under those names. What changes from one
view to the next goes into a frame, so the compiled chart stays the same and the browser only patches its data.
"""
