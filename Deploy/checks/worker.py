#!/usr/bin/env python3
"""Starts a worker, follows it to its first readiness and through its stop, as systemd would hear it, and prints figures.

    worker.py [--watchdog SECONDS] PROGRAM [ARGUMENT…]

The worker has health.port 0. Exit code 0 only if the worker said READY=1, answered /livez, /readyz and /metrics, gave a
sign of life if there is a watchdog, said STOPPING=1 on SIGTERM, and ended with 0."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

# The longest wait for anything. A busy machine makes everything slow, so no figure is judged here.
PATIENCE = 120


def fail(message, log):
    sys.exit(f"worker.py: {message}\n" + "\n".join(log[-40:]))


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return children + [below for child in children for below in descendants(child)]


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) / 1024


def main():
    arguments = sys.argv[1:]
    watchdog = 0
    if arguments[:1] == ["--watchdog"]:
        watchdog, arguments = int(arguments[1]), arguments[2:]
    # An abstract socket is reached from any root folder.
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    name = f"flotilla-check-{os.getpid()}"
    manager.bind("\0" + name)
    environment = dict(os.environ, NOTIFY_SOCKET="@" + name)
    if watchdog:
        environment["WATCHDOG_USEC"] = str(watchdog * 1_000_000)
    start = time.monotonic()
    process = subprocess.Popen(
        arguments, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    os.set_blocking(process.stderr.fileno(), False)
    log, heard, times = [], [], {}

    def listen():
        """Reads what has come, and notes when each kind of line came first."""
        manager.settimeout(0.02)
        try:
            while True:
                for line in manager.recv(4096).decode().split("\n"):
                    heard.append(line)
                    times.setdefault(line.split(":")[-1].strip(), time.monotonic() - start)
        except (TimeoutError, BlockingIOError):
            pass
        for line in process.stderr.readlines() if process.stderr else []:
            log.append(line.rstrip())

    def until(what, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                fail(f"no {what} in {PATIENCE} s; heard: {heard}", log)
            if what != "end" and process.poll() is not None:
                listen()
                fail(f"ended with {process.returncode} before its {what}; heard: {heard}", log)
            listen()

    try:
        until("READY=1", lambda: "READY=1" in heard)
        ready = times["READY=1"]
        turning = times.get("no partitions assigned yet", ready)
        port = next(int(match.group(1)) for line in log if (match := re.search(r'"port":\s*"?(\d+)', line)))
        for path in ("/livez", "/readyz", "/metrics"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
                body = answer.read().decode()
        if "worker_build_info" not in body:
            fail("/metrics has no worker_build_info", log)
        if watchdog:
            until("WATCHDOG=1", lambda: "WATCHDOG=1" in heard)
        family = descendants(process.pid) or [process.pid]
        memory = max(resident(pid) for pid in family)
        # The first of a supervised family is process 1 of its container; it passes the stop on.
        os.kill(family[0], signal.SIGTERM)
        until("end", lambda: process.poll() is not None)
        listen()
        if "STOPPING=1" not in heard:
            fail(f"no STOPPING=1; heard: {heard}", log)
        if process.returncode != 0:
            fail(f"ended with {process.returncode} after SIGTERM", log)
    finally:
        if process.poll() is None:
            for pid in descendants(process.pid) + [process.pid]:
                os.kill(pid, signal.SIGKILL)
    figures = {
        "engine turns after": f"{turning:.2f} s",
        "ready after": f"{ready:.2f} s",
        "idle memory": f"{memory:.1f} MB",
    }
    print(", ".join(f"{key} {value}" for key, value in figures.items()))


main()
