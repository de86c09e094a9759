"""The page in a real browser: mouse, touch, keyboard, a phone, and what assistive tools read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from quiltrail.envs import find_game
from quiltrail.protocol.variants import Variants
from tests.protocol.browser import Browser, missing, running_browser
from tests.protocol.serving import running_server

GAMES = Variants().slugs

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing() or "a browser is there"),
]

#: Every element that can be used has a name; returns those that have none.
NAMELESS = """
return [...document.querySelectorAll('button, input, select, summary, [role=img]')]
  .filter((one) => one.offsetParent !== null || one instanceof SVGElement)
  .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim()
                     || one.labels?.[0]?.textContent.trim()))
  .map((one) => one.outerHTML)
"""

#: Contrast of text and background of visible text; returns what is below 4.5.
PALE = """
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
  .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
const ground = (one) => {
  for (let at = one; at; at = at.parentElement) {
    const color = numbers(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
return [...document.querySelectorAll('body *')]
  .filter((one) => one.offsetParent && !one.disabled && !one.closest('svg, [disabled]'))
  .filter((one) => [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
  .map((one) => {
    const [a, b] = [light(numbers(getComputedStyle(one).color)), light(ground(one))];
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.outerHTML.slice(0, 80)];
  })
  .filter(([contrast]) => contrast < 4.5)
"""


@pytest.fixture(scope="module")
def desk(port: int) -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def phone(port: int) -> Iterator[Browser]:
    with running_browser(phone=True) as browser:
        yield browser


def _open(browser: Browser, port: int, game: str, seed: int = 7) -> None:
    browser.open(f"http://127.0.0.1:{port}/#{game}")
    browser.wait("return document.getElementById('table').dataset.turn")
    browser.run("document.getElementById('seed').value = arguments[0]", str(seed))
    _after(browser, lambda: browser.click("#new"))


def _after(browser: Browser, deed: object) -> None:
    """Do something and wait until the page shows another position."""
    read = "return document.getElementById('table').dataset.turn"
    before = browser.run(read)
    assert callable(deed)
    deed()
    browser.wait(f"{read} !== arguments[0]", before)


def _score(browser: Browser) -> int:
    return int(browser.run("return document.getElementById('score').value"))


def test_sunpleat_with_the_mouse(desk: Browser, port: int) -> None:
    """The first two garlands have one optimal line each: 2, and 1 3."""
    _open(desk, port, "sunpleat")
    _after(desk, lambda: desk.click('[data-count="2"]'))
    assert "Cleared: 215 points" in desk.text("#status")
    _after(desk, lambda: desk.click('[data-action="next"]'))
    _after(desk, lambda: desk.click('[data-count="1"]'))
    _after(desk, lambda: desk.click('[data-count="3"]'))
    assert _score(desk) == 430
    desk.click('[data-action="bank"]')
    desk.wait("return document.getElementById('ask').open")
    _after(desk, lambda: desk.click('#ask [value="yes"]'))
    assert "The game is over. Your score is 430." in desk.text("#status")


def test_sunpleat_with_the_keys(desk: Browser, port: int) -> None:
    _open(desk, port, "sunpleat")
    _after(desk, lambda: desk.press("2"))
    _after(desk, lambda: desk.press("n"))
    desk.press("ArrowRight")
    _after(desk, lambda: desk.press("Enter"))
    desk.press("ArrowRight", "ArrowRight")
    _after(desk, lambda: desk.press("Enter"))
    assert _score(desk) == 430
    desk.press("b")
    desk.wait("return document.getElementById('ask').open")
    desk.press("Escape")
    desk.wait("return !document.getElementById('ask').open")
    assert "over" not in desk.text("#status")


def test_patchwork_by_dragging(desk: Browser, port: int) -> None:
    _open(desk, port, "patchwork")
    _after(desk, lambda: desk.drag('[data-slot="0"]', '[data-row="4"][data-col="4"]'))
    filled = desk.run("return document.querySelectorAll('.grid .full').length")
    assert filled == _score(desk) > 0
    assert desk.text('[data-slot="0"]') == "sewn"


def test_patchwork_with_the_keys_shows_where_the_patch_lands(desk: Browser, port: int) -> None:
    _open(desk, port, "patchwork")
    desk.press("2", "ArrowDown", "ArrowRight")
    covered = desk.run("return document.querySelectorAll('.grid .fits').length")
    assert covered > 0
    desk.press("Escape")
    assert desk.run("return document.querySelectorAll('.grid .fits').length") == 0
    desk.press("2", "ArrowDown")
    _after(desk, lambda: desk.press("Enter"))
    assert _score(desk) == covered


@pytest.mark.slow
def test_patchwork_outlines_what_would_be_stitched_away(desk: Browser, port: int) -> None:
    """The random agent plays on; any placement that completes a unit outlines its nine squares."""
    _open(desk, port, "patchwork")
    desk.run("document.getElementById('agent').value = 'greedy'")
    for _ in range(80):
        _after(desk, lambda: desk.click("#advise"))
        for slot in "123":
            desk.press(slot)
            gold = desk.run(
                """
                for (const one of document.querySelectorAll('.grid button')) {
                  one.focus();
                  const gold = document.querySelectorAll('.grid .gold').length;
                  if (gold) return gold;
                }
                return 0;
                """
            )
            if gold:
                assert gold >= 9
                return
    raise AssertionError("no placement ever completed a row, column or block")


def test_patchwork_by_touch_rides_above_the_finger(phone: Browser, port: int) -> None:
    _open(phone, port, "patchwork")
    target = '[data-row="4"][data-col="4"]'
    _after(phone, lambda: phone.drag('[data-slot="1"]', target, kind="touch", below=56))
    assert "full" in phone.run(
        "return [...document.querySelectorAll('.grid .full')].map((one) => one.className)[0]"
    )
    phone.tap('[data-slot="0"]')
    _after(phone, lambda: phone.tap('[data-row="0"][data-col="0"]'))
    assert _score(phone) > 1


def test_patchrook_lesson_with_the_mouse(desk: Browser, port: int) -> None:
    """A across the top as the rules' example has it, then lift it again."""
    _open(desk, port, "patchrook")
    desk.click('[data-patch="A"]')
    desk.wait("return !document.getElementById('turn').disabled")
    shown = 'return document.querySelector(\'[data-patch="A"]\').getAttribute("aria-label")'
    if "orientation 0" in desk.run(shown):
        desk.click("#turn")
    assert "orientation 1" in desk.run(shown)
    _after(desk, lambda: desk.click('[data-row="0"][data-col="0"]'))
    row = "return [0, 1, 2].map((c) => document.querySelector(`[data-row='0'][data-col='${c}']`)"
    assert desk.run(f"{row}.textContent)") == ["A", "A", "A"]
    _after(desk, lambda: desk.click('[data-row="0"][data-col="1"]'))
    assert desk.run(f"{row}.textContent)") == ["", "", ""]


def test_patchrook_with_the_keys(desk: Browser, port: int) -> None:
    _open(desk, port, "patchrook")
    desk.press("a", "r", "ArrowDown", "ArrowUp")
    _after(desk, lambda: desk.press("Enter"))
    assert "In the tray: B C" in desk.text("#status").replace("C B", "B C")
    _after(desk, lambda: desk.press("s"))
    assert desk.run("return document.querySelectorAll('[data-patch]').length") == 3


@pytest.mark.parametrize("way", ["mouse", "keys"])
def test_tinrail_lays_tiles_until_the_match_is_over(desk: Browser, port: int, way: str) -> None:
    _open(desk, port, "tinrail")
    for _ in range(20):
        if way == "mouse":
            desk.click("#right")
            _after(desk, lambda: desk.click("#lay"))
        else:
            desk.press("1", "r")
            _after(desk, lambda: desk.press("Enter"))
        if "over" in desk.text("#status"):
            break
    assert "The game is over" in desk.text("#status")
    assert desk.run("return document.getElementById('lay').disabled")


def test_tinrail_lays_by_choosing_the_cell(desk: Browser, port: int) -> None:
    _open(desk, port, "tinrail")
    _after(desk, lambda: desk.click('[data-cell="32"]'))
    assert desk.run("return document.querySelectorAll('#board .laid').length") >= 1


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_an_agent_can_be_watched(desk: Browser, port: int, game: str) -> None:
    _open(desk, port, game)
    desk.run("document.getElementById('pause').value = 0")
    before = int(desk.run("return document.getElementById('table').dataset.turn"))
    desk.click("#watch")
    over = "document.getElementById('status').textContent.includes('over')"
    turn = "Number(document.getElementById('table').dataset.turn)"
    desk.wait(f"return {over} || {turn} > arguments[0] + 4", before)
    if not desk.run(f"return {over}"):
        desk.click("#watch")
    desk.wait("return document.getElementById('watch').getAttribute('aria-pressed') === 'false'")


@pytest.mark.parametrize("game", GAMES)
def test_the_page_fits_a_phone(phone: Browser, port: int, game: str) -> None:
    _open(phone, port, game)
    assert phone.run("return innerWidth") == 360
    assert phone.run("return document.documentElement.scrollWidth") <= 360
    wide = (
        "return [...document.querySelectorAll('main *')].filter((one) => !one.closest('pre')"
        " && one.getBoundingClientRect().right > 361).map((one) => one.outerHTML.slice(0, 80))"
    )
    assert phone.run(wide) == []


@pytest.mark.parametrize("game", GAMES)
def test_everything_has_a_name_and_can_be_read(desk: Browser, port: int, game: str) -> None:
    _open(desk, port, game)
    _after(desk, lambda: desk.click("#advise"))
    assert desk.run(NAMELESS) == []
    for scheme in ("dark", "light"):
        desk.prefer(scheme)
        desk.wait("return matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches", scheme)
        desk.run("for (const one of document.getAnimations()) one.finish()")
        assert desk.run(PALE) == []
    assert desk.run("return document.documentElement.lang") == "en"
    assert desk.run("return document.querySelectorAll('h1').length") == 1
    assert desk.run("return document.querySelector('[aria-current]').dataset.slug") == game


def test_the_focus_is_seen_and_walks_through_the_page(desk: Browser, port: int) -> None:
    _open(desk, port, "sunpleat")
    desk.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen = set()
    for _ in range(25):
        desk.press("Tab")
        seen.add(desk.run("return document.activeElement.id || document.activeElement.className"))
        width = desk.run(
            "const style = getComputedStyle(document.activeElement);"
            "return parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none'"
            " || style.boxShadow !== 'none' || document.activeElement === document.body"
        )
        assert width
    assert {"seed", "new", "agent", "watch", "advise"} <= seen


def test_an_illegal_move_is_said_and_changes_nothing(desk: Browser, port: int) -> None:
    _open(desk, port, "patchwork")
    desk.press("1")
    _after(desk, lambda: desk.press("Enter"))
    desk.press("2", "Enter")
    desk.wait("return document.getElementById('status').classList.contains('bad')")
    assert "does not fit" in desk.text("#status")


def test_a_game_without_a_page_of_its_own_is_played_by_its_legal_list(
    phone: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = "levels:SunpleatLevelsEngine"
    levels = replace(find_game("sunpleatlevels"), engine=engine, procedural=False)
    monkeypatch.setattr("quiltrail.protocol.variants.GAMES", (levels,))
    with running_server() as port:
        _open(phone, port, "sunpleatlevels")
        assert "Garland" in phone.text("#board")
        _after(phone, lambda: phone.click('[data-action="flip"]'))
        assert phone.run("return document.documentElement.scrollWidth") <= 360


def test_nothing_comes_from_elsewhere(desk: Browser, port: int) -> None:
    _open(desk, port, "sunpleat")
    names = desk.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert names
    assert all(name.startswith(f"http://127.0.0.1:{port}/") for name in names)
