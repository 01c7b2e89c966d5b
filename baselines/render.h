// A verdict as text: for a terminal, and as Markdown for a job summary.
#pragma once

#include <string>

#include "baselines/verdict.h"

namespace narrowgate {

enum class Color { never, always };

// The sentence, why, and one block per cell that needs a person, worst first.
std::string terminal_text(const Verdict& verdict, Color color);

// One such cell: scheme, kernel, shape; each failing gate with its element, value, reference and bound; the rerun.
std::string failure_text(const Verdict& verdict, const CellVerdict& cell);

// The sentence, a table of at most 10 cells that need a person, and the commands that reproduce them.
std::string markdown(const Verdict& verdict);

// The cells of verdict.attention, in its order.
std::vector<const CellVerdict*> cells_that_need_attention(const Verdict& verdict);

// What the time says: "SLOWER +3.1 %", or the state alone where there is no ratio.
std::string time_words(const CellVerdict& cell);

}  // namespace narrowgate
