"""The shelf: results that are made with a progress bar, kept for all sessions, bounded and interruptible."""

import pytest

from ffn_ui import cache


class Place:
    """What an `st.empty()` was asked to show."""

    def __init__(self):
        self.shown = []

    def progress(self, share, label):
        self.shown.append((share, label))

    def empty(self):
        self.shown.append("empty")


def made(value, *shares):
    def make(progress):
        for share in shares:
            progress(share)
        return value

    return make


def refuse(progress):
    raise AssertionError("made again")


def test_a_result_is_made_once():
    assert cache.shelved(("once", 1), made("result"), Place()) == "result"
    assert cache.shelved(("once", 1), refuse, Place()) == "result"


def test_a_bar_shows_the_progress_and_is_gone_at_the_end():
    place = Place()
    cache.shelved(("bar", 1), made("result", 0.5, 1.0), place, "Counting")
    assert place.shown == [(0.5, "Counting"), (1.0, "Counting"), "empty"]


def test_without_a_label_nothing_is_shown():
    place = Place()
    cache.shelved(("quiet", 1), made("result", 0.5, 1.0), place)
    assert place.shown == []


def test_an_interrupted_result_is_not_kept():
    def interrupted(progress):
        progress(0.1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.shelved(("stopped", 1), interrupted, Place(), "Counting")
    assert cache.shelved(("stopped", 1), made("whole"), Place()) == "whole"


def test_the_shelf_is_bounded_and_drops_what_was_used_longest_ago():
    cache.shelved(("old", 0), made(0), Place())
    for k in range(1, cache.SHELF_SIZE):
        cache.shelved(("old", k), made(k), Place())
    cache.shelved(("old", 0), refuse, Place())
    cache.shelved(("new", 0), made("new"), Place())
    assert len(cache._shelf) == cache.SHELF_SIZE
    assert ("old", 0) in cache._shelf
    assert ("old", 1) not in cache._shelf
