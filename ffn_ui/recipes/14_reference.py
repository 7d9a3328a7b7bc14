"""Every number the lesson prints beside ours, with ffn_core: run from the folder that holds ffn_core."""

from ffn_core.__main__ import show
from ffn_core.reference import results
from ffn_core.rng import LessonStream

seed = 11
part = "all"

found = [r for r in results() if part in ("all", r.printed.section)]
for r in found:
    print("agrees" if r.ok else "FAILS", "|", r.printed.section, "|", r.printed.quantity)
    print("  lesson", r.printed.printed, "| ours", show(r.ours))
    print(f"  difference {r.difference:.2g}, tolerance {r.tolerance:.2g}: {r.printed.why}")
print(sum(r.ok for r in found), "of", len(found), "printed numbers reproduced")
print("first random numbers:", LessonStream(seed).randn(4))
