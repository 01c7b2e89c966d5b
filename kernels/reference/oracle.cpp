#include "kernels/reference/oracle.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reference/oracle.cpp"
#include <hwy/foreach_target.h>

#include "kernels/reference/ordered_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate {
namespace HWY_NAMESPACE {

template <class T>
void double_product(View<const T> a, View<const T> b, View<double> c) {
  using Arithmetic = FloatChain<double>;
  const KPlan plan = chain_plan(a.cols, Arithmetic::kDepth);
  const auto packed = pack_b<Arithmetic>(b, plan);
  ordered_product<Arithmetic>(a, plan, packed.data(), b.cols, [&](std::int64_t, std::int64_t row, const double* sums) {
    std::copy_n(sums, c.cols, c.row(row));
  });
}

void double_product_f32(View<const float> a, View<const float> b, View<double> c) { double_product(a, b, c); }
void double_product_f64(View<const double> a, View<const double> b, View<double> c) { double_product(a, b, c); }

}  // namespace HWY_NAMESPACE
}  // namespace narrowgate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace narrowgate {

HWY_EXPORT(double_product_f32);
HWY_EXPORT(double_product_f64);

namespace reference {

Matrix<double> product(View<const float> a, View<const float> b) {
  Matrix<double> c(a.rows, b.cols);
  HWY_DYNAMIC_DISPATCH(double_product_f32)(a, b, c.view());
  return c;
}

Matrix<double> product(View<const double> a, View<const double> b) {
  Matrix<double> c(a.rows, b.cols);
  HWY_DYNAMIC_DISPATCH(double_product_f64)(a, b, c.view());
  return c;
}

double oracle_error_factor(std::int64_t k) {
  const double unit = static_cast<double>(k) * 0x1p-53;
  return unit / (1.0 - unit);
}

}  // namespace reference
}  // namespace narrowgate
#endif
