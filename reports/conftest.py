"""What the tests share: made verdicts, each rendered once."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest

from . import load, page, testing, view
from .view import selftest as selftest_view
from .view import studies as studies_view


@cache
def _made(name: str) -> dict[str, Any]:
    return testing.MADE[name]()


@cache
def _rendered(name: str) -> dict[str, str]:
    return page.render(view.build(_made(name)))


@cache
def _rendered_studies(name: str) -> dict[str, str]:
    return page.render(view.build(_made("nightly")), studies_view.build(testing.MADE_STUDIES[name]()))


@cache
def _rendered_selftest(name: str) -> dict[str, str]:
    return page.render(view.build(_made("nightly")), selftest=selftest_view.build(testing.MADE_SELFTESTS[name]()))


@pytest.fixture
def rendered_selftest():
    """The files of a made verdict with a made self-test by name."""
    return _rendered_selftest


@pytest.fixture
def rendered_studies():
    """The files of a made verdict with made studies by name."""
    return _rendered_studies


@pytest.fixture
def made():
    """A made verdict by name, the test's own copy."""
    return lambda name: copy.deepcopy(_made(name))


@pytest.fixture
def rendered():
    """The files of a made verdict by name."""
    return _rendered


@pytest.fixture
def complaint():
    """What load says about a verdict, which must be refused."""

    def complain(verdict: Any) -> str:
        with pytest.raises(load.InvalidFile) as caught:
            load.check(verdict)
        return str(caught.value)

    return complain
