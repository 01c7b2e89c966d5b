"""How numbers read: aligned digits, units that suit, and absent never 0."""

import pytest

from .numbers import count, duration, metric, ratio, significant


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.132, "0.1320"),
        (8.311, "8.311"),
        (12.3456, "12.35"),
        (1.139e-6, "1.139e-6"),
        (0.0009999, "9.999e-4"),
        (0.00099999, "0.001000"),
        (999999.9, "1.000e6"),
        (123456.0, "123456"),
        (0, "0"),
        (-0.5, "-0.5000"),
        (None, "not finite"),
        (float("nan"), "not finite"),
        (float("inf"), "not finite"),
    ],
)
def test_significant(value, text):
    assert significant(value) == text


def test_absent_and_not_finite_differ():
    assert metric({}, "rms_err") == "–"
    assert metric({"rms_err": None}, "rms_err") == "not finite"
    assert metric({"rms_err": 0.0}, "rms_err") == "0"


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (4437400, "4.44 ms"),
        (83200, "83.2 µs"),
        (999.7, "1.00 µs"),
        (999999, "1.00 ms"),
        (12, "12.0 ns"),
        (0.5, "0.500 ns"),
        (9.67e9, "9.67 s"),
        (None, "–"),
    ],
)
def test_duration(nanoseconds, text):
    assert duration(nanoseconds) == text


def test_ratio_and_count():
    assert ratio(1.0234) == "1.02×"
    assert ratio(None) == "–"
    assert count(1, "row") == "1 row"
    assert count(4096, "row") == "4,096 rows"
