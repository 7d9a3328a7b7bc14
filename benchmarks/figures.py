"""Percentiles and timing loops that all benchmarks share."""

import math
import statistics
import time


def percentile(values, q):
    """The nearest-rank percentile of a non-empty sequence."""
    ordered = sorted(values)
    return ordered[min(len(ordered), max(1, math.ceil(q / 100.0 * len(ordered)))) - 1]


def seconds(function, repeats=7):
    """The median wall time of a call, in seconds, after one call to warm up."""
    function()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def paired_ratio(a, b, repeats=9):
    """The median of the ratios of two functions' wall times, taken in turn, so that a drifting machine cancels out."""
    a(), b()
    ratios = []
    for _ in range(repeats):
        start = time.perf_counter()
        a()
        middle = time.perf_counter()
        b()
        ratios.append((middle - start) / (time.perf_counter() - middle))
    return statistics.median(ratios)
