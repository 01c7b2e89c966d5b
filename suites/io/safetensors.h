// safetensors files: an 8-byte header length, a JSON header of names, types, shapes and offsets, then the data.
#pragma once

#include <span>

#include "suites/io/tensor.h"

namespace narrowgate::io {

// All tensors, in the order of their offsets. Refused: a header that is not the format's JSON, types unknown here,
// offsets outside the data, of the wrong length, overlapping or with gaps.
OrIoError<std::vector<Tensor>> parse_safetensors(std::span<const std::uint8_t> bytes, const std::string& file);
OrIoError<std::vector<Tensor>> read_safetensors(const std::string& path);

OrIoError<void> write_safetensors(const std::string& path, const std::vector<Tensor>& tensors);

}  // namespace narrowgate::io
