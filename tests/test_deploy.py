"""Two processes behind nginx: visitors stay on theirs, and when one dies its visitors come back to the same view."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest
from browsing import ROOT, settle, tab

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
pytestmark = pytest.mark.browser


def free_ports(count):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def wait_for(port):
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on port {port}")


@pytest.fixture
def farm(tmp_path):
    """Two app processes and nginx with deploy/nginx.conf, on free ports; yields the address and the processes."""
    if NGINX is None:
        if os.environ.get("FFN_LAB_CI"):
            pytest.fail("no nginx found: the proxy recipe could not be tried")
        pytest.skip("no nginx found")
    ports = free_ports(3)
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    for written, port in zip(("8500", "8501", "8502"), ports, strict=True):
        text = text.replace(f"127.0.0.1:{written}", f"127.0.0.1:{port}")
    (tmp_path / "nginx.conf").write_text(text.replace("/tmp/ffn-lab-nginx", str(tmp_path / "nginx")))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.headless=true"]
    run += ["--server.address=127.0.0.1", "--server.fileWatcherType=none"]
    with contextlib.ExitStack() as stack:
        processes = {}
        for port in ports[1:]:
            processes[port] = stack.enter_context(subprocess.Popen([*run, f"--server.port={port}"], cwd=ROOT, **quiet))
            stack.callback(processes[port].kill)
            wait_for(port)
        command = [NGINX, "-p", str(tmp_path), "-c", "nginx.conf", "-g", "daemon off;"]
        proxy = stack.enter_context(subprocess.Popen(command, **quiet))
        stack.callback(proxy.terminate)
        wait_for(ports[0])
        yield f"http://127.0.0.1:{ports[0]}", processes


def connections(process):
    import psutil

    return sum(c.status == "ESTABLISHED" for c in psutil.Process(process.pid).net_connections())


def test_students_keep_their_process_and_come_back_when_it_dies(browser, farm):
    url, processes = farm
    with tab(browser) as page:
        page.goto(f"{url}/forward_pass?token=3&T=7")
        settle(page)
        cookies = [c["value"] for c in page.context.cookies() if c["name"] == "ffn_lab_visitor"]
        assert len(cookies) == 1
        mine = [port for port, process in processes.items() if connections(process)]
        assert len(mine) == 1
        page.reload()
        settle(page)
        assert [port for port, process in processes.items() if connections(process)] == mine
        assert [c["value"] for c in page.context.cookies() if c["name"] == "ffn_lab_visitor"] == cookies

        page.get_by_label("channel", exact=True).fill("2")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("fwd_channel=2"))
        settle(page)
        processes[mine[0]].kill()
        processes[mine[0]].wait()
        other = next(process for port, process in processes.items() if port not in mine)
        for _ in range(300):
            if connections(other):
                break
            page.wait_for_timeout(200)
        settle(page)
        assert page.get_by_label("token", exact=True).input_value() == "3"
        assert page.get_by_label("channel", exact=True).input_value() == "2"
        page.get_by_label("channel", exact=True).fill("4")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("fwd_channel=4"))
        settle(page)
        assert page.locator('[data-testid="stException"]').count() == 0
