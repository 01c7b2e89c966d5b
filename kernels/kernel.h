// A scheme says what is computed, a kernel says how. Both are plain records; registry.def lists them all.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/accumulation.h"
#include "kernels/memory/memory.h"
#include "kernels/quantize/operands.h"

namespace narrowgate {

enum class Backend { kCpu, kSimt, kCuda };
enum class Contract { kExact, kBounded };

// How the day 98 gate, 4·K·max|A|·max|B[:,c]|/127, bears on a scheme.
enum class Day98Gate { kDecides, kMeasuredOnly, kDoesNotApply };

// How kernels read the weights of a scheme that prunes them.
enum class Storage { kDense, kCompressed24 };

// What a scheme may look at when it quantizes.
struct SchemeInputs {
  View<const float> a;            // m×k
  View<const float> b;            // k×n
  View<const float> calibration;  // samples×k: activations like A's, for schemes that need them
};

// The operands by the fast code, and replayed from the definition for gate Q with none of it.
struct Quantization {
  std::function<OrRefusal<Operands>(const SchemeInputs&)> fast;
  std::function<Operands(const SchemeInputs&)> replay;
};

struct Scheme {
  std::string_view id;      // "int8.column"
  std::string_view family;  // "int8": the id's first word; baselines and reports group by it
  std::string_view title;   // one plain line for people
  Accumulation accumulation;
  Quantization quantization;
  OutputFormat output = OutputFormat::kFp32;
  Storage storage = Storage::kDense;
  bool has_bias = false;
  bool needs_calibration = false;
  Day98Gate day98_gate = Day98Gate::kDoesNotApply;
  // Why the scheme has no answer at this shape (an accumulator limit); nothing when it has one. Null: always has.
  std::function<std::optional<std::string>(Shape)> refuses_shape;

  std::optional<std::string> refuses(Shape shape) const { return refuses_shape ? refuses_shape(shape) : std::nullopt; }
};

// The scheme's operands, complete: with its accumulation, output format and, where it has one, the bias (n values).
OrRefusal<Operands> encode_operands(const Scheme& scheme, const SchemeInputs& inputs, std::span<const float> bias);
Operands replay_operands(const Scheme& scheme, const SchemeInputs& inputs, std::span<const float> bias);

// How the float sum of a bounded kernel rounds: |sum − Σâb̂| ≤ γ_t·Σ|â||b̂|, γ_t = tu/(1 − tu).
struct Precision {
  int unit_roundoff_bits = 24;  // b: u = 2⁻ᵇ of the unit that adds
  // t: the roundings on the longest way from a product into the finished sum.
  std::int64_t (*roundings)(Shape shape) = nullptr;
};

// t of k products, each rounded, added in any order.
inline std::int64_t any_order_roundings(Shape shape) { return shape.k; }

// t of a matrix unit that adds kProductsPerStep exact products to its accumulator at a time: the steps, and within its
// own step a product meets at most the others (Blanchard et al. 2020).
template <std::int64_t kProductsPerStep>
std::int64_t matrix_unit_roundings(Shape shape) {
  return (shape.k + kProductsPerStep - 1) / kProductsPerStep + kProductsPerStep;
}

// Thrown by `bind` where only the placed operands show that a kernel cannot run: an alignment, a driver that offers no
// algorithm. The cell is skipped with the reason.
class NotSupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs the bound kernel once, on the operands it was bound to.
using Launch = std::function<void()>;

struct Kernel {
  std::string_view folder;  // the kind of arithmetic that it serves: "int8", "decoded"
  std::string_view name;    // "cuda.tiled"
  Backend backend;
  Contract contract;
  std::optional<Precision> precision = std::nullopt;  // of bounded kernels: without it nothing can judge them
  std::string_view arithmetic;  // which unit multiplies and adds, in words for the report
  std::string_view source;      // its file, relative to the repository
  // Whether it is a way of computing this scheme at all.
  bool (*computes)(const Scheme& scheme);
  // Why it cannot run this scheme at this shape; nothing when it can.
  std::optional<std::string> (*unsupported)(const Scheme& scheme, Shape shape);
  // Places and packs the operands (tested, not timed) and returns the launch that will be timed.
  Launch (*bind)(const Operands& operands, View<float> c, Memory& memory);
};

// Fits a folder's place() and a kernel's run() together: what most kernels use as `bind`.
template <auto Place, auto Run>
Launch bind(const Operands& operands, View<float> c, Memory& memory) {
  return [arguments = Place(operands, c, memory), stream = memory.stream()] { Run(arguments, stream); };
}

inline std::optional<std::string> supports_everything(const Scheme&, Shape) { return std::nullopt; }

std::span<const Scheme* const> all_schemes();
std::span<const Kernel* const> all_kernels();
const Scheme* find_scheme(std::string_view id);
// The cpu.scalar that computes the scheme: the replay oracle.
const Kernel& replay_kernel(const Scheme& scheme);

std::string_view to_string(Backend backend);
std::string_view to_string(Contract contract);

}  // namespace narrowgate
