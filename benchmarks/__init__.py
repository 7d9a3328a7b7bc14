"""Speed and load of the app, measured: `python -m benchmarks`; README.md here says what each figure means."""
