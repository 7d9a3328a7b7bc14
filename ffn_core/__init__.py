"""The mathematics of the feed-forward block, in numpy, to be read.

Read in this order: `activations`, `ffn`, `gain`, `counts`, `information`; `rng` replays the lesson's random numbers,
`lesson` holds its worked examples, and `reference` compares ours with every number the lesson prints.
"""
