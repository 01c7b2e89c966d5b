// A scheme says what is computed, a kernel says how. Both are plain records; registry.def lists them all.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/memory/memory.h"
#include "kernels/quantize/operands.h"
#include "kernels/reference/bounds.h"

namespace narrowgate {

enum class Backend { kCpu, kSimt, kCuda };
enum class Contract { kExact, kBounded };

// How the day 98 gate, 4·K·max|A|·max|B[:,c]|/127, bears on a scheme.
enum class Day98Gate { kDecides, kMeasuredOnly, kDoesNotApply };

struct Scheme {
  std::string_view id;      // "int8.column"
  std::string_view family;  // "int8": schemes of one family share their kernels
  std::string_view title;   // one plain line for people
  reference::Accumulation accumulation;
  Day98Gate day98_gate;
  // The replay of quantize() from the definition, for gate Q; same operands, none of the fast code.
  Operands (*replay_quantize)(View<const float> a, View<const float> b);
  OrRefusal<Operands> (*quantize)(View<const float> a, View<const float> b);
  // Why the scheme has no answer at this shape (an accumulator limit); nothing when it has one.
  std::optional<std::string> (*refuses)(Shape shape);
};

// Runs the bound kernel once, on the operands it was bound to.
using Launch = std::function<void()>;

struct Kernel {
  std::string_view family;
  std::string_view name;  // "cuda.tiled"
  Backend backend;
  Contract contract;
  std::string_view arithmetic;  // which unit multiplies and adds, in words for the report
  std::string_view source;      // its file, relative to the repository
  // Why it cannot run this scheme at this shape; nothing when it can.
  std::optional<std::string> (*unsupported)(const Scheme& scheme, Shape shape);
  // Places and packs the operands (tested, not timed) and returns the launch that will be timed.
  Launch (*bind)(const Operands& operands, View<float> c, Memory& memory);
};

// Fits a family's place() and a kernel's run() together: what most kernels use as `bind`.
template <auto Place, auto Run>
Launch bind(const Operands& operands, View<float> c, Memory& memory) {
  return [arguments = Place(operands, c, memory), stream = memory.stream()] { Run(arguments, stream); };
}

inline std::optional<std::string> supports_everything(const Scheme&, Shape) { return std::nullopt; }

std::span<const Scheme* const> all_schemes();
std::span<const Kernel* const> all_kernels();
const Scheme* find_scheme(std::string_view id);
// cpu.scalar of the scheme's family: the replay oracle.
const Kernel& replay_kernel(const Scheme& scheme);

std::string_view to_string(Backend backend);
std::string_view to_string(Contract contract);

}  // namespace narrowgate
