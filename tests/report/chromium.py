"""Drives a headless Chromium through its debugging pipe: two file descriptors, messages that end with a zero byte."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds for an answer, on a busy machine


class Browser:
    """A page, of a file or an address, in a browser of its own. `with Browser(path) as page: page.evaluate("1 + 1")`."""

    def __init__(self, path, width=1280, height=900):
        program = shutil.which("chromium")
        if program is None:
            raise AssertionError("chromium is not installed; tools/setup test installs it")
        self.profile = tempfile.mkdtemp()
        self.width, self.height = width, height
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to 4. Plain sh knows no descriptors of two digits.
        command = ["/bin/bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash", program, "--headless",
                   "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
                   f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        target = next(info for info in self.send("Target.getTargets")["targetInfos"] if info["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.open(path)

    def open(self, path):
        is_address = str(path).startswith("http://")
        self.send("Page.navigate", url=path if is_address else pathlib.Path(path).resolve().as_uri())
        self.wait_for("Page.loadEventFired")
        self.settle()

    # --- messages ---

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError("chromium does not answer")
            data = os.read(self.read_end, 1 << 20)
            if not data:
                raise AssertionError(f"chromium ended with code {self.process.wait()}")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        deadline = time.monotonic() + PATIENCE
        while not any(message.get("method") == event for message in self.events):
            self.events.append(self.receive(deadline))

    # --- what a test does ---

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def settle(self):
        """Waits until the page has drawn what it was told."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.settle()

    def click(self, x, y, count=1, modifiers=0):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=count, modifiers=modifiers)

    def drag(self, x, y, to_x, to_y, modifiers=0):
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        for share in (0.3, 0.7, 1):
            self.mouse("mouseMoved", x + (to_x - x) * share, y + (to_y - y) * share, button="left", buttons=1,
                       modifiers=modifiers)
        self.mouse("mouseReleased", to_x, to_y, button="left", modifiers=modifiers)

    def wheel(self, x, y, delta, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=modifiers)

    def key(self, name, text=None):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9}
        about = {"key": name, "windowsVirtualKeyCode": codes.get(name, ord(name[0].upper()))}
        if name not in codes:
            about["text"] = text or name
        self.send("Input.dispatchKeyEvent", type="keyDown", **about)
        self.send("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in about.items() if k != "text"})
        self.settle()

    def write(self, text):
        self.send("Input.insertText", text=text)
        self.settle()

    def media(self, media="", scheme="light"):
        self.send("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def screenshot(self, file):
        self.settle()
        pathlib.Path(file).write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def complaints(self):
        """Errors that the page or the browser reported, and what it asked the network for."""
        self.evaluate("1")
        said = []
        for message in self.events:
            method, params = message.get("method"), message.get("params", {})
            if method == "Runtime.exceptionThrown":
                said.append(str(params["exceptionDetails"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                said.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
                said.append(str(params["args"]))
            elif method == "Page.javascriptDialogOpening":
                said.append(f"a dialog: {params['message']}")
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith("file:"):
                said.append(f"a request for {params['request']['url']}")
        return said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write_end)
        os.close(self.read_end)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # The browser's own helpers may still be writing there.
        shutil.rmtree(self.profile, ignore_errors=True)
