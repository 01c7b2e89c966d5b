// What `narrowgate check` is asked: a scheme, and the files of tensors that came from elsewhere.
#pragma once

#include <string>

namespace narrowgate::check {

// How B lies in its file.
enum class Orientation { kKByN, kNByK };

// Whether every bit must be that of the scheme's answer.
enum class Decision { kWithinBounds, kEveryBit };

// How codes lie in their file.
//
//   kOneAByte  k×n, one code a byte; int8, or uint8 for codes as they are reported (0…255 where asymmetric)
//   kKWords    [k/8, n] 32-bit words, code k of a word of 4 bits at bit 4·(k mod 8)
//   kGptq      the same, codes unsigned; zero points [groups, n/8] in the same way along n, stored minus one
//   kAwq       [k, n/8] words, bits 4·i of a word hold column 0, 2, 4, 6, 1, 3, 5, 7 for i = 0 … 7; zero points likewise
//   kBytes     [k/2, n] bytes, the even k in the low half
enum class Packing { kOneAByte, kKWords, kGptq, kAwq, kBytes };

// Each is FILE or FILE:TENSOR; empty where it is not given.
struct CodeFiles {
  std::string codes, scales, zeros;
  Packing packing = Packing::kOneAByte;
  bool given() const { return !codes.empty() || !scales.empty() || !zeros.empty(); }
};

struct CheckRequest {
  std::string scheme;
  std::string a, b, c;
  std::string bias, calibration;
  CodeFiles a_codes, b_codes;
  Orientation b_stored = Orientation::kKByN;
  Decision decision = Decision::kWithinBounds;
};

}  // namespace narrowgate::check
