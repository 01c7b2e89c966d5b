#include "suites/check/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/formats/records/bf16.h"
#include "kernels/formats/records/fp16.h"
#include "kernels/formats/span_codec.h"
#include "kernels/parallel.h"
#include "kernels/reference/operand_bounds.h"
#include "suites/engine/case_run.h"
#include "suites/engine/digest.h"

namespace narrowgate::check {
namespace {

using Gate = GateResult::Gate;
using State = GateResult::State;

constexpr std::int64_t kSliceElements = std::int64_t{1} << 21;  // of the wider of A and C, in doubles: 16 MiB each
constexpr std::int64_t kSmallestSlice = 16;
constexpr std::int64_t kShortLine = 4;  // a zero in a line this short may be chance
constexpr std::int64_t kBands = 8;       // of a slice, judged side by side
constexpr double kLargestFp16 = 65504.0;

const formats::Format* format_of(io::ElementType type) {
  if (type == io::ElementType::f16) return &formats::kFp16;
  return type == io::ElementType::bf16 ? &formats::kBf16 : nullptr;
}

// Distance in C's format: its floats in order, counted.
double ulps_between(float x, float y, io::ElementType type) {
  const auto ordered = [](float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto magnitude = static_cast<std::int64_t>(bits & 0x7FFFFFFFu);
    return (bits >> 31) != 0 ? -magnitude : magnitude;
  };
  if (const formats::Format* format = format_of(type)) {
    return std::fabs(double{x} - y) / (2.0 * reference::half_step(*format, std::fabs(double{y})));
  }
  return std::fabs(static_cast<double>(ordered(x) - ordered(y)));
}

double fraction(double error, double limit) {
  if (error == 0.0) return 0.0;
  return limit > 0.0 ? error / limit : std::numeric_limits<double>::infinity();
}

const Kernel& fast_kernel(const Scheme& scheme) {
  for (const Kernel* kernel : all_kernels()) {
    if (kernel->name == "cpu.simd" && kernel->computes(scheme)) return *kernel;
  }
  return replay_kernel(scheme);
}

// One slice of rows, with everything that its elements are held against.
struct Slice {
  std::int64_t first_row;
  const reference::Expectation& expectation;
  const Matrix<float>& answer;   // in FP32
  const Matrix<float>& rounded;  // in C's format
};

void judge_element(Tally& found, const Subject& subject, const Slice& slice, std::int64_t row, std::int64_t col,
                   const std::vector<double>& day98) {
  const Tensors& tensors = subject.tensors;
  const std::int64_t in_slice = row - slice.first_row;
  const auto column = static_cast<std::size_t>(col);
  const double value = tensors.c(row, col), exact = slice.expectation.exact(in_slice, col);
  const double target = slice.expectation.target.empty() ? exact : slice.expectation.target(in_slice, col);
  const float answer = slice.answer(in_slice, col), rounded = slice.rounded(in_slice, col);
  const double bound = slice.expectation.bound(in_slice, col) +
                       output_rounding(tensors.c_type, subject.scheme.output, std::fabs(value));
  const Element here{row, col, value, target, bound};
  found.zeros += value == 0.0;
  found.row_zeros[static_cast<std::size_t>(row)] += value == 0.0;
  found.column_zeros[column] += value == 0.0;
  found.row_nonzeros[static_cast<std::size_t>(row)] += rounded != 0.0f;
  found.column_nonzeros[column] += rounded != 0.0f;
  if (answer != 0.0f) found.answer_is_zero = false;
  const double quantization = std::fabs(answer - exact);
  found.quantization_max_err = std::max(found.quantization_max_err, quantization);
  found.quantization_squares += quantization * quantization;
  if (canonical_bits(tensors.c(row, col)) != canonical_bits(rounded)) {
    ++found.mismatches;
    if (!found.first_mismatch) found.first_mismatch = Element{row, col, value, rounded, 0.0};
  }
  if (!std::isfinite(value)) {
    if (found.nonfinite++ == 0) found.first_nonfinite = here;
    found.row_fraction[static_cast<std::size_t>(row)] = found.column_fraction[column] = std::numeric_limits<double>::infinity();
    return;
  }
  if (!std::isfinite(bound)) found.bound_is_finite = false;
  found.excludes_zeros |= std::fabs(target) > bound;
  found.reach = std::max(found.reach, std::fabs(target) + bound);
  if (value != rounded) {
    found.implementation_max_err = std::max(found.implementation_max_err, std::fabs(value - rounded));
    found.max_ulps = std::max(found.max_ulps, ulps_between(tensors.c(row, col), rounded, tensors.c_type));
  }
  const double error = std::fabs(value - exact), used = fraction(std::fabs(value - target), bound);
  found.max_err = std::max(found.max_err, error);
  if (used > found.bound_fraction || found.elements == 0) found.worst = here;
  found.bound_fraction = std::max(found.bound_fraction, used);
  double& of_row = found.row_fraction[static_cast<std::size_t>(row)];
  of_row = std::max(of_row, used);
  found.column_fraction[column] = std::max(found.column_fraction[column], used);
  if (!(std::fabs(value - target) <= bound) && !found.first_beyond_bound) found.first_beyond_bound = here;
  found.day98_fraction = std::max(found.day98_fraction, fraction(error, day98[column]));
  if (!(error <= day98[column]) && !found.first_beyond_day98) found.first_beyond_day98 = Element{row, col, value, exact, day98[column]};
  ++found.elements;
}

void keep_largest(std::vector<double>& total, const std::vector<double>& part) {
  for (std::size_t i = 0; i < total.size(); ++i) total[i] = std::max(total[i], part[i]);
}

void keep_sum(std::vector<std::int64_t>& total, const std::vector<std::int64_t>& part) {
  for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
}

// Parts in the order of their rows, so "first" and "worst" name the same element however many threads there were.
void merge(Tally& total, const Tally& part) {
  if (part.elements > 0 && (total.elements == 0 || part.bound_fraction > total.bound_fraction)) total.worst = part.worst;
  for (std::int64_t Tally::* count : {&Tally::elements, &Tally::nonfinite, &Tally::zeros, &Tally::mismatches}) total.*count += part.*count;
  total.quantization_squares += part.quantization_squares;
  for (double Tally::* largest : {&Tally::max_ulps, &Tally::implementation_max_err, &Tally::quantization_max_err, &Tally::max_err,
                                  &Tally::bound_fraction, &Tally::day98_fraction, &Tally::reach}) {
    total.*largest = std::max(total.*largest, part.*largest);
  }
  total.answer_is_zero &= part.answer_is_zero;
  total.bound_is_finite &= part.bound_is_finite;
  total.excludes_zeros |= part.excludes_zeros;
  for (std::optional<Element> Tally::* first : {&Tally::first_nonfinite, &Tally::first_beyond_bound, &Tally::first_mismatch,
                                                &Tally::first_beyond_day98}) {
    if (!(total.*first)) total.*first = part.*first;
  }
  keep_largest(total.row_fraction, part.row_fraction);
  keep_largest(total.column_fraction, part.column_fraction);
  keep_sum(total.row_zeros, part.row_zeros);
  keep_sum(total.column_zeros, part.column_zeros);
  keep_sum(total.row_nonzeros, part.row_nonzeros);
  keep_sum(total.column_nonzeros, part.column_nonzeros);
}

GateResult at(GateResult result, const Element& element) {
  result.row = element.row;
  result.column = element.column;
  result.value = element.value;
  result.reference = element.reference;
  result.bound = element.bound;
  return result;
}

GateResult result_of(Gate gate, State state, std::string detail = {}) {
  GateResult result{.gate = gate, .state = state};
  if (!detail.empty()) result.detail = std::move(detail);
  return result;
}

GateResult judge_guards(const Subject& subject, const Tally& found) {
  const Shape shape = subject.tensors.shape();
  if (found.first_nonfinite) {
    return at(result_of(Gate::guards, State::fail, fmt::format("{} of {} elements are not finite", found.nonfinite, shape.m * shape.n)),
              *found.first_nonfinite);
  }
  if (found.zeros == shape.m * shape.n && !found.answer_is_zero) {
    return result_of(Gate::guards, State::fail, "the output is all zeros and the scheme's answer is not");
  }
  const auto columns = dead(found.column_zeros, found.column_nonzeros, shape.m);
  const auto rows = dead(found.row_zeros, found.row_nonzeros, shape.n);
  if (!columns.empty()) {
    return result_of(Gate::guards, State::fail, fmt::format("column {} is all zeros and the scheme's answer has none there", columns.front()));
  }
  if (!rows.empty()) {
    return result_of(Gate::guards, State::fail, fmt::format("row {} is all zeros and the scheme's answer has none there", rows.front()));
  }
  return result_of(Gate::guards, State::pass);
}

GateResult judge_bits(const Subject& subject, const Tally& found, Decision decision) {
  const bool decides = decision == Decision::kEveryBit || subject.given.has_value();
  GateResult result = result_of(Gate::implementation, State::pass);
  if (found.first_mismatch) {
    const std::int64_t count = subject.tensors.c.size();
    result = at(result_of(Gate::implementation, State::fail,
                          fmt::format("{} of {} elements differ from the scheme's answer{}", found.mismatches, count,
                                      subject.given ? " over the codes given" : "")),
                *found.first_mismatch);
  }
  result.decides = decides;
  return result;
}

GateResult judge_error(const Subject& subject, const Tally& found) {
  if (found.first_nonfinite) return at(result_of(Gate::error, State::fail, "an element is not finite"), *found.first_nonfinite);
  if (found.first_beyond_bound) {
    return at(result_of(Gate::error, State::fail,
                        fmt::format("the error exceeds the a-priori bound, by a factor of {:.3g} at worst", found.bound_fraction)),
              *found.first_beyond_bound);
  }
  if (!found.bound_is_finite) return result_of(Gate::error, State::not_measured, "the bound is vacuous: K·2⁻²⁴ reaches 1");
  if (subject.scheme.output == OutputFormat::kFp16 && found.reach > kLargestFp16) {
    return result_of(Gate::error, State::not_measured,
                     fmt::format("an element may reach {:.6g}, beyond FP16's {:.6g}", found.reach, kLargestFp16));
  }
  if (!found.excludes_zeros && !found.answer_is_zero) {
    return result_of(Gate::error, State::not_measured,
                     "the bound is vacuous: it reaches from every element to zero, so an output of nothing would pass");
  }
  return result_of(Gate::error, State::pass);
}

GateResult judge_day98(const Subject& subject, const Tally& found) {
  if (subject.scheme.day98_gate == Day98Gate::kDoesNotApply) {
    GateResult result = result_of(Gate::day98, State::not_applicable, "the scheme leaves out or rescales data that the gate's limit counts");
    result.decides = false;
    return result;
  }
  GateResult result = result_of(Gate::day98, State::pass);
  if (found.first_nonfinite) {
    result = at(result_of(Gate::day98, State::fail, "an element is not finite"), *found.first_nonfinite);
  } else if (found.first_beyond_day98) {
    result = at(result_of(Gate::day98, State::fail, fmt::format("the error is {:.3g} of 4·K·max|A|·max|B[:,c]|/127", found.day98_fraction)),
                *found.first_beyond_day98);
  }
  result.decides = subject.scheme.day98_gate == Day98Gate::kDecides;
  return result;
}

Tally blank_tally(Shape shape) {
  Tally found;
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n);
  found.row_fraction.resize(m);
  found.row_zeros.resize(m);
  found.row_nonzeros.resize(m);
  found.column_fraction.resize(n);
  found.column_zeros.resize(n);
  found.column_nonzeros.resize(n);
  return found;
}

}  // namespace

double output_rounding(io::ElementType c_type, OutputFormat scheme_output, double magnitude) {
  const formats::Format* format = format_of(c_type);
  const bool is_stored_so = format == nullptr || (scheme_output == OutputFormat::kFp16 && c_type == io::ElementType::f16);
  return is_stored_so || !std::isfinite(magnitude) ? 0.0 : reference::half_step(*format, magnitude);
}

void round_to(io::ElementType type, std::span<float> x) {
  const formats::Format* format = format_of(type);
  if (format == nullptr) return;
  std::vector<std::uint16_t> codes(x.size());
  formats::encode_span(*format, x, codes, formats::Overflow::no_saturate);
  formats::decode_span(*format, codes, x);
}

Operands borrow_rows(Operands& operands, const std::vector<std::int64_t>& rows) {
  QuantizedMatrix b = std::move(operands.b);
  Matrix<float> encoded_b = std::move(operands.encoded_b), outlier_b = std::move(operands.outlier_b);
  operands.b = {};
  operands.encoded_b = operands.outlier_b = {};
  Operands borrowed = select_rows(operands, rows);
  borrowed.b = std::move(b);
  borrowed.encoded_b = std::move(encoded_b);
  borrowed.outlier_b = std::move(outlier_b);
  return borrowed;
}

void restore(Operands& operands, Operands&& borrowed) {
  operands.b = std::move(borrowed.b);
  operands.encoded_b = std::move(borrowed.encoded_b);
  operands.outlier_b = std::move(borrowed.outlier_b);
}

Matrix<float> answer_of(const Scheme& scheme, Operands& operands, const std::vector<std::int64_t>& rows) {
  Operands borrowed = borrow_rows(operands, rows);
  const auto memory = make_memory(Backend::kCpu, {});
  const Shape shape = borrowed.shape();
  fast_kernel(scheme).bind(borrowed, memory->output(shape.m, shape.n), *memory)();
  restore(operands, std::move(borrowed));
  return memory->read_output();
}

Matrix<float> select_rows(View<const float> x, const std::vector<std::int64_t>& rows) {
  Matrix<float> picked(static_cast<std::int64_t>(rows.size()), x.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(x.row(rows[i]), x.cols, picked.view().row(static_cast<std::int64_t>(i)));
  }
  return picked;
}

Tally tally(Subject& subject) {
  const Tensors& tensors = subject.tensors;
  const Shape shape = tensors.shape();
  Tally found = blank_tally(shape);
  const std::vector<double> day98 = reference::day98_limits(tensors.a.view(), tensors.b.view());
  const std::int64_t step = std::max(kSmallestSlice, kSliceElements / std::max(shape.n, shape.k));
  for (std::int64_t first = 0; first < shape.m; first += step) {
    const std::int64_t last = std::min(first + step, shape.m);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(last - first));
    std::iota(rows.begin(), rows.end(), first);
    const Matrix<float> answer = answer_of(subject.scheme, subject.given ? *subject.given : subject.own, rows);
    Matrix<float> rounded = answer;
    round_to(tensors.c_type, rounded.flat());
    const View<const float> a{tensors.a.view().row(first), last - first, shape.k, shape.k};
    Operands slice = borrow_rows(subject.own, rows);
    const reference::Expectation expectation = reference::expect(a, tensors.b.view(), slice);
    restore(subject.own, std::move(slice));
    std::vector<Tally> bands(kBands, blank_tally(shape));
    parallel_for(kBands, [&](std::int64_t band) {
      for (std::int64_t row = first + band * (last - first) / kBands; row < first + (band + 1) * (last - first) / kBands; ++row) {
        for (std::int64_t col = 0; col < shape.n; ++col) {
          judge_element(bands[static_cast<std::size_t>(band)], subject, {first, expectation, answer, rounded}, row, col, day98);
        }
      }
    });
    for (const Tally& band : bands) merge(found, band);
  }
  return found;
}

std::vector<std::int64_t> dead(const std::vector<std::int64_t>& zeros, const std::vector<std::int64_t>& answer_nonzeros,
                               std::int64_t length) {
  std::vector<std::int64_t> found;
  if (length < kShortLine) return found;
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    if (zeros[i] == length && answer_nonzeros[i] == length) found.push_back(static_cast<std::int64_t>(i));
  }
  return found;
}

std::vector<GateResult> judge(const Subject& subject, const Tally& found, Decision decision) {
  return {judge_guards(subject, found), judge_bits(subject, found, decision), judge_error(subject, found),
          judge_day98(subject, found)};
}

}  // namespace narrowgate::check
