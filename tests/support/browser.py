"""A headless browser that notes what a page draws, asks for and complains of."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

MARKS = ".point, .js-line, .box"
"""What Plotly draws data with: points and bars, lines, boxes."""


@dataclass
class Seen:
    """What a browser made of a page."""

    marks: dict[str, int] = field(default_factory=dict)
    """Drawn marks of each chart, by its id."""
    titles: dict[str, str] = field(default_factory=dict)
    """Title of the convergence chart's x axis, by the label that was chosen."""
    detail: str = ""
    """The candidate shown below the lineage, after another one was chosen."""
    text: str = ""
    """All that the page says."""
    wrong: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    title: str = ""
    images: int = 0
    wide: dict[int, int] = field(default_factory=dict)
    """Width of the page's content, by that of the window, in px."""


def look(file: Path, axes: Sequence[str] = ()) -> Seen:
    """Open a file in Chromium and try its controls; skips the test where there is none."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    seen = Seen()
    with sync.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        page.on("console", lambda one: seen.wrong.append(one.text))
        page.on("pageerror", lambda one: seen.wrong.append(str(one)))
        page.on("request", lambda one: seen.asked.append(one.url))
        page.on("dialog", lambda one: (seen.dialogs.append(one.message), one.dismiss()))
        page.goto(file.as_uri())
        _note(page, seen, axes)
        chromium.close()
    return seen


def _note(page: Any, seen: Seen, axes: Sequence[str]) -> None:
    for one in page.locator(".chart").all():
        seen.marks[str(one.get_attribute("id"))] = one.locator(MARKS).count()
    for axis in axes:
        page.get_by_label(axis, exact=True).check()
        seen.titles[axis] = page.locator("#chart-convergence .xtitle").text_content()
    if page.locator("#pick option").count():
        page.locator("#pick").select_option(index=1)
        seen.detail = page.locator("#detail").inner_text()
    seen.text = page.locator("body").inner_text()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        seen.wide[width] = page.evaluate("document.documentElement.scrollWidth")
    seen.title = page.title()
    seen.images = page.locator("main img").count()
