"""The view model on verdicts small enough to know every word of the answer."""

import json

import pytest

from . import view
from .load import SCHEMA_FOLDER
from .view import cells, columns, day98, speed, summary
from .view.index import has_plain_layout, index
from .words import ERROR_STATES, TIME_STATES, VERDICTS, is_dead_channel

CELL = "int8.tensor/cpu.simd/256x256x256/day98/s1"


@pytest.fixture
def run(made):
    return index(made("nightly"))


def test_every_state_of_the_schema_has_words():
    schema = json.loads((SCHEMA_FOLDER / "verdict.schema.json").read_text(encoding="utf-8"))
    properties = schema["properties"]
    cell = properties["cells"]["items"]["properties"]
    assert set(ERROR_STATES) == set(cell["state"]["enum"])
    assert set(TIME_STATES) == set(cell["time_state"]["enum"])
    assert set(VERDICTS) == set(properties["exit_code"]["enum"])
    assert {state.mark for state in (*ERROR_STATES.values(), *TIME_STATES.values(), *VERDICTS.values())} == set("▲▼=?")


def test_compared(run):
    facts = {fact.term: fact.detail for fact in summary.compared(run)}
    assert facts["Commit"] == "f77fc84a1c3e"
    assert facts["Device, cpu and simt"] == "AMD EPYC 7B13"
    assert facts["Device, cuda"] == "Tesla T4, driver 580.173.02"
    assert facts["Baseline"] == "15 stored cases"


@pytest.mark.parametrize(
    ("commit", "dirty", "text"),
    [
        ("0123456789abcdef", False, "0123456789ab"),
        ("0123456789abcdef", True, "0123456789ab with uncommitted changes"),
        ("0123456789abcdef", None, "0123456789ab, changes unknown"),
        (None, None, "unknown"),
    ],
)
def test_commit(commit, dirty, text):
    assert summary.commit({"git_commit": commit, "git_dirty": dirty}) == text


def test_attention_names_the_first_gate_that_decides(made):
    verdict = made("planted")
    cell = next(cell for cell in verdict["cells"] if cell["id"] == verdict["attention"][0])
    cell["row"]["gates"].insert(0, {"gate": "day98", "state": "fail", "decides": False})
    first = view.build(verdict).attention[0]
    assert (first.gate, first.place) == ("I", "row 0, column 85")
    assert (first.value, first.reference, first.bound) == ("9.500", "4.750", "0")
    assert first.state.word == "REGRESSED"


def test_attention_of_a_slower_cell_shows_times(run):
    (slower,) = summary.attention(run)
    assert (slower.gate, slower.state.word, slower.state.mark) == ("time", "SLOWER", "▲")
    assert slower.value.endswith("ms") and slower.reference.endswith("ms")


def test_at_most_ten_rows_of_attention(made):
    verdict = made("nightly")
    verdict["attention"] = [cell["id"] for cell in verdict["cells"]][:13]
    page = view.build(verdict)
    assert (len(page.attention), page.attention_left_off) == (10, 3)


def test_missing_cell_has_no_row(made):
    verdict = made("nightly")
    verdict["cells"][0].update(row=None, baseline=None, state="MISSING", reason="no result arrived")
    page = view.build(verdict)
    assert page.not_run[0].reason == "no result arrived"
    line = page.families[0].lines[0]
    assert (line.cell.scheme, line.cell.kernel, line.cell.shape) == ("fp32.chain", "cpu.scalar", "256x256x256")
    assert [text for text, _ in line.values] == ["–"] * 6


def test_day98_beside_the_published_table(made):
    verdict = made("nightly")
    for cell in verdict["cells"]:
        if cell["id"].startswith("int8.column/") and "/2048x" in cell["id"] and cell["row"]["state"] == "measured":
            cell["row"]["rms_err"] = 0.2468 * 1.05
    table = day98.day98(index(verdict))
    assert [size for size, _ in table.sizes] == [256, 1024, 2048]
    assert table.kernels == ["cpu.scalar", "cpu.simd", "cuda.tiled"]
    lines = {line.scheme: line for line in table.sizes[2][1]}
    assert list(lines) == ["fp32.chain", "int8.tensor", "int8.column", "int8.column_zp", "int8.column_24"]
    column = lines["int8.column"]
    assert column.published_name == "int8 per-column"
    assert (column.rms_error.published, column.rms_ratio) == ("0.2468", "1.05×")
    assert (column.max_error.published, column.sqrtk_gate.published, column.published_time) == ("8.311", "0.7420", "23.7 ms")
    pruned = lines["int8.column_24"]
    assert (pruned.k_gate.ours, pruned.k_gate.published, pruned.published_time) == ("–", "–", "–")


def test_seeds_are_averaged_in_rms_only():
    answers = [{"rms_err": 1.0, "max_abs_err": 1.0}, {"rms_err": 3.0, "max_abs_err": 3.0}]
    assert day98.over_seeds("rms_err", answers) == 2.0
    assert day98.over_seeds("max_abs_err", answers) == 3.0
    assert day98.over_seeds("rms_err", [*answers, {"rms_err": None}]) is None


def test_day98_says_when_kernels_differ(made):
    lines = {line.scheme: line for line in day98.day98(index(made("planted"))).sizes[0][1]}
    assert lines["int8.column"].kernels_differ and not lines["int8.tensor"].kernels_differ


def test_day98_without_published_figures_or_without_cells(made):
    verdict = made("nightly")
    verdict["baseline"]["published"] = None
    assert day98.day98(index(verdict)).sizes[0][1][0].rms_ratio == "–"
    assert day98.day98(index(made("empty"))) is None


def test_day98_of_an_answer_that_is_not_finite(made):
    verdict = made("nightly")
    for cell in verdict["cells"]:
        if cell["id"].startswith("int8.tensor/cpu.scalar/256x"):
            cell["row"].update(rms_err=None, nonfinite=4)
    line = day98.day98(index(verdict)).sizes[0][1][1]
    assert (line.rms_error.ours, line.rms_ratio) == ("not finite", "–")


def test_census_names_the_column():
    case = {"scheme": "int8.tensor", "column_first": [0, 4, 8], "column_codes_used": [200, 3, 17]}
    assert columns.census(case, []) == "3 of 255 codes used in the worst column (column 4)."
    assert columns.census({"scheme": "fp32.chain", "column_first": [0]}, []) == "B is not coded."
    unknown = {"scheme": "w4a16.g128", "column_first": [0], "column_codes_used": [9]}
    assert columns.census(unknown, []) == "9 codes used in the worst column (column 0)."


@pytest.mark.parametrize(
    ("codes", "available", "k", "dead"),
    [(3, 255, 256, True), (7, 255, 2048, True), (8, 255, 2048, False), (3, 255, 3, False), (1, None, 32, True), (2, None, 32, False)],
)
def test_dead_channel(codes, available, k, dead):
    assert is_dead_channel(codes, available, k) is dead


def test_worst_fraction_sentence():
    assert columns.worst_fraction_sentence([0, 8], [0.1, 0.3], [1.0, 0.4]) == (
        "Column 8 comes closest to its bound: 0.750 of it."
    )
    assert columns.worst_fraction_sentence([0, 8], [0.1, None], [1.0, 0.4]) == "The error of column 8 is not finite."


def test_charts_show_each_scheme_once_and_attention_first(made):
    curves = columns.charted(index(made("planted")))
    assert [(curve.scheme, curve.shape) for curve in curves] == [
        ("int8.column", "256x256x256"), ("int8.column_zp", "256x256x256"), ("int8.column_24", "256x256x256"),
        ("fp32.chain", "2048x2048x2048"), ("int8.tensor", "2048x2048x2048"),
    ]
    (failure,) = curves[0].failures
    assert (failure.gate, failure.kernels, failure.column) == ("E", ("cuda.tiled",), 85)


def test_kernels_that_fail_alike_are_one_mark(made):
    verdict = made("planted")
    broken = next(cell for cell in verdict["cells"] if cell["id"] == verdict["attention"][0])
    for cell in verdict["cells"]:
        if cell["row"]["case"] == broken["row"]["case"]:
            cell["row"]["gates"] = broken["row"]["gates"]
    (failure,) = columns.charted(index(verdict))[0].failures
    assert failure.kernels == ("cpu.scalar", "cpu.simd", "simt.tiled", "cuda.tiled")


def test_sparkline_is_small_and_clamped():
    case = {"scheme": "int8.tensor", "k": 256, "column_max_abs_err": [1.0, 0.1, 0.0, None], "column_bound": [1.0, 1.0, 1.0, 1.0],
            "column_codes_used": [200, 3, 200, 200]}
    spark = columns.sparkline(case)
    assert spark.path == "M0 0L21 4L43 12L64 0"
    assert spark.dead_path == "M20 14h2"
    assert columns.sparkline({}) is None


def test_sparkline_of_a_failing_kernel_is_its_own():
    case = {"scheme": "int8.tensor", "k": 256, "column_max_abs_err": [0.0, 0.0], "column_bound": [1.0, 1.0]}
    assert columns.sparkline(case, {"column_bound_fraction": [0.001, 1000.0]}).path == "M0 12L64 0"
    assert columns.sparkline(case, {}).path == "M0 12L64 12"


def test_speed_compares_one_shape(run):
    compared = speed.speed(run)
    assert compared.inputs == "2048x2048x2048, day98, seed 1"
    assert len(compared.points) == 15
    assert ("simt.tiled", "simt executes device code on the host: no time") in compared.untimed


def test_front_keeps_what_nothing_beats(run):
    front = {(point.scheme, point.kernel) for point in speed.speed(run).points if point.on_front}
    assert ("fp32.chain", "cuda.tiled") in front
    assert ("int8.tensor", "cuda.tiled") not in front and ("fp32.chain", "cpu.scalar") not in front


def test_many_samples_are_thinned_by_rank(made):
    verdict = made("pull_request")
    row = verdict["cells"][0]["row"]
    row["samples_ns"] = [float(1000 - index) for index in range(1000)]
    samples = next(line for line in speed.speed(index(verdict)).samples if line.kernel == "cpu.scalar")
    assert (samples.taken, len(samples.samples_ns)) == (1000, 200)
    assert (samples.samples_ns[0], samples.samples_ns[-1]) == (1.0, 1000.0)


def test_time_states_and_changes(run):
    counts = {count.state.word: count.number for count in cells.time_counts(run)}
    assert counts == {"SLOWER": 1, "FASTER": 1, "SAME": 43, "UNMEASURED": 15}
    assert [cell.time_state.word for cell in cells.time_changes(run)] == ["SLOWER", "FASTER"]


def test_baseline_and_now(made):
    compared = cells.baseline(index(made("planted")))
    assert (compared.equal, compared.without, len(compared.changes)) == (46, 0, 9)
    assert cells.baseline(index(made("pull_request"))).without == 3


def test_a_layout_suffix_is_not_the_plain_case():
    assert has_plain_layout({"id": "int8.tensor/33x65x129/day98/s1"})
    assert not has_plain_layout({"id": "int8.tensor/33x65x129+ld7+off3/day98/s1"})
