// NumPy's .npy files (format 1.0, 2.0, 3.0), little-endian, C order; and .npz archives of them, not compressed.
#pragma once

#include <span>

#include "suites/io/tensor.h"

namespace narrowgate::io {

// `file` is named in errors. Refused: another magic, Fortran order, big-endian or structured types, bytes missing or
// left over.
OrIoError<Tensor> parse_npy(std::span<const std::uint8_t> bytes, const std::string& file);
OrIoError<Tensor> read_npy(const std::string& path);

// As numpy.save writes it. bfloat16, which NumPy lacks, is refused.
OrIoError<std::vector<std::uint8_t>> npy_bytes(const Tensor& tensor);
OrIoError<void> write_npy(const std::string& path, const Tensor& tensor);

// As numpy.savez writes it: entry "<name>.npy" for each tensor. Files stay below 4 GiB.
OrIoError<void> write_npz(const std::string& path, const std::vector<Tensor>& tensors);
// All tensors, in the order of the central directory. Compressed entries are refused.
OrIoError<std::vector<Tensor>> read_npz(const std::string& path);

}  // namespace narrowgate::io
