"""An editable joint table: an entry a control, each with its place in the link, and ready-made tables as buttons."""

import streamlit as st

from ffn_core import information

from . import controls


def joint_table(key, start, tables):
    """Draw the entries of a joint table and keep them a distribution, with a message when they are not.

    Parameters
    ----------
    key : str
        Prefix of the entries' names in the link: row 1, column 2 is `key` + "12".
    start : ndarray of shape (n, m)
        The table without a link.
    tables : dict of str to ndarray of shape (n, m)
        Ready-made tables: name on the button to entries.

    Returns
    -------
    ndarray of shape (n, m)
    """
    rows, columns = (range(size) for size in start.shape)
    names = [[f"{key}{x + 1}{y + 1}" for y in columns] for x in rows]
    ready = {name: {names[x][y]: float(table[x, y]) for x in rows for y in columns} for name, table in tables.items()}
    controls.presets("ready-made", f"{key}_ready", ready)
    entries = start.tolist()
    for x in rows:
        with st.container(horizontal=True):
            for y in columns:
                entries[x][y] = controls.decimal(
                    f"$p(x_{x + 1},\\, y{{=}}{y + 1})$", names[x][y], 0.0, 1.0, entries[x][y], 0.025, format="%.3f"
                )
    joint, said = information.as_distribution(entries, start)
    if said:
        st.warning(said, icon="⚖️")
    return joint
