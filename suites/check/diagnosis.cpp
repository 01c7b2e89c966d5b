#include "suites/check/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/reference/oracle.h"
#include "suites/check/foreign_codes.h"
#include "suites/check/patterns.h"

namespace narrowgate::check {
namespace {

constexpr std::int64_t kWorstRows = 16, kSpreadRows = 16;
constexpr std::int64_t kLargestReencoding = std::int64_t{1} << 22;  // elements of B that are quantized once more for a guess

// A bug: it spoils the operands of some rows. False where it has nothing to spoil.
struct PlantedBug {
  std::string text;
  std::function<bool(Operands& operands)> plant;
};

struct Sample {
  std::vector<std::int64_t> rows;
  Matrix<float> c;
  Matrix<double> answer, weight;
};

// The rows that use most of their bound, and others spread over the output.
std::vector<std::int64_t> sampled_rows(const Tally& found) {
  const auto m = static_cast<std::int64_t>(found.row_fraction.size());
  std::vector<std::int64_t> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    return found.row_fraction[static_cast<std::size_t>(x)] > found.row_fraction[static_cast<std::size_t>(y)];
  });
  std::vector<std::int64_t> rows(order.begin(), order.begin() + std::min(kWorstRows, m));
  for (std::int64_t i = 0; i < std::min(kSpreadRows, m); ++i) rows.push_back(i * m / std::min(kSpreadRows, m));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

Matrix<double> widened(const Matrix<float>& x) {
  Matrix<double> result(x.rows(), x.cols());
  std::copy(x.flat().begin(), x.flat().end(), result.flat().begin());
  return result;
}

Operands& operands_of(Subject& subject) { return subject.given ? *subject.given : subject.own; }

// Elements that are not finite, and dead columns, are another matter than the pattern of the rest.
Sample take_sample(Subject& subject, const Tally& found) {
  Sample sample;
  sample.rows = sampled_rows(found);
  sample.c = select_rows(subject.tensors.c.view(), sample.rows);
  sample.answer = widened(answer_of(subject.scheme, operands_of(subject), sample.rows));
  const Matrix<float> a = select_rows(subject.tensors.a.view(), sample.rows);
  Operands slice = borrow_rows(subject.own, sample.rows);
  sample.weight = reference::expect(a.view(), subject.tensors.b.view(), slice).bound;
  restore(subject.own, std::move(slice));
  for (std::int64_t i = 0; i < sample.weight.size(); ++i) {
    double& weight = sample.weight.data()[i];
    weight = std::isfinite(sample.c.data()[i]) && weight > 0.0 ? 1.0 / (weight * weight) : 0.0;
  }
  for (const std::int64_t column : dead(found.column_zeros, found.column_nonzeros, subject.tensors.c.rows())) {
    for (std::int64_t row = 0; row < sample.weight.rows(); ++row) sample.weight(row, column) = 0.0;
  }
  return sample;
}

void zero_k(Operands& operands, std::int64_t first, std::int64_t last) {
  QuantizedMatrix& a = operands.a;
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    for (std::int64_t k = first; k < last; ++k) {
      if (a.is_float()) a.values(row, k) = 0.0f;
      else a.codes(row, k) = static_cast<std::int8_t>(a.zero_point_at(row, k));
    }
  }
}

PlantedBug tail_dropped(std::int64_t count) {
  return {fmt::format("the last {} of k left out of the sum (the tail dropped)", count), [count](Operands& operands) {
            const std::int64_t k = operands.a.cols();
            if (count >= k) return false;
            zero_k(operands, k - count, k);
            return true;
          }};
}

PlantedBug head_dropped() {
  return {"the first k left out of the sum", [](Operands& operands) {
            if (operands.a.cols() < 2) return false;
            zero_k(operands, 0, 1);
            return true;
          }};
}

template <class T>
void permute(Matrix<T>& x, BlockAxis axis, std::span<const std::int64_t> order) {
  const Matrix<T> from = x;
  const auto period = static_cast<std::int64_t>(order.size());
  const auto source = [&](std::int64_t i, std::int64_t count) {
    const std::int64_t group = i / period * period;
    return group + period > count ? i : group + order[static_cast<std::size_t>(i - group)];
  };
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t col = 0; col < x.cols(); ++col) {
      x(row, col) = axis == BlockAxis::rows ? from(source(row, x.rows()), col) : from(row, source(col, x.cols()));
    }
  }
}

PlantedBug permuted(std::string name, BlockAxis axis, std::vector<std::int64_t> order) {
  const std::string text = fmt::format("elements of B in the wrong order along {}, with a period of {}: {} (packing order)",
                                       axis == BlockAxis::rows ? "k" : "n", order.size(), name);
  return {text, [axis, order = std::move(order)](Operands& operands) {
            if ((axis == BlockAxis::rows ? operands.b.rows() : operands.b.cols()) < static_cast<std::int64_t>(order.size())) return false;
            if (operands.b.is_float()) permute(operands.b.values, axis, order);
            else permute(operands.b.codes, axis, order);
            return true;
          }};
}

std::vector<PlantedBug> packing_bugs() {
  const std::pair<const char*, std::vector<std::int64_t>> orders[] = {
      {"neighbours swapped", {1, 0}},
      {"four reversed", {3, 2, 1, 0}},
      {"eight reversed", {7, 6, 5, 4, 3, 2, 1, 0}},
      {"evens before odds", {0, 2, 4, 6, 1, 3, 5, 7}},
      {"halves interleaved", {0, 4, 1, 5, 2, 6, 3, 7}},
      {"halves swapped", {4, 5, 6, 7, 0, 1, 2, 3}},
      {"pairs in the order 0 2 1 3", {0, 2, 1, 3}},
  };
  std::vector<PlantedBug> bugs;
  for (const BlockAxis axis : {BlockAxis::rows, BlockAxis::cols}) {
    for (const auto& [name, order] : orders) bugs.push_back(permuted(name, axis, order));
  }
  return bugs;
}

std::vector<PlantedBug> zero_point_bugs() {
  const auto change = [](QuantizedMatrix& q, int factor) {
    if (q.zero_points.empty() && q.fractional_zero_points.empty()) return false;
    for (std::int32_t& zero : q.zero_points) zero *= factor;
    for (float& zero : q.fractional_zero_points) zero *= static_cast<float>(factor);
    return true;
  };
  return {{"the zero points of A not corrected for: a constant offset for each column, its column sum of B times zero point and scale",
           [=](Operands& o) { return change(o.a, 0); }},
          {"the zero points of A added instead of subtracted", [=](Operands& o) { return change(o.a, -1); }},
          {"the zero points of B left out", [=](Operands& o) { return change(o.b, 0); }},
          {"the zero points of B added instead of subtracted", [=](Operands& o) { return change(o.b, -1); }},
          {"the zero points of B one too small (stored minus one?)", [](Operands& o) {
             for (std::int32_t& zero : o.b.zero_points) --zero;
             return !o.b.zero_points.empty();
           }}};
}

std::vector<PlantedBug> scale_bugs() {
  const auto largest = [](std::vector<float>& scales) {
    if (scales.size() < 2) return false;
    std::fill(scales.begin(), scales.end(), *std::max_element(scales.begin(), scales.end()));
    return true;
  };
  const auto first = [](std::vector<float>& scales) {
    if (scales.size() < 2) return false;
    std::fill(scales.begin(), scales.end(), scales.front());
    return true;
  };
  return {{"one scale for all of B, its largest, over the codes of many", [=](Operands& o) { return largest(o.b.scales); }},
          {"one scale for all of A, its largest, over the codes of many", [=](Operands& o) { return largest(o.a.scales); }},
          {"the first scale of B used for all of B", [=](Operands& o) { return first(o.b.scales); }},
          {"the scales of B one column on", [](Operands& o) {
             const std::int64_t across = o.b.granularity.block_cols(o.b.cols());
             if (across < 2) return false;
             for (auto row = o.b.scales.begin(); row != o.b.scales.end(); row += across) std::rotate(row, row + 1, row + across);
             return true;
           }},
          {"the scales of B one group of k on", [](Operands& o) {
             const std::int64_t across = o.b.granularity.block_cols(o.b.cols());
             if (o.b.granularity.block_rows(o.b.rows()) < 2) return false;
             std::rotate(o.b.scales.begin(), o.b.scales.begin() + across, o.b.scales.end());
             return true;
           }},
          {"the bias left out", [](Operands& o) {
             const bool any = !o.bias.empty();
             std::fill(o.bias.begin(), o.bias.end(), 0.0f);
             return any;
           }}};
}

// Codes of plain integers once more, by another rounding.
bool round_again(QuantizedMatrix& q, View<const float> x, double (*rounded)(double)) {
  const bool integers = !q.is_float() && !q.has_floating_elements() && q.error_model == ErrorModel::kNearest;
  if (!integers || (q.element != nullptr && q.element->fraction_bits != 0) || q.codes.size() > kLargestReencoding) return false;
  const bool is_asymmetric = !q.zero_points.empty();
  const int top = q.element == nullptr ? 127 : q.element->maximum - q.code_offset;
  const int bottom = is_asymmetric ? -q.code_offset : -top;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      const double code = rounded(double{x(row, col)} / q.scale_at(row, col)) + q.zero_point_at(row, col);
      q.codes(row, col) = static_cast<std::int8_t>(std::clamp(code, double(bottom), double(top)));
    }
  }
  return true;
}

std::vector<PlantedBug> rounding_bugs(const Subject& subject, const Sample& sample) {
  const std::pair<const char*, double (*)(double)> modes[] = {
      {"down (floor)", [](double x) { return std::floor(x); }},
      {"towards zero (truncated)", [](double x) { return std::trunc(x); }},
      {"up (ceiling)", [](double x) { return std::ceil(x); }},
  };
  std::vector<PlantedBug> bugs;
  for (const auto& [name, mode] : modes) {
    for (const char* which : {"A and B", "B", "A"}) {
      const std::string operand = which;
      bugs.push_back({fmt::format("the codes of {} rounded {} instead of to nearest (rounding mode)", which, name),
                      [&subject, &sample, operand, mode](Operands& o) {
                        const Matrix<float> a = select_rows(subject.tensors.a.view(), sample.rows);
                        bool any = false;
                        if (operand != "B") any |= round_again(o.a, o.encoded_a.empty() ? a.view() : o.encoded_a.view(), mode);
                        if (operand != "A") any |= round_again(o.b, o.encoded_b.empty() ? subject.tensors.b.view() : o.encoded_b.view(), mode);
                        return any;
                      }});
    }
  }
  return bugs;
}

std::vector<PlantedBug> all_bugs(const Subject& subject, const Sample& sample) {
  std::vector<PlantedBug> bugs = zero_point_bugs();
  const auto append = [&](std::vector<PlantedBug> more) { std::move(more.begin(), more.end(), std::back_inserter(bugs)); };
  append(scale_bugs());
  const std::int64_t k = subject.tensors.shape().k;
  std::vector<std::int64_t> tails = {1, 2, 4, 8, 16, 32, 64, 128};
  for (const std::int64_t block : {4, 8, 16, 32, 64, 128}) tails.push_back(k % block);
  std::sort(tails.begin(), tails.end());
  tails.erase(std::unique(tails.begin(), tails.end()), tails.end());
  for (const std::int64_t tail : tails) {
    if (tail > 0) bugs.push_back(tail_dropped(tail));
  }
  bugs.push_back(head_dropped());
  append(packing_bugs());
  append(rounding_bugs(subject, sample));
  return bugs;
}

// The output of the scheme with the bug in it, on the sampled rows; nothing where it has no room.
std::optional<Matrix<double>> output_with(const PlantedBug& bug, Subject& subject, const Sample& sample) {
  Operands borrowed = borrow_rows(operands_of(subject), sample.rows);
  Operands spoiled = borrowed;
  restore(operands_of(subject), std::move(borrowed));
  if (!bug.plant(spoiled)) return std::nullopt;
  std::vector<std::int64_t> all(sample.rows.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return widened(answer_of(subject.scheme, spoiled, all));
}

// The best of all candidates; of equals the first, so bugs come before fits.
class Best {
 public:
  Best(const Sample& sample) : sample_(sample) {}
  void offer(const std::string& text, const Matrix<double>& candidate, std::int64_t parameters) {
    const double value = explained(sample_.c, sample_.answer, candidate, sample_.weight, parameters);
    if (value >= kClearlyExplained && (!cause_ || value > cause_->explained + 1e-9)) cause_ = Cause{text, value};
  }
  const std::optional<Cause>& cause() const { return cause_; }

 private:
  const Sample& sample_;
  std::optional<Cause> cause_;
};

void offer_transposed(Best& best, const Subject& subject, const Sample& sample) {
  const Tensors& tensors = subject.tensors;
  // The other way about: how near is C, read transposed, to the answer?
  const Matrix<double> read = read_transposed(tensors.c, sample.rows);
  Matrix<double> candidate = sample.answer;
  for (std::int64_t i = 0; i < candidate.size(); ++i) candidate.data()[i] += sample.c.data()[i] - read.data()[i];
  best.offer("C written transposed", candidate, 0);
  if (tensors.b.rows() != tensors.b.cols() || tensors.b.size() > kLargestReencoding) return;
  Matrix<float> b(tensors.b.cols(), tensors.b.rows());
  for (std::int64_t row = 0; row < b.rows(); ++row) {
    for (std::int64_t col = 0; col < b.cols(); ++col) b(row, col) = tensors.b(col, row);
  }
  const Matrix<float> a = select_rows(tensors.a.view(), sample.rows);
  best.offer("B read transposed (--b-transposed for weights stored n×k)", reference::product(a.view(), std::as_const(b).view()), 0);
}

void offer_fits(Best& best, const Sample& sample) {
  if (sample.c.rows() > 2) {
    const RatioFit columns = fit_ratios(sample.c, sample.answer, sample.weight, Axis::kColumns);
    const auto [low, high] = std::minmax_element(columns.ratios.begin(), columns.ratios.end());
    best.offer(fmt::format("a ratio for each column, {:.4g} to {:.4g}: the wrong scale of B, or along the wrong axis", *low, *high),
               columns.candidate, sample.c.cols());
    best.offer("a constant offset for each column: a zero-point correction, or a bias", fit_offsets(sample.c, sample.answer, sample.weight).candidate,
               sample.c.cols());
  }
  if (sample.c.cols() > 2) {
    const RatioFit rows = fit_ratios(sample.c, sample.answer, sample.weight, Axis::kRows);
    const auto [low, high] = std::minmax_element(rows.ratios.begin(), rows.ratios.end());
    best.offer(fmt::format("a ratio for each row, {:.4g} to {:.4g}: the wrong scale of A, or along the wrong axis", *low, *high),
               rows.candidate, sample.c.rows());
  }
}

}  // namespace

std::optional<Cause> diagnose(Subject& subject, const Tally& found) {
  const Sample sample = take_sample(subject, found);
  Best best(sample);
  for (const PlantedBug& bug : all_bugs(subject, sample)) {
    if (const auto candidate = output_with(bug, subject, sample)) best.offer(bug.text, *candidate, 0);
  }
  offer_transposed(best, subject, sample);
  if (!best.cause()) offer_fits(best, sample);
  return best.cause();
}

std::vector<std::string> strips(const Tensors& tensors, const Tally& found) {
  std::vector<std::int64_t> beyond_columns, beyond_rows;
  for (std::size_t i = 0; i < found.column_fraction.size(); ++i) {
    if (!(found.column_fraction[i] <= 1.0)) beyond_columns.push_back(static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < found.row_fraction.size(); ++i) {
    if (!(found.row_fraction[i] <= 1.0)) beyond_rows.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> repeated;
  for (const std::int64_t row : repeated_rows(tensors.c)) {
    // Equal rows of A give equal rows of C; so do rows of zeros.
    const View<const float> a = tensors.a.view();
    const bool zeros = found.row_zeros[static_cast<std::size_t>(row)] == tensors.c.cols();
    if (!zeros && !std::equal(a.row(row), a.row(row) + a.cols, a.row(row - 1))) repeated.push_back(row);
  }
  std::vector<std::string> lines = {
      strip("dead channel", "dead channels", dead(found.column_zeros, found.column_nonzeros, tensors.c.rows())),
      strip("dead row", "dead rows", dead(found.row_zeros, found.row_nonzeros, tensors.c.cols())),
      strip("row equals the row before it", "rows equal the row before them", repeated),
      strip("column beyond its bound", "columns beyond their bound", beyond_columns),
      strip("row beyond its bound", "rows beyond their bound", beyond_rows)};
  std::erase(lines, "");
  return lines;
}

}  // namespace narrowgate::check
