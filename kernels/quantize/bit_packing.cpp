#include "kernels/quantize/bit_packing.h"

#include <algorithm>

namespace narrowgate::quantize {
namespace {

// A run of bits of one code and its place in the group.
struct Field {
  int code_bit;   // first bit of the code
  int width;
  int position;   // first bit of the group
};

// The one or two fields of slot `slot`.
std::array<Field, 2> fields_of_slot(const PackingLayout& layout, int slot) {
  if (layout.low_bits == 0) return {Field{0, layout.code_bits, slot * layout.code_bits}, Field{0, 0, 0}};
  const int high_bits = layout.code_bits - layout.low_bits;
  return {Field{0, layout.low_bits, slot * layout.low_bits},
          Field{layout.low_bits, high_bits, layout.group * layout.low_bits + slot * high_bits}};
}

// visit(code of the group, bit of that code, bit of the group) for every bit there is.
template <class Visit>
void for_each_bit(const PackingLayout& layout, const Visit& visit) {
  for (int slot = 0; slot < layout.group; ++slot) {
    for (const Field& field : fields_of_slot(layout, slot)) {
      for (int bit = 0; bit < field.width; ++bit) {
        visit(layout.slot_order[static_cast<std::size_t>(slot)], field.code_bit + bit, field.position + bit);
      }
    }
  }
}

std::int64_t group_count(std::int64_t codes, const PackingLayout& layout) {
  return (codes + layout.group - 1) / layout.group;
}

// Copies line `index` of a matrix, a row or a column.
std::vector<std::uint8_t> line_of(View<const std::uint8_t> codes, PackingAxis axis, std::int64_t index) {
  std::vector<std::uint8_t> line;
  if (axis == PackingAxis::along_row) {
    line.assign(codes.row(index), codes.row(index) + codes.cols);
  } else {
    for (std::int64_t row = 0; row < codes.rows; ++row) line.push_back(codes(row, index));
  }
  return line;
}

}  // namespace

const PackingLayout* find_packing_layout(std::string_view name) {
  const auto* found = std::find_if(std::begin(kPackingLayouts), std::end(kPackingLayouts),
                                   [name](const PackingLayout& layout) { return layout.name == name; });
  return found == std::end(kPackingLayouts) ? nullptr : found;
}

std::vector<std::uint8_t> pack(std::span<const std::uint8_t> codes, const PackingLayout& layout) {
  const auto groups = static_cast<std::size_t>(group_count(static_cast<std::int64_t>(codes.size()), layout));
  const auto group_bytes = static_cast<std::size_t>(layout.group_bytes());
  std::vector<std::uint8_t> packed(groups * group_bytes);
  for (std::size_t group = 0; group < groups; ++group) {
    const auto in = codes.subspan(group * static_cast<std::size_t>(layout.group));
    std::uint8_t* out = packed.data() + group * group_bytes;
    for_each_bit(layout, [&](std::size_t code, int bit, int position) {
      const unsigned value = code < in.size() ? in[code] >> bit & 1u : 0u;
      out[position / 8] = static_cast<std::uint8_t>(out[position / 8] | value << position % 8);
    });
  }
  return packed;
}

std::vector<std::uint8_t> unpack(std::span<const std::uint8_t> packed, std::int64_t count, const PackingLayout& layout) {
  const std::int64_t groups = group_count(count, layout);
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(groups * layout.group));
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::uint8_t* in = packed.data() + group * layout.group_bytes();
    std::uint8_t* out = codes.data() + group * layout.group;
    for_each_bit(layout, [&](std::size_t code, int bit, int position) {
      out[code] = static_cast<std::uint8_t>(out[code] | (in[position / 8] >> position % 8 & 1u) << bit);
    });
  }
  codes.resize(static_cast<std::size_t>(count));
  return codes;
}

PackedMatrix pack_matrix(View<const std::uint8_t> codes, const PackingLayout& layout, PackingAxis axis) {
  const bool by_row = axis == PackingAxis::along_row;
  PackedMatrix result{&layout, axis, codes.rows, codes.cols, 0, {}};
  result.line_bytes = group_count(by_row ? codes.cols : codes.rows, layout) * layout.group_bytes();
  for (std::int64_t line = 0; line < (by_row ? codes.rows : codes.cols); ++line) {
    const std::vector<std::uint8_t> packed = pack(line_of(codes, axis, line), layout);
    result.bytes.insert(result.bytes.end(), packed.begin(), packed.end());
  }
  return result;
}

Matrix<std::uint8_t> unpack_matrix(const PackedMatrix& packed) {
  const bool by_row = packed.axis == PackingAxis::along_row;
  Matrix<std::uint8_t> codes(packed.rows, packed.cols);
  const std::int64_t length = by_row ? packed.cols : packed.rows;
  for (std::int64_t line = 0; line < (by_row ? packed.rows : packed.cols); ++line) {
    const auto bytes = std::span(packed.bytes).subspan(static_cast<std::size_t>(line * packed.line_bytes),
                                                       static_cast<std::size_t>(packed.line_bytes));
    const std::vector<std::uint8_t> unpacked = unpack(bytes, length, *packed.layout);
    for (std::int64_t i = 0; i < length; ++i) {
      (by_row ? codes(line, i) : codes(i, line)) = unpacked[static_cast<std::size_t>(i)];
    }
  }
  return codes;
}

}  // namespace narrowgate::quantize
