"""A week in an hour: reruns over all pages by visitors who come and go, and what becomes of the server's memory."""

import asyncio
import random

from ffn_ui.site import CONTENTS

from .server import running
from .session import Visitor

RERUNS = 5_000
MOVES_A_VISIT = 25
FLAT_MB = 25.0  # from the first fifth, when the caches have filled, to the end


async def _walk(server, reruns):
    """Visitors one after the other, a random page each; yields the memory after every tenth of the reruns."""
    chance = random.Random(1)
    pages = ["", *(s.slug for s in CONTENTS[1:])]
    done, marks = 0, []
    while done < reruns:
        async with Visitor(server.port, chance.choice(pages), done) as visitor:
            for _ in range(MOVES_A_VISIT):
                await visitor.move()
        done += MOVES_A_VISIT
        if done * 10 // reruns > len(marks):
            marks.append(server.memory_mb)
    return marks


def rows(reruns=RERUNS):
    """One row: the memory along the way.

    Yields
    ------
    dict
    """
    with running() as server:
        start = server.memory_mb
        marks = asyncio.run(_walk(server, reruns))
    yield {
        "reruns": reruns, "memory_at_start_mb": start, "memory_every_tenth_mb": [round(m) for m in marks],
        "growth_since_a_fifth_mb": marks[-1] - marks[1], "ok": marks[-1] - marks[1] < FLAT_MB,
    }  # fmt: skip
