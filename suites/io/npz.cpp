// The part of the ZIP format (APPNOTE 6.3) that numpy.savez uses: stored entries and a central directory.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "suites/io/npy.h"

namespace narrowgate::io {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034B50;
constexpr std::uint32_t kCentralSignature = 0x02014B50;
constexpr std::uint32_t kEndSignature = 0x06054B50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value % 2 == 1 ? 0xEDB88320 ^ value >> 1 : value >> 1;
    table[byte] = value;
  }
  return table;
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t value = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) value = kTable[(value ^ byte) & 0xFF] ^ value >> 8;
  return ~value;
}

// Appends little-endian fields.
class Writer {
 public:
  void u16(std::size_t value) { field(value, 2); }
  void u32(std::size_t value) { field(value, 4); }
  void text(std::string_view value) { bytes.insert(bytes.end(), value.begin(), value.end()); }
  std::vector<std::uint8_t> bytes;

 private:
  void field(std::size_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }
};

struct Entry {
  std::string name;
  std::size_t offset;  // of the local header
  std::size_t size;
  std::uint32_t crc;
};

// The fields that a local and a central header share, from "version needed" to "extra length".
void write_common(Writer& out, const Entry& entry) {
  out.u16(20);    // version needed: 2.0
  out.u16(0);     // flags
  out.u16(0);     // stored
  out.u16(0);     // time
  out.u16(0x21);  // 1980-01-01: the same input gives the same file
  out.u32(entry.crc);
  out.u32(entry.size);
  out.u32(entry.size);
  out.u16(entry.name.size());
  out.u16(0);
}

void write_central(Writer& out, const Entry& entry) {
  out.u32(kCentralSignature);
  out.u16(20);
  write_common(out, entry);
  out.u16(0);  // comment
  out.u16(0);  // disk
  out.u16(0);  // internal attributes
  out.u32(0);  // external attributes
  out.u32(entry.offset);
  out.text(entry.name);
}

// Fields of a file that may lie: every read is checked.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool has(std::size_t at, std::size_t count) const { return at <= bytes_.size() && count <= bytes_.size() - at; }
  std::size_t u16(std::size_t at) const { return bytes_[at] | bytes_[at + 1] << 8; }
  std::size_t u32(std::size_t at) const { return u16(at) | u16(at + 2) << 16; }
  std::span<const std::uint8_t> part(std::size_t at, std::size_t count) const { return bytes_.subspan(at, count); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
};

// The end record is the last 22 bytes, as long as the archive has no comment; numpy writes none.
OrIoError<std::size_t> find_end(const Reader& in, const std::string& path) {
  for (std::size_t back = kEndSize; back <= std::min<std::size_t>(in.size(), kEndSize + 0xFFFF); ++back) {
    if (in.u32(in.size() - back) == kEndSignature) return in.size() - back;
  }
  return error_at(path, "end", "the end record of a ZIP archive; the file is cut short or no .npz");
}

// The tensor of the central directory's entry at `at`.
OrIoError<Tensor> read_entry(const Reader& in, std::size_t at, const std::string& path) {
  const std::size_t name_length = in.u16(at + 28);
  if (!in.has(at + kCentralSize, name_length)) return error_at(path, fmt::format("byte {}", at), "the name of an entry");
  const auto name_bytes = in.part(at + kCentralSize, name_length);
  const std::string name(name_bytes.begin(), name_bytes.end());
  const std::string place = "entry " + name;
  if (in.u16(at + 10) != 0) return error_at(path, place, "a stored entry (numpy.savez), found a compressed one");
  const std::size_t size = in.u32(at + 24);
  const std::size_t local = in.u32(at + 42);
  if (!in.has(local, kLocalSize) || in.u32(local) != kLocalSignature) return error_at(path, place, "a local header");
  const std::size_t data = local + kLocalSize + in.u16(local + 26) + in.u16(local + 28);
  if (!in.has(data, size)) return error_at(path, place, fmt::format("{} bytes at byte {}", size, data));
  if (crc32(in.part(data, size)) != in.u32(at + 16)) return error_at(path, place, "data that match their checksum");
  auto tensor = parse_npy(in.part(data, size), path + ": " + place);
  if (tensor) tensor->name = name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
  return tensor;
}

}  // namespace

OrIoError<void> write_npz(const std::string& path, const std::vector<Tensor>& tensors) {
  Writer out;
  std::vector<Entry> entries;
  for (const Tensor& tensor : tensors) {
    const auto bytes = npy_bytes(tensor);
    if (!bytes) return tl::unexpected(bytes.error());
    entries.push_back({tensor.name + ".npy", out.bytes.size(), bytes->size(), crc32(*bytes)});
    out.u32(kLocalSignature);
    write_common(out, entries.back());
    out.text(entries.back().name);
    out.bytes.insert(out.bytes.end(), bytes->begin(), bytes->end());
    if (out.bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
      return error_at(path, "entry " + tensor.name, "less than 4 GiB in one archive");
    }
  }
  const std::size_t directory = out.bytes.size();
  for (const Entry& entry : entries) write_central(out, entry);
  const std::size_t directory_size = out.bytes.size() - directory;
  out.u32(kEndSignature);
  out.u32(0);  // disk numbers
  out.u16(entries.size());
  out.u16(entries.size());
  out.u32(directory_size);
  out.u32(directory);
  out.u16(0);  // comment
  return write_file(path, out.bytes);
}

OrIoError<std::vector<Tensor>> read_npz(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const Reader in(*bytes);
  const auto end = find_end(in, path);
  if (!end) return tl::unexpected(end.error());
  std::vector<Tensor> tensors;
  std::size_t at = in.u32(*end + 16);
  std::size_t left = in.size();  // entries that share their bytes could otherwise fill the memory from a small file
  for (std::size_t entry = 0; entry < in.u16(*end + 10); ++entry) {
    if (!in.has(at, kCentralSize) || in.u32(at) != kCentralSignature) {
      return error_at(path, fmt::format("byte {}", at), fmt::format("entry {} of the central directory", entry));
    }
    auto tensor = read_entry(in, at, path);
    if (!tensor) return tl::unexpected(tensor.error());
    if (tensor->bytes.size() > left) return error_at(path, "entry " + tensor->name, "entries that do not overlap");
    left -= tensor->bytes.size();
    tensors.push_back(std::move(*tensor));
    at += kCentralSize + in.u16(at + 28) + in.u16(at + 30) + in.u16(at + 32);
  }
  return tensors;
}

}  // namespace narrowgate::io
