"""What several tests share: steady random examples, a browser, and an oracle that may be missing here but not in CI."""

import importlib
import os

import pytest
from hypothesis import settings

# The helpers assert too: what they saw is to be read in the report, as in a test file.
pytest.register_assert_rewrite("browsing", "opened")
from browsing import app, browser  # noqa: E402, F401 - fixtures

# derandomize: the same examples on every run, so a red test is red for everyone. No deadline: nothing here is timed.
settings.register_profile("steady", max_examples=50, derandomize=True, deadline=None, database=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def torch():
    """PyTorch as an independent oracle; without it the test is skipped, but in CI (FFN_LAB_CI set) it fails."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        if os.environ.get("FFN_LAB_CI"):
            pytest.fail(f"PyTorch is missing ({error}); requirements-oracle.txt installs it")
        pytest.skip("PyTorch is not installed")
