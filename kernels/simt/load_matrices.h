// Four 8×8 matrices of 16-bit elements (eight rows of sixteen bytes each) from shared memory into the fragments of a
// warp, as ldmatrix does (sm_75 on): lane l receives word l mod 4 of row l / 4 of each matrix.
#pragma once

#include "kernels/simt/device_words.h"

namespace narrowgate {

// `word_of(matrix, row)` is the index in `words` of the row's first word, a multiple of four.
template <class Words, class WordOf>
NARROWGATE_DEVICE void load_matrices(std::int32_t (&to)[4], Words words, WordOf word_of) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#ifdef __CUDACC__
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(words)) + 4u * static_cast<unsigned>(word_of(lane / 8, lane % 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
#else
  for (int matrix = 0; matrix < 4; ++matrix) to[matrix] = words[word_of(matrix, lane / 4) + lane % 4];
#endif
}

}  // namespace narrowgate
