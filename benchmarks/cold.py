"""From starting the process to the first page on the wire."""

import asyncio
import time

from .figures import percentile
from .server import running
from .session import Visitor


async def _first(port):
    async with Visitor(port, "forward_pass") as visitor:
        return visitor.first.ms


def rows(starts=3):
    """Cold starts of the app.

    Yields
    ------
    dict
    """
    listening, whole = [], []
    for _ in range(starts):
        start = time.perf_counter()
        with running() as server:
            listening.append(server.started_s)
            asyncio.run(_first(server.port))
            whole.append(time.perf_counter() - start)
    yield {"what": "process start to listening", "value": percentile(listening, 50), "unit": "s", "budget": None}
    yield {"what": "process start to the first page", "value": percentile(whole, 50), "unit": "s", "budget": None}
