#include "kernels/memory/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace narrowgate {
namespace {

constexpr std::size_t kGuardBytes = 4096;  // more than any one row that a kernel could overrun by mistake of one tile
constexpr std::byte kGuard{0xa5};

}  // namespace

void* Memory::allocate(std::string_view name, std::size_t bytes, std::size_t offset) {
  Block block{.name = std::string(name), .start = nullptr, .lead = kGuardBytes + offset, .bytes = bytes};
  const std::size_t total = block.lead + bytes + kGuardBytes;
  block.start = static_cast<std::byte*>(raw_allocate(total));
  const std::vector<std::byte> guard(total, kGuard);
  write(block.start, guard.data(), total);
  blocks_.push_back(block);
  return block.start + block.lead;
}

void* Memory::allocate_matrix(std::string_view name, std::int64_t rows, std::int64_t cols, std::size_t element) {
  const std::size_t elements = static_cast<std::size_t>(rows * (cols + layout_.ld_padding));
  return allocate(name, elements * element, static_cast<std::size_t>(layout_.offset) * element);
}

void* Memory::allocate_poisoned(std::string_view name, std::size_t bytes) {
  void* data = allocate(name, bytes, 0);
  const std::vector<std::uint32_t> poison(bytes / sizeof(std::uint32_t) + 1, kPoison);
  write(data, poison.data(), bytes);
  return data;
}

View<float> Memory::output(std::int64_t rows, std::int64_t cols) {
  output_ = {static_cast<float*>(allocate_matrix("C", rows, cols, sizeof(float))), rows, cols,
             cols + layout_.ld_padding};
  poison_output();
  return output_;
}

void Memory::poison_output() {
  const std::vector<std::uint32_t> poison(static_cast<std::size_t>(output_.rows * output_.ld), kPoison);
  write(output_.data, poison.data(), poison.size() * sizeof(float));
}

Matrix<float> Memory::read_output() {
  Matrix<float> result(output_.rows, output_.cols);
  if (output_.ld == output_.cols) {
    read(result.data(), output_.data, static_cast<std::size_t>(result.size()) * sizeof(float));
    return result;
  }
  for (std::int64_t row = 0; row < output_.rows; ++row) {
    read(result.view().row(row), output_.row(row), static_cast<std::size_t>(output_.cols) * sizeof(float));
  }
  return result;
}

void Memory::append_padding_damage(std::vector<std::string>& found) {
  const std::int64_t padding = output_.ld - output_.cols;
  if (padding == 0) return;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(padding));
  for (std::int64_t row = 0; row < output_.rows; ++row) {
    read(words.data(), output_.row(row) + output_.cols, words.size() * sizeof(float));
    const auto hit = std::find_if(words.begin(), words.end(), [](std::uint32_t word) { return word != kPoison; });
    if (hit == words.end()) continue;
    found.push_back(fmt::format("wrote into the padding of C at row {}, column {} ({} columns)", row,
                                output_.cols + (hit - words.begin()), output_.cols));
    return;
  }
}

std::vector<std::string> Memory::damage() {
  std::vector<std::string> found;
  std::vector<std::byte> band;
  const auto check = [&](const Block& block, std::size_t first, std::size_t bytes, const char* where) {
    band.resize(bytes);
    read(band.data(), block.start + first, bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      if (band[i] == kGuard) continue;
      const std::ptrdiff_t distance = std::ptrdiff_t(first + i) - std::ptrdiff_t(block.lead);
      found.push_back(fmt::format("wrote outside {}: byte {} of {} ({})", block.name, distance, block.bytes, where));
      return;
    }
  };
  for (const Block& block : blocks_) {
    check(block, 0, block.lead, "before its first element");
    check(block, block.lead + block.bytes, kGuardBytes, "after its last element");
  }
  append_padding_damage(found);
  return found;
}

}  // namespace narrowgate
