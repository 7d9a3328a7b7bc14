"""Start a Streamlit server on this machine's loopback, and measure its process."""

import contextlib
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
APP = "streamlit_app.py"
FLOOR = "benchmarks/floor"


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, its process, and how long it took to listen (seconds)."""

    port: int
    process: psutil.Process
    started_s: float

    @property
    def memory_mb(self):
        """Resident memory in MB."""
        return self.process.memory_info().rss / 2**20

    @property
    def cpu_s(self):
        """Processor time used so far, in seconds."""
        return sum(self.process.cpu_times()[:2])


def free_port():
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(script=APP, *, defaults=False):
    """A fresh server of a script; with `defaults` without the project's settings, as a first Streamlit page runs.

    Yields
    ------
    Server
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}", "--server.headless=true"]
    command += ["--server.address=127.0.0.1", "--server.fileWatcherType=none", "--browser.gatherUsageStats=false"]
    if defaults:
        command += ["--runner.postScriptGC=true"]
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        try:
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                if child.poll() is not None or time.perf_counter() - start > 60:
                    raise RuntimeError(f"{script} did not start on port {port}")
                time.sleep(0.02)
            yield Server(port, psutil.Process(child.pid), time.perf_counter() - start)
        finally:
            child.terminate()
