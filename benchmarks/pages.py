"""Each page on the server: time, bytes and charts of one rerun, against the textbook one-chart page."""

import asyncio

from ffn_ui.site import CONTENTS

from .figures import percentile
from .server import FLOOR, running
from .session import Visitor

RERUNS = 40
PAUSE_S = 0.2  # between moves: back to back, the network's delayed acknowledgement adds 40 ms to every small answer
CHARTS_ON_A_LIGHT_PAGE = 3
BYTES_LIGHT, BYTES_HEAVY = 30_000, 60_000


async def rerun(server, page, reruns=RERUNS, of_bench=False):
    """Move a control of a page, again and again.

    Returns
    -------
    dict
        p50_ms, p95_ms, cpu_ms, kB and charts of a rerun.
    """
    async with Visitor(server.port, page) as visitor:
        for _ in range(3):
            await visitor.move(of_bench)
        before, answers = server.cpu_s, []
        for _ in range(reruns):
            await asyncio.sleep(PAUSE_S)
            answers.append(await visitor.move(of_bench))
        cpu = (server.cpu_s - before) / reruns
    times = [a.ms for a in answers]
    return {
        "p50_ms": percentile(times, 50), "p95_ms": percentile(times, 95), "cpu_ms": cpu * 1e3,
        "kB": percentile([a.bytes for a in answers], 50) / 1e3, "charts": visitor.charts_shown,
    }  # fmt: skip


def rows(reruns=RERUNS):
    """The floors first, then every page.

    Yields
    ------
    dict
    """
    with running(f"{FLOOR}/slider_only.py") as server:
        yield {"page": "floor: slider and text", **asyncio.run(rerun(server, "", reruns))}
    with running(f"{FLOOR}/one_chart.py", defaults=True) as server:
        floor = asyncio.run(rerun(server, "", reruns))
        yield {"page": "floor: one chart, default settings", **floor}
    with running() as server:
        for k, section in enumerate(CONTENTS):
            page = section.slug if k else ""
            row, whole = (asyncio.run(rerun(server, page, reruns, of_bench)) for of_bench in (False, True))
            budget = BYTES_LIGHT if row["charts"] <= CHARTS_ON_A_LIGHT_PAGE else BYTES_HEAVY
            yield {
                "page": section.title, **row, "ratio": row["p50_ms"] / floor["p50_ms"],
                "bench_p50_ms": whole["p50_ms"], "bench_ratio": whole["p50_ms"] / floor["p50_ms"],
                "bench_kB": whole["kB"],
                "ok": row["p50_ms"] <= 0.5 * floor["p50_ms"] and row["kB"] * 1e3 <= budget,
            }  # fmt: skip
