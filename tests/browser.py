"""Drives a headless browser over a pipe (the DevTools protocol), for tests of HTML pages."""
# SPDX-License-Identifier: Apache-2.0

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

SECONDS = 120  # per answer; long enough for a busy machine


def find_browser():
    """Returns the browser's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class BrowserError(Exception):
    pass


class Browser:
    """One page, as a context manager. It has no network: names do not resolve, `requests` records
    the page's requests, `console` its console messages."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="opledger-browser-", ignore_cleanup_errors=True)
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def descriptors():
            # The browser reads from descriptor 3 and writes to 4. The copies must not overlap with
            # them.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
             "--hide-scrollbars", "--force-color-profile=srgb",
             f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.pending, self.number, self.session = b"", 0, None
        self.console, self.requests, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            # its own session, so this includes its children
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.profile.cleanup()

    def _message(self):
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self.pending:
            ready = select.select([self.into], [], [], max(0, deadline - time.monotonic()))[0]
            data = os.read(self.into, 1 << 16) if ready else b""
            if not data:
                raise BrowserError("the browser does not answer")
            self.pending += data
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def _note(self, event):
        method, what = event.get("method"), event.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.console.append(json.dumps(what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.console.append(what["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])

    def call(self, command, **parameters):
        self.number += 1
        message = {"id": self.number, "method": command, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self._message()
            if answer.get("id") != self.number:
                self._note(answer)
            elif "error" in answer:
                raise BrowserError(f"{command}: {answer['error']['message']}")
            else:
                return answer["result"]

    def open(self, path, fragment=""):
        """Loads the page and waits until it is loaded."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        self.events.clear()
        deadline = time.monotonic() + SECONDS
        while self.call("Runtime.evaluate", expression="document.readyState + location.protocol",
                        returnByValue=True)["result"].get("value") != "completefile:":
            if time.monotonic() > deadline:
                raise BrowserError(f"{path} does not load")
            time.sleep(0.02)

    def run(self, script):
        """Returns the value of the expression; awaits it if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def screen(self, width, height, dark=False, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if phone else 1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def scripts(self, allowed):
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def key(self, key, code=None, text=None):
        parameters = {"key": key, "code": code or key, **({"text": text} if text else {})}
        codes = {"Tab": 9, "Enter": 13, "Escape": 27}
        if key in codes:
            parameters["windowsVirtualKeyCode"] = codes[key]
        if key == "Enter":
            parameters["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
