"""The words of the overview: what to learn and where, what to take home, what learners ask, how to use the bench."""

import streamlit as st

from . import layout, site

# The address of the page, and what one can do after it: the lesson's five objectives.
OBJECTIVES = (
    ("forward_pass", "Write the block's equation with tokens as rows, and name every part of it."),
    ("why_nonlinear", "Say why one linear layer cannot replace it, and what the activation buys."),
    ("relu_vs_gelu", "Compute GELU and ReLU with their derivatives, and read a derivative as a gain."),
    ("distributions", "Read histograms before and after the activation, and say what it did to them."),
    ("width", "Justify $d_\\text{ff} = 4\\,d_\\text{model}$, and say what share of a block's weights it means."),
)

LENSES = (
    ("keyed_memory", "A memory: each of $d_\\text{ff}$ slots compares the token with its key, and adds its value."),
    ("local_gain", "A gain: how a small change of a token comes out, different for every token."),
    ("information", "A map: it can keep bits or lose them, but it cannot make any."),
)

TAKEAWAYS = (
    "**Linear, bend, linear.** The same two matrices for every token, an activation between them, and no mixing of "
    "tokens. Without the activation the two matrices are one.",
    "**The derivative is a gain.** GELU's is one half at zero, one far to the right and zero far to the left, with a "
    "stretch below zero in between; ReLU's is 0 or 1. Which activation trains better is a matter of experiment.",
    "**A memory.** Each of the $d_\\text{ff}$ slots compares the token with its key and adds that much of its value.",
    "**Most of the weights.** With plain attention and $d_\\text{ff} = 4\\,d_\\text{model}$ the FFN has two thirds of "
    "a block's weights. In many recent models it has more.",
    "**No new information.** What a row does not tell about the next token, the block cannot add. It puts what is "
    "there into a form that the next layer can use.",
)

# The address of the page that answers, the question, and the answer in a sentence.
QUESTIONS = (
    ("forward_pass", "How can the FFN know the context if it never mixes positions?",
     "Attention has already written the context into each row."),
    ("why_nonlinear", "Where does the activation go?",
     "Between the two matrices, and only there: out may be of any sign and size."),
    ("relu_vs_gelu", "Which GELU, exact or tanh, and does it matter?",
     "The one that the weights were trained with; the two are close."),
    ("relu_vs_gelu", "Why does the derivative formula of GELU look wrong?",
     "It is a product rule; a difference of two values confirms it, digit by digit."),
    ("width", "Why 4 times as wide, and is it always?",
     "A convention since the first transformer that has held up well; many models differ."),
    ("gated", "Why three matrices, and is SwiGLU just another activation?",
     "No: a second branch multiplies the first, and that needs a matrix of its own."),
)  # fmt: skip

HOW_TO = (
    "**Move a control.** Everything on the page is computed anew. The bench on the left stays with you from page to "
    "page.",
    "**Share the view.** The link at the top right opens exactly what you see, for anyone.",
    "**Take the numbers along.** At the foot of each page: every figure as a table and as CSV, and a short script that "
    "prints the same numbers.",
)


def links(rows):
    """A list of what sections are for, and below it, in a row, a link to each.

    Parameters
    ----------
    rows : iterable of (str, str)
        The address of the section, and Markdown.
    """
    rows = [(site.section(slug), text) for slug, text in rows]
    st.markdown("\n".join(f"- **{there.title}.** {text}" for there, text in rows))
    with st.container(horizontal=True):
        for there in dict.fromkeys(there for there, _ in rows):
            layout.link_to(there)
