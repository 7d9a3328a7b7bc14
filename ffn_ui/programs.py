"""The programs that students take home: whole scripts that ship with the pages, with today's settings written in."""

import re
from importlib.resources import files


def program(folder, file, settings):
    """A script of recipes/ or solutions/; each setting stands in a line of its own, `name = value`.

    Parameters
    ----------
    folder, file : str
    settings : dict of str to value
        Those that the script does not have are left out.

    Returns
    -------
    str
    """
    text = (files(__package__) / folder / file).read_text(encoding="utf-8")
    for name, value in settings.items():
        text = re.sub(rf"(?m)^{name} = .*$", lambda _, n=name, v=value: f"{n} = {v!r}", text, count=1)
    return text


def recipe(here, settings):
    """The script of a section, its first assignments set to today's values, see `program`."""
    return program("recipes", here.file, settings)
