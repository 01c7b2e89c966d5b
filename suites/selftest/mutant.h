// A mutant is one bug, put where such bugs live, to show which gates see it.
//
//   operands   what a kernel reads differs from what the oracle reads: a wrong scale, zero point, order of codes
//   quantizer  codes or scales come out wrong, and the answer is computed from them: only gate Q looks there
//   kernel     a real kernel with a wrong line, on the CPU or as a CUDA source that the SIMT executor runs
//   output     the product is right, and what is stored is not
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "suites/engine/inputs.h"

namespace narrowgate::selftest {

enum class MutantKind { operands, quantizer, kernel, output };

// Odd in every way: tiles, groups of 128, 64, 32 and 16, and fours of 2:4 have a tail; 4-bit lanes fill ten partials.
inline constexpr Shape kMutantShape{19, 21, 290};

// False where the bug has no meaning for these operands. The inputs are the original data.
using OperandsChange = std::function<bool(Operands& operands, const SchemeInputs& inputs)>;
using OutputChange = std::function<bool(Matrix<float>& output)>;

struct Mutant {
  std::string_view name;
  MutantKind kind;
  std::string_view what;  // one sentence without a full stop
  std::vector<std::string_view> schemes;  // those it means something for, and is tried on
  std::vector<Distribution> distributions = {Distribution::kDay98, Distribution::kNormal};
  Shape shape = kMutantShape;
  OperandsChange change_operands = nullptr;  // kinds operands and quantizer; or of an output stored otherwise
  OutputChange change_output = nullptr;      // kind output
  std::vector<const Kernel*> kernels = {};   // kind kernel: each that computes the scheme is tried
};

// All of them: by kind, in the order of their files.
std::span<const Mutant> all_mutants();

std::vector<Mutant> operand_mutants();
std::vector<Mutant> quantizer_mutants();
std::vector<Mutant> kernel_mutants();
std::vector<Mutant> output_mutants();

}  // namespace narrowgate::selftest
