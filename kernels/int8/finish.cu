// int8: the epilogue as a pass of its own, for libraries that leave their sums in int32. One thread an element.
#include "kernels/int8/int8.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::int8 {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) finish(View<const std::int32_t> sums, Arguments args) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (element >= args.c.rows * args.c.cols) return;
  const std::int64_t row = element / args.c.cols, col = element % args.c.cols;
  args.c(row, col) = args.finish(sums(row, col), row, col);
}

}  // namespace

template <Backend backend>
void finish_sums(View<const std::int32_t> sums, const Arguments& args, Stream stream) {
  const std::int64_t elements = args.c.rows * args.c.cols;
  launch({"int8.finish", {static_cast<unsigned>((elements + kThreads - 1) / kThreads)}, {kThreads}}, stream, finish,
         sums, args);
}

template void finish_sums<kDeviceBackend>(View<const std::int32_t> sums, const Arguments& args, Stream stream);

}  // namespace narrowgate::int8
