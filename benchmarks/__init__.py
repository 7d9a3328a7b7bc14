"""Speed and load of the app, measured: `python -m benchmarks`; README.md here says what each figure means."""

import ffn_ui  # noqa: F401 - before numpy is loaded: it sets how many threads a matrix product has, as in the app
