"""`python -m ffn_core`: recompute every number the lesson prints; exits 1 when one is off."""

import sys

from .reference import results


def show(values):
    """Numbers as text: whole ones without a point, the others with all their digits."""
    return " ".join(str(int(v)) if v.is_integer() else repr(v) for v in values)


def main():
    """Print the table and return the exit code."""
    found = results()
    for r in found:
        print(f"{'ok  ' if r.ok else 'FAIL'} {r.printed.section}: {r.printed.quantity}")
        print(f"     lesson {r.printed.printed}")
        print(f"     ours   {show(r.ours)}")
        print(f"     differs by {r.difference:.2g}, tolerance {r.tolerance:.2g} ({r.printed.why})")
    n_ok = sum(r.ok for r in found)
    print(f"{n_ok} of {len(found)} printed numbers reproduced")
    return 0 if n_ok == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
