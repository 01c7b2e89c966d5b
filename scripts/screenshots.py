#!/usr/bin/env python3
"""Takes the pictures of the report that the README shows, from a report folder.

    build/venv/bin/python scripts/screenshots.py build/bench/report

Writes docs/images/report.png (light), report-dark.png and report-phone.png; where the folder holds selftest.html, the
chart of mutants and gates as mutants.png. Needs scripts/bootstrap --tests.

    build/venv/bin/python scripts/screenshots.py build/bench/report --only-mutants     leaves the others as they are
"""

from __future__ import annotations

import pathlib
import shutil
import sys

from playwright.sync_api import Browser, sync_playwright

IMAGES = pathlib.Path(__file__).resolve().parent.parent / "docs" / "images"
VIEWS = [("report", 1280, 720, "light"), ("report-dark", 1280, 720, "dark"), ("report-phone", 390, 844, "light")]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def take_mutants(browser: Browser, folder: pathlib.Path) -> None:
    context = browser.new_context(viewport={"width": 1040, "height": 720}, color_scheme="light")
    page = context.new_page()
    page.goto((folder / "selftest.html").as_uri())
    page.locator("figure").screenshot(path=IMAGES / "mutants.png")
    context.close()


def take_views(browser: Browser, page_path: pathlib.Path) -> None:
    for name, width, height, scheme in VIEWS:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        page = context.new_page()
        page.goto(page_path.as_uri())
        page.screenshot(path=IMAGES / f"{name}.png")
        context.close()


def main(folder: str, only: list[str]) -> int:
    page_path = pathlib.Path(folder).resolve() / "index.html"
    chromium = shutil.which("chromium")
    if not page_path.is_file():
        print(f"{page_path}: no such file; expected a folder that `narrowgate report` wrote", file=sys.stderr)
        return 2
    if chromium is None:
        print("chromium is not on the PATH; run scripts/bootstrap --tests", file=sys.stderr)
        return 5
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        if not only:
            take_views(browser, page_path)
        if (page_path.parent / "selftest.html").is_file():
            take_mutants(browser, page_path.parent)
        browser.close()
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--only-mutants"]):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
