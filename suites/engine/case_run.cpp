#include "suites/engine/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "kernels/random/philox.h"
#include "kernels/reference/oracle.h"
#include "kernels/simt/executor.h"
#include "suites/engine/digest.h"
#include "suites/engine/timing.h"
#ifdef NARROWGATE_HAS_CUDA
#include "kernels/cuda/device.h"
#endif

namespace narrowgate {
namespace {

constexpr double kFullReplayProducts = 512.0 * 512.0 * 512.0;  // up to here gate I replays every row
constexpr std::int64_t kReplayedRows = 64;
constexpr std::uint32_t kRowSampleTensor = 1000;  // the tensor id of the stream that picks them
constexpr std::int64_t kProfileBins = 256;
constexpr std::uint64_t kShuffleSeed = 98;  // thread order of the second SIMT run: a missing barrier shows as other bits

// All rows, or 64 distinct ones drawn from the seed, ascending; the first and the last row are always among them.
std::vector<std::int64_t> rows_to_replay(const Case& of) {
  const Shape shape = of.shape;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(shape.m));
  for (std::int64_t row = 0; row < shape.m; ++row) rows[static_cast<std::size_t>(row)] = row;
  const double products = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  if (products <= kFullReplayProducts || shape.m <= kReplayedRows) return rows;
  const RandomStream stream{.seed = of.seed, .tensor = kRowSampleTensor};
  std::swap(rows[1], rows.back());
  for (std::size_t i = 2; i < kReplayedRows; ++i) {
    std::swap(rows[i], rows[i + philox_word(stream, i) % (rows.size() - i)]);
  }
  rows.resize(kReplayedRows);
  std::sort(rows.begin(), rows.end());
  return rows;
}

Matrix<float> run_once(const Launch& launch, Memory& memory) {
  memory.poison_output();
  launch();
  memory.synchronize();
  return memory.read_output();
}

Matrix<float> run_kernel(const Kernel& kernel, const Operands& operands) {
  const auto memory = make_memory(kernel.backend, {});
  const Launch launch = kernel.bind(operands, memory->output(operands.shape().m, operands.shape().n), *memory);
  return run_once(launch, *memory);
}

// The second run. The SIMT executor shuffles its threads, and of a large grid runs a sample of blocks: what those
// leave unwritten keeps the first run's bits.
Matrix<float> run_shuffled(const Launch& launch, Memory& memory, Backend backend, const Matrix<float>& first) {
  const simt::ScopedThreadOrder order(kShuffleSeed);
  Matrix<float> second = run_once(launch, memory);
  if (backend != Backend::kSimt) return second;
  for (std::int64_t i = 0; i < second.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(second.data()[i]) == Memory::kPoison) second.data()[i] = first.data()[i];
  }
  return second;
}

Row row_header(const Cell& cell) {
  Row row;
  row.name = row.run_name = row.id = cell.id();
  row.case_id = cell.of.id();
  row.scheme = cell.of.scheme->id;
  row.family = std::string(cell.of.scheme->family);
  row.kernel = cell.kernel->name;
  row.backend = static_cast<Row::Backend>(cell.kernel->backend);
  row.contract = static_cast<Row::Contract>(cell.kernel->contract);
  row.arithmetic = std::string(cell.kernel->arithmetic);
  row.source = std::string(cell.kernel->source);
  row.time_state = Row::TimeState::unmeasured;
  const Shape shape = cell.of.shape;
  row.operations = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  return row;
}

void set_untimed(Row& row, std::string reason) {
  row.time_state = Row::TimeState::unmeasured;
  row.time_reason = reason;
  // So that readers of Google Benchmark's format leave the row out of their times.
  row.error_occurred = true;
  row.error_message = "not timed: " + std::move(reason);
}

void record_metrics(Row& row, const Metrics& metrics, const Matrix<float>& output, const PreparedCase& prepared) {
  row.nonfinite = metrics.nonfinite;
  row.zeros = metrics.zeros;
  row.bits_per_weight = bits_per_weight(prepared.operands);
  if (prepared.census) {
    row.codes_used = prepared.census->tensor;
    row.codes_used_worst_column = prepared.census->worst_column;
  }
  if (metrics.nonfinite != 0) return;
  row.max_abs_err = metrics.max_abs_err;
  row.mean_abs_err = metrics.mean_abs_err;
  row.rms_err = metrics.rms_err;
  row.max_err_steps = metrics.max_err_steps;
  row.mean_err_steps = metrics.mean_err_steps;
  row.rms_err_steps = metrics.rms_err_steps;
  row.sigma_fraction = sigma_fraction(output, prepared.answer.rows, prepared.expectation, prepared.statistical);
  row.worst_row = metrics.worst_row;
  row.worst_col = metrics.worst_col;
  row.bound_fraction = metrics.bound_fraction;
}

// Where a failing kernel is wrong, for the page. NaN and infinity count as the cap.
void record_columns(Row& row, const Matrix<float>& output, const reference::Expectation& expectation) {
  constexpr double kCap = 1000.0;
  std::vector<std::int64_t> all_rows(static_cast<std::size_t>(output.rows()));
  std::iota(all_rows.begin(), all_rows.end(), std::int64_t{0});
  const ColumnProfile profile = column_profile(output, all_rows, expectation, kProfileBins);
  for (std::size_t bin = 0; bin < profile.bound.size(); ++bin) {
    const double used = profile.max_abs_err[bin] == 0.0 ? 0.0 : profile.max_abs_err[bin] / profile.bound[bin];
    row.column_bound_fraction.push_back(used < kCap ? used : kCap);
  }
}

// What a bounded kernel's own sum is held to; nothing where its precision says nothing of the scheme's sum.
std::optional<reference::RoundingExpectation> rounding_of(const Cell& cell, const Operands& operands) {
  const std::optional<Precision>& precision = cell.kernel->precision;
  if (!precision || operands.accumulation.order == Accumulation::Order::kInteger) return std::nullopt;
  return reference::expect_rounding(operands, {.roundings = precision->roundings(cell.of.shape),
                                               .unit_roundoff = std::ldexp(1.0, -precision->unit_roundoff_bits)});
}

// Gates I and E of the kernel's contract, and what else they measure.
struct ContractJudgement {
  std::optional<reference::Expectation> own_expectation;  // of a bounded kernel: with its own rounding
  Metrics metrics;
  GateResult implementation, error;
  std::optional<double> implementation_bound_fraction;
};

ContractJudgement judge_exact(const PreparedCase& prepared, const Matrix<float>& output,
                              const ImplementationError& implementation) {
  ContractJudgement result;
  result.metrics = measure(output, prepared.expectation, prepared.operands);
  result.implementation = implementation.gate;
  result.error = judge_error(result.metrics);
  return result;
}

ContractJudgement judge_bounded(const Cell& cell, const PreparedCase& prepared, const Matrix<float>& output) {
  const auto rounding = rounding_of(cell, prepared.operands);
  ContractJudgement result;
  if (rounding) result.own_expectation = reference::with_rounding(prepared.expectation, *rounding);
  result.metrics =
      measure(output, result.own_expectation ? *result.own_expectation : prepared.expectation, prepared.operands);
  RoundingError implementation = judge_rounding(output, rounding);
  result.implementation = std::move(implementation.gate);
  result.implementation_bound_fraction = implementation.bound_fraction;
  result.error = judge_bounded_error(result.metrics, rounding);
  return result;
}

void record_judgement(Row& row, const Cell& cell, const PreparedCase& prepared, const Observation& observation) {
  const ImplementationError implementation = judge_implementation(observation.output, prepared.answer);
  const ContractJudgement judgement = cell.kernel->contract == Contract::kExact
                                          ? judge_exact(prepared, observation.output, implementation)
                                          : judge_bounded(cell, prepared, observation.output);
  const reference::Expectation& expectation =
      judgement.own_expectation ? *judgement.own_expectation : prepared.expectation;
  const Metrics& metrics = judgement.metrics;
  const Matrix<double>& target = expectation.target.empty() ? expectation.exact : expectation.target;
  row.digest = digest(observation.output);
  record_metrics(row, metrics, observation.output, prepared);
  if (metrics.nonfinite == 0 && cell.of.scheme->day98_gate != Day98Gate::kDoesNotApply) {
    row.k_gate_fraction = metrics.k_gate_fraction;
    row.sqrtk_gate_fraction = metrics.sqrtk_gate_fraction;
  }
  if (std::isfinite(prepared.quantization_max_abs_err)) row.quantization_max_abs_err = prepared.quantization_max_abs_err;
  row.implementation_rows = static_cast<std::int64_t>(prepared.answer.rows.size());
  row.implementation_mismatches = implementation.mismatches;
  if (std::isfinite(implementation.max_abs_err)) row.implementation_max_abs_err = implementation.max_abs_err;
  row.implementation_bound_fraction = judgement.implementation_bound_fraction;
  if (judgement.error.state == GateResult::State::not_measured) row.bound_fraction.reset();
  row.gates = {judge_guards(observation, metrics, target, prepared.answer), prepared.quantization,
               judgement.implementation, judgement.error, judge_day98(metrics, cell.of.scheme->day98_gate)};
  const bool failed = std::any_of(row.gates.begin(), row.gates.end(), [](const GateResult& gate) {
    return gate.decides && gate.state == GateResult::State::fail;
  });
  if (failed) record_columns(row, observation.output, expectation);
}

void record_time(Row& row, const TimeSamples& time, const CellOptions& options) {
  row.time_state = Row::TimeState::measured;
  row.time_reason = time.stop_reason;
  row.samples_ns = time.samples_ns;
  row.real_time = time.median_ns;
  row.cpu_time = time.cpu_time_ns;
  row.time_min_ns = time.min_ns;
  row.time_rse = time.relative_standard_error;
  row.iterations = time.iterations;
  row.repetitions = static_cast<std::int64_t>(time.samples_ns.size());
  row.repetition_index = 0;
  row.threads = 1;
  row.device_key = options.device_key;
}

// Operands as the kernel gets them: the oracle's own, or spoiled by a planted bug.
Operands planted_operands(const Operands& operands, const Plant* plant) {
  Operands copy = operands;
  if (plant != nullptr) plant->apply(copy);
  return copy;
}

void measure_cell(Row& row, const Cell& cell, const PreparedCase& prepared, const CellOptions& options) {
  const auto memory = make_memory(cell.kernel->backend, cell.layout);
  const Operands operands = planted_operands(prepared.operands, options.plant);
  const Launch launch = cell.kernel->bind(operands, memory->output(cell.of.shape.m, cell.of.shape.n), *memory);
  Observation observation;
  observation.output = run_once(launch, *memory);
  observation.second_output = run_shuffled(launch, *memory, cell.kernel->backend, observation.output);
  if (!options.timing) {
    set_untimed(row, "the run was asked not to time");
  } else if (!cell.timed) {
    set_untimed(row, cell.kernel->backend == Backend::kSimt ? "the host executes device code: its time says nothing about a device"
                                                            : "the suite does not time this cell");
  } else {
    record_time(row, time_launch(cell, launch, *memory, options.budget_ms), options);
    observation.second_output = memory->read_output();  // of the last timed launch: it must have the same bits
  }
  observation.damage = memory->damage();
  if (options.plant != nullptr) {
    options.plant->spoil(observation.output);
    options.plant->spoil(observation.second_output);
  }
  record_judgement(row, cell, prepared, observation);
  row.state = Row::State::measured;
  if (options.observed != nullptr) *options.observed = std::move(observation);
}

}  // namespace

std::unique_ptr<Memory> make_memory(Backend backend, Layout layout) {
#ifdef NARROWGATE_HAS_CUDA
  if (backend == Backend::kCuda) return cuda::make_device_memory(layout);
#endif
  (void)backend;
  return make_host_memory(layout);
}

Inputs make_inputs(Shape shape, Distribution distribution, std::uint64_t seed) {
  Inputs inputs{make_input(distribution, Tensor::kA, seed, shape.m, shape.k),
                make_input(distribution, Tensor::kB, seed, shape.k, shape.n), {}};
  const Inputs& data = inputs;
  inputs.exact = reference::product(data.a.view(), data.b.view());
  return inputs;
}

namespace {

constexpr std::int64_t kCalibrationRows = 64;

// Data of one scheme's own: made only where the scheme looks at it.
struct Side {
  Matrix<float> calibration;  // samples×k
  Matrix<float> bias;         // 1×n
};
Side make_side_inputs(const Case& of) {
  Side side;
  if (of.scheme->needs_calibration) {
    side.calibration = make_input(of.distribution, Tensor::kCalibration, of.seed, kCalibrationRows, of.shape.k);
  }
  if (of.scheme->has_bias) side.bias = make_input(of.distribution, Tensor::kBias, of.seed, 1, of.shape.n);
  return side;
}

double largest_error(const Answer& answer, const Matrix<double>& exact) {
  double largest = 0.0;
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    for (std::int64_t col = 0; col < exact.cols(); ++col) {
      const double error = std::fabs(answer.values(static_cast<std::int64_t>(i), col) - exact(answer.rows[i], col));
      if (std::isnan(error)) return error;
      largest = std::max(largest, error);
    }
  }
  return largest;
}

// FP16 output has no answer where an element may exceed it: infinity would hide every error.
std::optional<std::string> refuses_range(const PreparedCase& prepared) {
  if (prepared.operands.output != OutputFormat::kFp16) return std::nullopt;
  constexpr double kLargest = 65504.0;
  const reference::Expectation& expectation = prepared.expectation;
  const Matrix<double>& target = expectation.target.empty() ? expectation.exact : expectation.target;
  double reach = 0.0;
  for (std::int64_t i = 0; i < target.size(); ++i) {
    reach = std::max(reach, std::fabs(target.data()[i]) + expectation.bound.data()[i]);
  }
  if (reach <= kLargest) return std::nullopt;
  return fmt::format("an element may reach {:.6g}, beyond FP16's {:.6g}", reach, kLargest);
}

}  // namespace

PreparedCase prepare_case(const Case& of, const Inputs& inputs) {
  PreparedCase prepared;
  if (auto reason = of.scheme->refuses(of.shape)) {
    prepared.refusal = std::move(reason);
    return prepared;
  }
  const Side side = make_side_inputs(of);
  const SchemeInputs scheme_inputs{inputs.a.view(), inputs.b.view(), side.calibration.view()};
  auto operands = encode_operands(*of.scheme, scheme_inputs, side.bias.flat());
  if (!operands) {
    prepared.refusal = operands.error().reason;
    return prepared;
  }
  prepared.operands = std::move(*operands);
  prepared.quantization = judge_quantization(inputs.a.view(), inputs.b.view(), prepared.operands,
                                             replay_operands(*of.scheme, scheme_inputs, side.bias.flat()));
  prepared.expectation = reference::expect_given(inputs.exact, inputs.a.view(), inputs.b.view(), prepared.operands);
  if (auto reason = refuses_range(prepared)) {
    prepared.refusal = std::move(reason);
    return prepared;
  }
  prepared.answer.rows = rows_to_replay(of);
  prepared.answer.values = run_kernel(replay_kernel(*of.scheme), select_rows(prepared.operands, prepared.answer.rows));
  prepared.quantization_max_abs_err = largest_error(prepared.answer, prepared.expectation.exact);
  prepared.statistical = reference::statistical_error(inputs.a.view(), inputs.b.view(), prepared.operands, prepared.answer.rows);
  prepared.census = code_census(prepared.operands.b);
  return prepared;
}

Row run_cell(const Cell& cell, const PreparedCase& prepared, const CellOptions& options) {
  Row row = row_header(cell);
  std::optional<std::string> reason = prepared.refusal;
  if (!reason) reason = cell.kernel->unsupported(*cell.of.scheme, cell.of.shape);
  if (reason) {
    row.state = Row::State::skipped;
    row.reason = *reason;
    set_untimed(row, *reason);
    return row;
  }
  try {
    measure_cell(row, cell, prepared, options);
  } catch (const NotSupported& refusal) {
    row = row_header(cell);
    row.state = Row::State::skipped;
    row.reason = refusal.what();
    set_untimed(row, *row.reason);
  } catch (const std::exception& failure) {
    row = row_header(cell);
    row.state = Row::State::crashed;
    row.reason = failure.what();
    set_untimed(row, "the kernel crashed");
  }
  return row;
}

CaseProfile profile_case(const Case& of, const PreparedCase& prepared) {
  CaseProfile profile;
  profile.id = of.id();
  profile.scheme = of.scheme->id;
  profile.title = std::string(of.scheme->title);
  profile.family = std::string(of.scheme->family);
  profile.m = of.shape.m;
  profile.n = of.shape.n;
  profile.k = of.shape.k;
  profile.distribution = to_string(of.distribution);
  profile.seed = of.seed;
  if (prepared.refusal) return profile;
  const ColumnProfile columns = column_profile(prepared.answer.values, prepared.answer.rows, prepared.expectation, kProfileBins);
  profile.column_first = columns.first_column;
  profile.column_max_abs_err.assign(columns.max_abs_err.begin(), columns.max_abs_err.end());
  profile.column_bound.assign(columns.bound.begin(), columns.bound.end());
  profile.column_codes_used.emplace();
  if (prepared.census) profile.column_codes_used = census_by_bin(*prepared.census, columns.first_column);
  return profile;
}

}  // namespace narrowgate
