#include "suites/engine/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <memory>
#include <vector>

namespace narrowgate {

std::uint32_t canonical_bits(float value) {
  if (value != value) return 0x7fc00000u;
  return value == 0.0f ? 0u : std::bit_cast<std::uint32_t>(value);
}

std::string digest(const Matrix<float>& output) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<unsigned char> bytes(static_cast<std::size_t>(output.cols()) * 4);
  for (std::int64_t row = 0; row < output.rows(); ++row) {
    for (std::int64_t col = 0; col < output.cols(); ++col) {
      const std::uint32_t bits = canonical_bits(output(row, col));
      for (unsigned byte = 0; byte < 4; ++byte) {
        bytes[static_cast<std::size_t>(col) * 4 + byte] = static_cast<unsigned char>(bits >> (8 * byte));
      }
    }
    XXH3_128bits_update(state.get(), bytes.data(), bytes.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace narrowgate
