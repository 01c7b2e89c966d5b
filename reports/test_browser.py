"""What only a browser can say. Without Chromium these tests fail: a page nobody opened is not a page that works."""

from __future__ import annotations

import shutil
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import sync_playwright

from . import testing

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--no-first-run"]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
DESKTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    chromium = shutil.which("chromium")
    assert chromium, "chromium is not on the PATH: install it (Debian: apt-get install chromium)"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def opened(browser, rendered, rendered_studies, rendered_selftest, tmp_path):
    """Opens a made page; whatever it complains of, and whatever it requests beside itself, fails the test."""
    contexts, complaints = [], []

    def open_page(name: str, **options):
        path = tmp_path / f"{name}.html"
        if name in testing.MADE_SELFTESTS:
            html = rendered_selftest(name)["selftest.html"]
        else:
            html = rendered(name)["index.html"] if name in testing.MADE else rendered_studies(name)["studies.html"]
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: complaints.append(request.url) if request.url not in (path.as_uri(), "data:,") else None)
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => console.error('CSP ' + event.violatedDirective))")
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("name", sorted(testing.MADE | testing.MADE_STUDIES | testing.MADE_SELFTESTS))
def test_quiet_console_no_requests_no_overflow(opened, name):
    for viewport in (DESKTOP, PHONE):
        page = opened(name, viewport=viewport)
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
    assert page.evaluate("[...document.querySelectorAll('[id]')].length === new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size")


@pytest.mark.parametrize("name", ["planted", "hostile", "empty", "studies", "hostile_studies", "selftest", "hostile_selftest"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe(opened, name, scheme):
    page = opened(name, color_scheme=scheme)
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []


def test_styles_apply_in_both_themes(opened):
    """A policy that refuses the style would leave a page that still passes most tests."""
    colours = {scheme: opened("nightly", color_scheme=scheme).evaluate(
        "[getComputedStyle(document.documentElement).backgroundColor, "
        "getComputedStyle(document.querySelector('.chart text')).fill]") for scheme in ("light", "dark")}
    assert colours["light"][0] == "rgb(253, 253, 251)" and colours["dark"][0] == "rgb(20, 23, 26)"
    assert colours["light"][1] != colours["dark"][1]


def test_first_screen(opened):
    page = opened("planted")
    assert page.locator("h1").inner_text().startswith("▲ Error gate FAIL, 60 cells, 9 regressed.")
    assert page.locator("table.attention tbody").nth(3).bounding_box()["y"] < 720 - 50


def _column(page, number: int) -> list[str]:
    return page.evaluate(
        "number => [...document.querySelectorAll('#all-cells tbody:nth-of-type(1) tr:not(.family)')]"
        ".map(row => row.cells[number].textContent)", number)


def test_sort_by_keyboard(opened):
    page = opened("nightly")
    header = page.locator("#all-cells th", has_text="Time").first
    header.locator("button").focus()
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    ascending = _column(page, 9)
    assert ascending[0] == "90.1 µs" and ascending[-1] == "–", "cells without a time come last"
    page.keyboard.press("Space")
    assert header.get_attribute("aria-sort") == "descending"
    descending = _column(page, 9)
    assert descending[0] == "9.67 s" and descending[-1] == "–"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "none"


def test_filter_by_keyboard(opened):
    page = opened("planted")
    page.get_by_label("Filter").focus()
    page.keyboard.type("cuda 1024")
    assert page.locator("#filter-count").inner_text() == "5 of 60 cells"
    page.keyboard.press("Tab")
    page.keyboard.type("REGR")
    assert page.locator("#filter-count").inner_text() == "3 of 60 cells"
    assert page.locator("#all-cells tr:visible", has_text="fp32").count() == 0, "a family without cells is hidden"


def test_a_link_to_a_filtered_cell_shows_it(opened, made):
    page = opened("planted")
    page.get_by_label("Filter").fill("nothing is called this")
    page.locator(".attention a").first.click()
    target = page.locator(":target")
    target.wait_for(state="visible")
    assert target.get_attribute("id") == made("planted")["attention"][0]


def test_permalinks_of_hostile_ids(opened, made):
    page = opened("hostile")
    link = page.locator(".attention a").first
    link.click()
    assert page.locator(":target").get_attribute("id") == made("hostile")["attention"][0]


def test_copy_says_what_it_did(opened):
    page = opened("planted")
    button = page.locator(".attention .copy").first
    button.click()
    button.get_by_text("copied").or_(page.get_by_text("selected")).first.wait_for()


def test_complete_without_scripts(opened):
    page = opened("planted", java_script_enabled=False)
    assert page.locator("#all-cells tbody tr:not(.family)").count() == 60
    assert not page.locator(".controls").is_visible()
    assert page.locator(".chart").count() == 7
    page.locator(".attention a").first.click()
    assert page.locator("tr:target").is_visible()


def test_studies_are_complete_without_scripts(opened):
    page = opened("studies", java_script_enabled=False)
    assert page.locator(".chart").count() == 3
    summary = page.locator("#over_numbers summary")
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("#over_numbers tbody tr").count() == 5
    assert page.locator("#over_numbers table").is_visible()


def test_print_hides_what_paper_cannot_do(opened):
    page = opened("planted")
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible() and not page.locator(".controls").is_visible()
    assert page.locator("h1").is_visible()
