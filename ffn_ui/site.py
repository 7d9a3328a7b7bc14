"""The table of contents: every section, in the order a student reads, with the bench controls it uses."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

ALL = frozenset({"seed", "T", "d_model", "d_ff", "sigma", "token", "slot"})


@dataclass(frozen=True)
class Section:
    """One page.

    Attributes
    ----------
    group, file, title : str
        Menu heading, file in pages/, menu entry.
    question : str
        What the page answers, in a student's words.
    icon : str
        An emoji: it needs no network.
    uses : frozenset of str
        The bench controls that change something here; the others are shown disabled.
    """

    group: str
    file: str
    title: str
    question: str
    icon: str
    uses: frozenset[str] = ALL

    @cached_property
    def slug(self):
        """The page's part of the address: the file name without digits and ending, as Streamlit makes it."""
        return re.sub(r"^\d+_", "", self.file).removesuffix(".py")


CONTENTS = (
    Section(
        "Start", "00_overview.py", "Overview", "What does the feed-forward block do, and where is what?", "🧭"
    ),
    Section(
        "The block", "01_forward_pass.py", "Position-wise FFN",
        "What happens to one token on its way through, and do tokens ever meet?", "➡️",
    ),
    Section(
        "The block", "02_why_nonlinear.py", "Why nonlinear", "What would be lost without the activation?", "📐",
        ALL - {"token", "slot"},
    ),
    Section(
        "The block", "03_relu_vs_gelu.py", "ReLU vs GELU",
        "How do two activations differ where it matters, near zero?", "📈",
    ),
    Section(
        "The block", "04_distributions.py", "Distributions", "What does the activation do to a crowd of values?", "📊",
    ),
    Section(
        "The block", "05_width.py", "Why 4×", "Why is the hidden layer four times as wide, and is it?", "📏",
        frozenset({"seed"}),
    ),
    Section(
        "Three lenses", "06_keyed_memory.py", "Signals: keyed memory",
        "Which slots answer this token, and what does each add?", "🗝️",
    ),
    Section(
        "Three lenses", "07_local_gain.py", "Systems: local gain",
        "How does a small change of a token come out, and how small is small?", "🎚️",
    ),
    Section(
        "Three lenses", "08_information.py", "Information", "Can the block create information, or only lose it?", "🔣",
        frozenset({"seed", "sigma"}),
    ),
    Section(
        "Beyond attention", "09_residual_and_norm.py", "Residual and norm",
        "What keeps a signal and its gradient alive through many blocks, and when does it fail?", "🪜",
        ALL - {"slot"},
    ),
    Section(
        "Beyond attention", "10_gated.py", "Gated FFN",
        "Is SwiGLU just another activation, and why three matrices?", "🚪",
    ),
    Section(
        "Beyond attention", "11_position.py", "Position",
        "Who notices the order of the tokens, and how do queries and keys learn of it?", "🔀",
        ALL - {"slot"},
    ),
    Section(
        "Check", "13_exercises.py", "Exercises", "Is my answer right, and if not, where did it go wrong?", "✍️",
        frozenset({"seed"}),
    ),
    Section(
        "Check", "14_reference.py", "Reference", "Does every number agree with the lesson?", "✅", frozenset({"seed"}),
    ),
)  # fmt: skip


def section(slug):
    """The section with this part of the address; the first one for an empty string."""
    return next((s for s in CONTENTS if s.slug == slug), CONTENTS[0])


# Where each part of the lesson is met: the first of these that there is.
LESSON_PARTS = {
    "position-wise-ffn": ("forward_pass",),
    "why-nonlinear": ("why_nonlinear",),
    "relu-vs-gelu": ("relu_vs_gelu",),
    "distributions": ("distributions",),
    "width": ("width",),
    "signals": ("keyed_memory",),
    "systems": ("local_gain",),
    "information": ("information",),
    "depth": ("residual_and_norm", "keyed_memory"),
    "exercise-2": ("exercises", "distributions"),
    "exercise-3": ("position", "forward_pass"),
    "exercise-4": ("exercises", "local_gain"),
}


@lru_cache
def for_lesson(part):
    """The section that shows a part of the lesson, named as in `ffn_core.reference` and `ffn_core.care`."""
    return next(s for slug in LESSON_PARTS[part] for s in CONTENTS if s.slug == slug)
