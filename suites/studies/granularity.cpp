// Which elements share a scale, on activations of which a few channels are a hundred times louder than the rest.
#include <fmt/format.h>

#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/reference/oracle.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr Shape kShape{128, 64, 1024};

struct Choice {
  const char* name;
  Granularity granularity;
};
constexpr Choice kChoices[] = {{"tensor", Granularity::tensor()},
                               {"row (token)", Granularity::row()},
                               {"group of 128 along k", {1, 128}},
                               {"column (channel)", Granularity::column()}};

// x̂ − x over all elements and over the ordinary channels alone, and the product's error over its own rms.
struct Errors {
  double all, ordinary, product;
};

bool is_ordinary(const Matrix<float>& a, std::int64_t channel) {
  constexpr float kOutlierFrom = 10.0f;  // of normal elements with variance 1 none gets there
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    if (std::fabs(a(row, channel)) >= kOutlierFrom) return false;
  }
  return true;
}

// The channels that `is_ordinary` accepts, side by side.
Matrix<double> ordinary_channels(const Matrix<double>& x, const Matrix<float>& a) {
  std::vector<std::int64_t> channels;
  for (std::int64_t k = 0; k < a.cols(); ++k) {
    if (is_ordinary(a, k)) channels.push_back(k);
  }
  Matrix<double> picked(x.rows(), static_cast<std::int64_t>(channels.size()));
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t i = 0; i < picked.cols(); ++i) picked(row, i) = x(row, channels[static_cast<std::size_t>(i)]);
  }
  return picked;
}

Errors errors_of(const Pair& inputs, const formats::Format& element, Granularity granularity) {
  const QuantizedMatrix q = accepted(
      quantize::symmetric_integer(inputs.a.view(), element, granularity, quantize::ScaleStorage::fp32));
  Matrix<double> difference(kShape.m, kShape.k), b(kShape.k, kShape.n);
  for (std::int64_t i = 0; i < kShape.m; ++i) {
    for (std::int64_t k = 0; k < kShape.k; ++k) difference(i, k) = q.dequantized(i, k) - inputs.a(i, k);
  }
  for (std::int64_t i = 0; i < b.size(); ++i) b.data()[i] = inputs.b.data()[i];
  const Matrix<double> error = reference::product(std::as_const(difference).view(), std::as_const(b).view());
  return {rms(difference), rms(ordinary_channels(difference, inputs.a)), rms(error) / rms(inputs.exact)};
}

}  // namespace

StudyRecord granularity(const StudyInputs&) {
  const Pair inputs = make_pair(Distribution::kOutlierChannel, kShape);
  StudyRecord study;
  study.id = "granularity";
  study.title = "Which granularity of scales survives outlier channels?";
  study.x = categories("one scale for each", {});
  study.y = {"rms error; ordinary element = 1, product = 1", "", StudyRecord::Scale::log};
  study.series = {{"INT8, ordinary channels"}, {"INT4, ordinary channels"}, {"INT8, all elements"},
                  {"INT4, all elements"},      {"INT8, product"},           {"INT4, product"}};
  for (const Choice& choice : kChoices) {
    study.x.names.emplace_back(choice.name);
    const Errors int8 = errors_of(inputs, formats::kInt8, choice.granularity);
    const Errors int4 = errors_of(inputs, formats::kInt4, choice.granularity);
    const double values[] = {int8.ordinary, int4.ordinary, int8.all, int4.all, int8.product, int4.product};
    for (std::size_t i = 0; i < study.series.size(); ++i) study.series[i].y.emplace_back(values[i]);
  }
  const auto& int8 = study.series[0].y;
  study.series[0].marked = 0;
  study.finding = fmt::format(
      "With one scale for the tensor INT8 errs by {:.2g} of an ordinary element, with one for each channel by "
      "{:.2g}, {:.0f} times less. Every row ({:.2g}) holds outliers, and so do some groups of 128 ({:.2g}): those "
      "help little.",
      *int8[0], *int8[3], *int8[0] / *int8[3], *int8[1], *int8[2]);
  study.notes = {
      fmt::format("Activations {}×{}: normal with variance 1, one channel of each 256 a hundred times larger; "
                  "weights {}×{} normal and not quantized.",
                  kShape.m, kShape.k, kShape.k, kShape.n),
      "A scale for each channel of activations varies along k, so no integer product can apply it at the end: that "
      "is why SmoothQuant moves it into the weights."};
  study.source = "Dettmers et al. 2022, LLM.int8(); Xiao et al. 2022, SmoothQuant, §3";
  return study;
}

}  // namespace narrowgate::studies
