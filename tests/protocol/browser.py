"""A headless Chromium, driven over the W3C WebDriver protocol with the standard library."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that WebDriver gives an element
PATIENCE = 20.0  # seconds
_KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Tab": "\ue004",
}
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)


def missing() -> str:
    """Return what is missing for a browser, or an empty string."""
    if shutil.which("chromedriver") is None:
        return "no chromedriver (Debian: apt install chromium chromium-driver)"
    if not any(map(shutil.which, BROWSERS)):
        return "no Chromium (Debian: apt install chromium chromium-driver)"
    return ""


class Browser:
    """One page.

    Args:
        address: of the WebDriver session.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def open(self, url: str) -> None:
        """Load a page, anew if it is loaded already."""
        self._call("POST", "/url", {"url": "about:blank"})
        self._call("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what the body of a function in the page returns."""
        body = {"script": script, "args": list(arguments)}
        return self._call("POST", "/execute/sync", body)

    def find(self, selector: str) -> dict[str, str]:
        """Return the first element of a CSS selector."""
        found: dict[str, str] = self._call(
            "POST", "/element", {"using": "css selector", "value": selector}
        )
        return found

    def click(self, selector: str) -> None:
        """Click with the mouse in the middle of an element."""
        self._call("POST", f"/element/{self.find(selector)[ELEMENT]}/click", {})

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        strokes = [
            {"type": kind, "value": _KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self._perform({"type": "key", "id": "keyboard", "actions": strokes})

    def drag(self, start: str, end: str, *, kind: str = "mouse", below: int = 0) -> None:
        """Drag from the middle of an element to that of another, or to ``below`` pixels below."""

        def move(selector: str, y: int, duration: int) -> dict[str, Any]:
            origin = self.find(selector)
            return {"type": "pointerMove", "origin": origin, "x": 0, "y": y, "duration": duration}

        down, up = ({"type": f"pointer{way}", "button": 0} for way in ("Down", "Up"))
        steps = [move(start, 0, 0), down, move(end, below, 100), move(end, below, 50), up]
        pointer = {"type": "pointer", "id": f"the {kind}", "parameters": {"pointerType": kind}}
        self._perform({**pointer, "actions": steps})

    def tap(self, selector: str) -> None:
        """Touch the middle of an element."""
        self.drag(selector, selector, kind="touch")

    def wait(self, script: str, *arguments: Any) -> Any:
        """Wait until a function body in the page returns something true, and return that."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.run(script, *arguments)
            if found:
                return found
            time.sleep(0.03)
        status = self.run("return document.getElementById('status')?.textContent")
        raise AssertionError(f"never true: {script}; the page says {status!r}")

    def prefer(self, scheme: str) -> None:
        """Let the page believe that its user prefers a colour scheme, "light" or "dark"."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        command = {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}}
        self._call("POST", "/goog/cdp/execute", command)

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def _perform(self, source: dict[str, Any]) -> None:
        self._call("POST", "/actions", {"actions": [source]})
        self._call("DELETE", "/actions")

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        return call(method, self._address + path, body)


def call(method: str, url: str, body: Any = None) -> Any:
    """Send one WebDriver command and return its value."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["value"]
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{method} {url}: {error.read()[:500]!r}") from None


@contextmanager
def running_browser(*, phone: bool = False) -> Iterator[Browser]:
    """Yield a browser: 1000 pixels wide with a mouse, or a phone of 360 pixels."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert driver.stdout is not None
    try:
        port = next(
            line.rsplit(" ", 1)[1].strip(".\n")
            for line in driver.stdout
            if "successfully on port" in line
        )
        base = f"http://127.0.0.1:{port}/session"
        session = call("POST", base, {"capabilities": {"alwaysMatch": _capabilities(phone)}})
        address = f"{base}/{session['sessionId']}"
        yield Browser(address)
        call("DELETE", address)
    finally:
        driver.terminate()
        driver.wait(10)


def _capabilities(phone: bool) -> dict[str, Any]:
    path = next(filter(None, map(shutil.which, BROWSERS)))
    options: dict[str, Any] = {"binary": path, "args": [*_FLAGS, "--window-size=1000,1100"]}
    if phone:
        metrics = {"width": 360, "height": 740, "pixelRatio": 1.0, "touch": True, "mobile": True}
        options["mobileEmulation"] = {"deviceMetrics": metrics}
    return {
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL"},
    }
