// Codes, scales and zero points of someone else's quantizer, as the QuantizedMatrix that the scheme's kernels read.
#pragma once

#include <optional>
#include <span>

#include "kernels/quantize/quantized_matrix.h"
#include "suites/check/request.h"
#include "suites/check/tensors.h"

namespace narrowgate::check {

inline constexpr std::int64_t kCodesPerWord = 8;  // of 4 bits

// The column within its word of eight that bits 4·i hold in AWQ's layout.
inline constexpr std::int64_t kAwqOrder[kCodesPerWord] = {0, 2, 4, 6, 1, 3, 5, 7};

// Unsigned codes of words, along k ([k/8, n] to k×n) or along n ([k, n/8] to k×n); `order` names, for bits 4·i, which
// of the eight codes they hold.
enum class WordAxis { kDown, kAcross };
Matrix<std::uint8_t> unpack_words(View<const std::uint32_t> words, WordAxis axis, std::span<const std::int64_t> order);

// What is not given keeps the oracle's; so does everything that says how to read the numbers (block sizes, formats).
// Q compares the result with the oracle. Refused with file and place: other types or shapes, scales that are not finite,
// codes in a packing that the scheme has no 4-bit integers for.
OrError<QuantizedMatrix> read_codes(const CodeFiles& files, const QuantizedMatrix& oracle);

}  // namespace narrowgate::check
