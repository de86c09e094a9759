"""SvgCanvas: well-formed files in which every reference resolves."""

from __future__ import annotations

from xml.etree import ElementTree

from quiltrail.render import LIGHT, Canvas, SvgCanvas, draw_patch, vector

SVG = "{http://www.w3.org/2000/svg}"
RED = (200, 40, 30)


def _everything(canvas: Canvas) -> None:
    canvas.rect(1, 2, 30, 40, RED, radius=3, alpha=0.5)
    canvas.rect(1, 2, 30, 40, RED, outline=0.5)
    canvas.circle(50, 50, 10, RED)
    canvas.polygon([(0, 0), (10, 0), (0, 10)], color=RED)
    canvas.line([(0, 0), (50, 50)], 2, RED, dash=(1, 2), cap="butt")
    canvas.curve((0, 0), (50, 0), (50, 50), 2, RED)
    canvas.gradient(0, 0, 100, 10, RED, (0, 0, 0))
    canvas.text('a < "b" & c', 50, 50, 5, RED)
    draw_patch(canvas, [(0, 0), (1, 0)], 0, 0, side=10, fabric=4)
    draw_patch(canvas, [(0, 0), (1, 0)], 0, 50, side=10, fabric=4)


def _parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def test_the_file_is_well_formed_and_sized() -> None:
    root = _parsed(vector(_everything, size=320))
    assert root.tag == f"{SVG}svg"
    assert (root.get("width"), root.get("height")) == ("320", "320")
    assert root.get("viewBox") == "0 0 100 100"


def test_every_reference_resolves_and_every_name_is_used_once() -> None:
    text = vector(_everything)
    root = _parsed(text)
    names = [one.get("id") for one in root.iter() if one.get("id")]
    assert len(names) == len(set(names))
    wanted = {str(one.get("href"))[1:] for one in root.iter(f"{SVG}use")}
    wanted |= {part.split(")")[0] for part in text.split("url(#")[1:]}
    assert wanted == set(names)


def test_equal_stamps_are_defined_once() -> None:
    root = _parsed(vector(_everything))
    assert len(list(root.iter(f"{SVG}symbol"))) == 2  # the patch and its cloth


def test_text_says_what_it_reads() -> None:
    labels = [one.get("aria-label") for one in _parsed(vector(_everything)).iter(f"{SVG}g")]
    assert labels == ['a < "b" & c']


def test_nothing_is_fetched_from_elsewhere() -> None:
    text = vector(_everything)
    assert text.count("http") == 1  # the name space
    assert "<image" not in text
    assert "font-family" not in text


def test_numbers_have_three_decimals_at_most() -> None:
    canvas = SvgCanvas(LIGHT)
    canvas.circle(1 / 3, 2.0, 0.12345, RED)
    assert 'cx="0.333" cy="2" r="0.123"' in canvas.document(100)
