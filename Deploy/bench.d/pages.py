"""Opens pages in a headless Chromium and prints what each took, as lines of JSON.

    pages.py CHROMEDRIVER ROUNDS NAME=URL ...

`paint` is the first contentful paint and `answer` the last byte of the document, both in ms since the page was asked
for, as the browser measures them: the medians of ROUNDS openings.
"""

import json
import re
import statistics
import subprocess
import sys
import time
import urllib.request

chromedriver, rounds = sys.argv[1], int(sys.argv[2])
pages = [argument.split("=", 1) for argument in sys.argv[3:]]
LOOK = """
const paint = performance.getEntriesByName('first-contentful-paint')[0];
const page = performance.getEntriesByType('navigation')[0];
return paint && page.loadEventEnd > 0 ? [paint.startTime, page.responseEnd] : null
"""


def call(method, path, body=None):
    request = urllib.request.Request(
        base + path, method=method, data=None if body is None else json.dumps(body).encode()
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


driver = subprocess.Popen([chromedriver, "--port=0"], stdout=subprocess.PIPE, text=True)
try:
    for line in driver.stdout:
        if port := re.search(r"successfully on port (\d+)", line):
            break
    base = f"http://127.0.0.1:{port[1]}"
    options = {"args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"]}
    wanted = {"alwaysMatch": {"goog:chromeOptions": options}}
    session = "/session/" + call("POST", "/session", {"capabilities": wanted})["sessionId"]
    for name, url in pages:
        paints, answers = [], []
        for _ in range(rounds):
            call("POST", session + "/url", {"url": url})
            deadline = time.monotonic() + 60
            while not (look := call("POST", session + "/execute/sync", {"script": LOOK, "args": []})):
                if time.monotonic() > deadline:
                    sys.exit(f"pages: {name} was never painted")
            paints.append(look[0])
            answers.append(look[1])
        print(json.dumps({
            "page": name,
            "paint": round(statistics.median(paints)),
            "answer": round(statistics.median(answers)),
            "slowest": round(max(paints)),
        }), flush=True)
    call("DELETE", session)
finally:
    driver.terminate()
    driver.wait()
