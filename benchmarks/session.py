"""One visitor without a browser: opens a page over Streamlit's websocket, moves a control, waits for the answer.

It keeps the hashes of the messages it has, as a browser does, so that repeated ones are not sent again.
"""

import random
import time
from dataclasses import dataclass
from urllib.parse import urlencode

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
KEPT_MESSAGES = 300
BENCH = frozenset({"seed", "T", "d_model", "d_ff", "token", "slot"})
PATIENCE_S = 60


@dataclass
class Answer:
    """What one rerun took: milliseconds until the script had finished, bytes and charts received."""

    ms: float
    bytes: int
    charts: int


class PageFailed(Exception):
    """The page showed an exception, or was not found."""


class Visitor:
    """A session on one page.

    Parameters
    ----------
    port : int
    page : str
        The page's part of the address.
    seed : int
        Decides which values the control takes.
    """

    def __init__(self, port, page="", seed=0):
        self.address = f"ws://127.0.0.1:{port}/_stcore/stream"
        self.url = f"http://127.0.0.1:{port}/{page}"
        self.page, self.random = page, random.Random(seed)
        self.page_hash, self.controls, self.values, self.kept = "", {}, {}, {}
        self.fragments = {}  # of a control: what alone is run again when it moves
        self.charts_shown = 0

    async def __aenter__(self):
        asked = {"subprotocols": ["streamlit"], "max_size": None, "compression": None}
        self.socket = await websockets.connect(self.address, open_timeout=PATIENCE_S, close_timeout=1, **asked)
        self.first = await self._run(page_name=self.page)
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    def control(self, of_bench=False):
        """The control to move: the page's own first slider or number, else, or when asked for, T or the seed."""
        usable = {_key(c): c for c in self.controls.values() if not c.disabled and c.max > c.min}
        own = [c for key, c in usable.items() if key not in BENCH]
        return own[0] if own and not of_bench else usable.get("T") or usable["seed"]

    async def move(self, of_bench=False):
        """Give the control another value and wait for the page to follow.

        Parameters
        ----------
        of_bench : bool
            Move one of the bench, which all of the page follows.

        Returns
        -------
        Answer
        """
        control = self.control(of_bench)
        steps = int((control.max - control.min) / control.step + 1e-9)
        current = self.values.get(control.id)
        while True:
            value = round(control.min + control.step * self.random.randint(0, min(steps, 40)), 10)
            if value != current:
                break
        self.values[control.id] = value
        return await self._run(moved=(control, value))

    async def _run(self, page_name="", moved=None):
        message = BackMsg()
        rerun = message.rerun_script
        rerun.page_name, rerun.page_script_hash = page_name, self.page_hash
        rerun.cached_message_hashes.extend(self.kept)
        rerun.context_info.url = self.url
        rerun.context_info.timezone, rerun.context_info.locale = "UTC", "en-US"
        rerun.widget_states.SetInParent()
        if moved:
            control, value = moved
            state = rerun.widget_states.widgets.add()
            state.id = control.id
            rerun.fragment_id = self.fragments[control.id]
            if type(control).__name__ == "Slider":
                state.double_array_value.data.append(value)
            else:
                state.double_value = value
            rerun.query_string = urlencode({_key(control): f"{value:g}"})
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        received = charts = 0
        while True:
            raw = await self.socket.recv()
            received += len(raw)
            forward = ForwardMsg.FromString(raw)
            if forward.hash and forward.metadata.cacheable:
                self.kept[forward.hash] = None
                if len(self.kept) > KEPT_MESSAGES:
                    self.kept.pop(next(iter(self.kept)))
            kind = forward.WhichOneof("type")
            if kind == "new_session":
                self.page_hash = forward.new_session.page_script_hash
            elif kind == "navigation":
                self.page_hash = forward.navigation.page_script_hash
            elif kind == "page_not_found":
                raise PageFailed(f"page not found: {self.page!r}")
            elif kind == "delta" and forward.delta.WhichOneof("type") == "new_element":
                element = forward.delta.new_element
                name = element.WhichOneof("type")
                charts += name in ("arrow_vega_lite_chart", "vega_lite_chart")
                if name in ("slider", "number_input"):
                    control = getattr(element, name)
                    self.controls[control.id] = control
                    self.fragments[control.id] = forward.delta.fragment_id
                elif name == "exception":
                    raise PageFailed(f"{self.page!r}: {element.exception.message[:200]}")
            elif kind == "script_finished" and forward.script_finished in FINISHED:
                self.charts_shown = max(self.charts_shown, charts)
                return Answer((time.perf_counter() - start) * 1e3, received, charts)


def _key(control):
    """The key of a control, which is its name in the link."""
    return control.query_param_key or control.id.rsplit("-", 1)[-1]
