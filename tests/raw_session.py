"""A student without a browser: Streamlit's websocket protocol, the tree of elements kept as the front end keeps it."""

from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

WIDGETS = ("slider", "number_input", "checkbox", "radio", "selectbox", "multiselect", "text_input", "button_group")
VALUES = ("raw_values", "raw_value", "value")  # where a widget may hold what it is set to


class RawSession:
    """One tab on one page.

    Attributes
    ----------
    tree : dict of tuple to (Delta, int)
        By path: what stands there, and the number of the run that sent it last.
    runs : list of int
        How many elements and blocks each run drew.
    """

    def __init__(self, port, page="", **asked):
        self.url = f"http://127.0.0.1:{port}/{page}"
        self.page, self.link, self.page_hash, self.tree, self.runs = page, dict(asked), "", {}, []
        self.connection = connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None)

    def __enter__(self):
        self.socket = self.connection.__enter__()
        self._run(page_name=self.page)
        return self

    def __exit__(self, *failure):
        self.connection.__exit__(*failure)

    def move(self, key, value):
        """Give the control with this name in the link another value, as a browser would, and wait for the answer."""
        delta, widget = self.controls()[key]
        state = BackMsg().rerun_script.widget_states.widgets.add()
        state.id = widget.id
        kind = delta.new_element.WhichOneof("type")
        if kind == "slider":
            state.double_array_value.data.append(value)
        elif kind == "number_input":
            state.double_value = value
        elif kind == "checkbox":
            state.bool_value = value
        elif kind == "multiselect":
            state.string_array_value.data.extend(value)
        else:
            state.string_value = value
        self.link[key] = str(value).lower() if isinstance(value, bool) else value
        self._run(fragment=delta.fragment_id, state=state)

    def type(self, label_start, text):
        """Answer the question whose label starts so."""
        for delta, _ in self.tree.values():
            if delta.new_element.text_input.label.startswith(label_start):
                state = BackMsg().rerun_script.widget_states.widgets.add()
                state.id, state.string_value = delta.new_element.text_input.id, text
                return self._run(fragment=delta.fragment_id, state=state)
        raise KeyError(label_start)

    def press(self, option):
        """Press one of a row of ready-made settings."""
        for delta, _ in self.tree.values():
            row = delta.new_element.button_group
            if option in (choice.content for choice in row.options):
                state = BackMsg().rerun_script.widget_states.widgets.add()
                state.id = row.id
                state.string_array_value.data.append(option)
                return self._run(fragment=delta.fragment_id, state=state)
        raise KeyError(option)

    def open(self, name):
        """Open the expander or popover with this key, and wait for what is in it."""
        for delta, _ in self.tree.values():
            kind = delta.add_block.WhichOneof("type") if delta.HasField("add_block") else None
            block = getattr(delta.add_block, kind) if kind in ("expandable", "popover") else None
            if block is not None and block.id.endswith(f"-{name}"):
                state = BackMsg().rerun_script.widget_states.widgets.add()
                state.id, state.bool_value = block.id, True
                return self._run(fragment=delta.fragment_id, state=state)
        raise KeyError(name)

    def _run(self, page_name="", fragment="", state=None):
        message = BackMsg()
        rerun = message.rerun_script
        rerun.page_name, rerun.page_script_hash, rerun.fragment_id = page_name, self.page_hash, fragment
        link = {key: "" if value == [] else value for key, value in self.link.items()}
        rerun.query_string = urlencode(link, doseq=True)
        rerun.context_info.url = self.url
        rerun.context_info.timezone, rerun.context_info.locale = "UTC", "en-US"
        rerun.widget_states.SetInParent()
        if state is not None:
            rerun.widget_states.widgets.append(state)
        self.socket.send(message.SerializeToString())
        number = len(self.runs)
        while True:
            forward = ForwardMsg.FromString(self.socket.recv(timeout=60))
            kind = forward.WhichOneof("type")
            if kind in ("new_session", "navigation"):
                self.page_hash = getattr(forward, kind).page_script_hash or self.page_hash
            elif kind == "delta":
                self.tree[tuple(forward.metadata.delta_path)] = forward.delta, number
            elif kind == "script_finished" and forward.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                break
        new = [path for path, (_, when) in self.tree.items() if when == number]
        self.runs.append(len(new))
        root = min(new, key=len) if fragment else ()
        self.tree = {
            path: node for path, node in self.tree.items() if node[1] == number or path[: len(root)] != root
        }  # fmt: skip
        for key, (_, widget) in self.controls().items():
            if widget.set_value:  # the server moved it, and the browser writes that into the address
                held = [getattr(widget, name) for name in VALUES if name in widget.DESCRIPTOR.fields_by_name]
                value = next(filter(None, held), held[-1])
                self.link[key] = value if isinstance(value, str | bool | float) else list(value)

    def controls(self):
        """The controls that have a place in the link.

        Returns
        -------
        dict of str to (Delta, widget)
        """
        found = {}
        for delta, _ in self.tree.values():
            kind = delta.new_element.WhichOneof("type") if delta.HasField("new_element") else None
            if kind in WIDGETS and getattr(delta.new_element, kind).query_param_key:
                widget = getattr(delta.new_element, kind)
                found[widget.query_param_key] = delta, widget
        return found

    def shown(self):
        """What a student sees in the main column, in order, but for what the controls themselves are set to.

        Returns
        -------
        list of (str, object)
        """
        rows = []
        for path in sorted(self.tree):
            delta = self.tree[path][0]
            if path[0] != 0 or not delta.HasField("new_element"):
                continue
            kind = delta.new_element.WhichOneof("type")
            element = getattr(delta.new_element, kind)
            if kind in WIDGETS:
                rows.append((kind, element.label))
            elif kind != "empty":
                rows.append((kind, element.SerializeToString(deterministic=True)))
        return rows
