"""`python -m benchmarks`: measure everything and print one table; `--json` for machines, `--only` for a part."""

import argparse
import json
import platform
import sys

import numpy as np

from . import browser, cold, kernels, load, pages, soak

PARTS = {
    "kernels": kernels.rows, "cold": cold.rows, "pages": pages.rows, "browser": browser.rows, "load": load.rows,
    "soak": soak.rows,
}  # fmt: skip


def machine():
    """What the figures were taken on, in words."""
    return f"{platform.machine()}, {len(_cores())} cores, Python {platform.python_version()}, numpy {np.__version__}"


def _cores():
    import psutil

    return range(psutil.cpu_count())


def show(value):
    """A figure as text of a steady width."""
    if isinstance(value, bool):
        return "met" if value else "NOT MET"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def main():
    """Measure, print, and return 0 when every budget is met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    usual = [part for part in PARTS if part != "soak"]
    parser.add_argument("--only", nargs="+", choices=PARTS, default=usual, help="these parts; soak only when named")
    asked = parser.parse_args()
    found, met = {"machine": machine()}, True
    if not asked.json:
        print(found["machine"])
    for part in asked.only:
        found[part] = []
        if not asked.json:
            print(f"\n{part}")
        for row in PARTS[part]():
            if row.get("budget") is not None:
                row["ok"] = row["value"] <= row["budget"]
            met = met and row.get("ok", True)
            found[part].append(row)
            if not asked.json:
                print("  " + ", ".join(f"{name} {show(value)}" for name, value in row.items()), flush=True)
    if asked.json:
        print(json.dumps({**found, "met": met}, indent=1))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
