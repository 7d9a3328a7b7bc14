"""A class at once: sessions spread over all pages, one change a second each."""

import asyncio
import collections
import time

from ffn_ui.site import CONTENTS

from .figures import percentile
from .server import running
from .session import Visitor

INTERVAL_S = 1.0
MOST_MB = 250.0  # a process
BUDGETS_MS = {20: 150.0, 50: 300.0}  # p95, by the number of sessions


async def student(port, page, seed, deadline, seen):
    """One session: opens its page, then moves a control once a second until the deadline."""
    try:
        async with Visitor(port, page, seed) as visitor:
            seen["first"].append(visitor.first.ms)
            await seen["everyone"].wait()
            tick = time.perf_counter() + visitor.random.random() * INTERVAL_S
            while tick < deadline[0]:
                await asyncio.sleep(max(0.0, tick - time.perf_counter()))
                seen["ms"].append((await visitor.move()).ms)
                tick += INTERVAL_S
                while tick < time.perf_counter():
                    tick += INTERVAL_S
                    seen["missed"] += 1
    except Exception as error:  # every failure is counted and shown, none stops the others
        seen["errors"][f"{type(error).__name__}: {error}"[:120]] += 1


async def crowd(servers, sessions, duration_s):
    """So many students for so many seconds, each on one of the servers as sticky sessions are.

    Returns
    -------
    dict
    """
    pages = ["", *(s.slug for s in CONTENTS[1:])]
    seen = {"first": [], "ms": [], "missed": 0, "errors": collections.Counter(), "everyone": asyncio.Event()}
    deadline = [float("inf")]
    tasks = []
    for k in range(sessions):
        tasks.append(
            asyncio.create_task(student(servers[k % len(servers)].port, pages[k % len(pages)], k, deadline, seen))
        )
        await asyncio.sleep(0.05)
    while len(seen["first"]) + sum(seen["errors"].values()) < sessions:
        await asyncio.sleep(0.05)
    deadline[0] = time.perf_counter() + duration_s
    seen["everyone"].set()
    peak = 0.0
    while any(not task.done() for task in tasks):
        await asyncio.sleep(0.5)
        peak = max(peak, *(server.memory_mb for server in servers))
    return {
        "sessions": sessions, "processes": len(servers), "reruns": len(seen["ms"]),
        **{f"p{q}_ms": percentile(seen["ms"], q) for q in (50, 95, 99)},
        "missed": seen["missed"], "errors": dict(seen["errors"]), "memory_mb": peak,
    }  # fmt: skip


def judged(row):
    """The row with whether it is within the budget."""
    met = row["p95_ms"] <= BUDGETS_MS[row["sessions"]] and row["memory_mb"] < MOST_MB
    return {**row, "ok": met and not row["missed"] and not row["errors"]}


def rows(duration_s=20):
    """20 and 50 sessions on a fresh server, and its memory before and after; then both on two processes.

    Yields
    ------
    dict
    """
    with running() as server:
        start = server.memory_mb
        for sessions in BUDGETS_MS:
            yield judged(asyncio.run(crowd([server], sessions, duration_s)))
        time.sleep(3)
        yield {"sessions": 0, "memory_at_start_mb": start, "memory_after_they_left_mb": server.memory_mb}
    with running() as one, running() as other:
        for sessions in BUDGETS_MS:
            yield judged(asyncio.run(crowd([one, other], sessions, duration_s)))
