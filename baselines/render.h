// A verdict as text: for a terminal, and as Markdown for a job summary. Everything in it is treated as hostile.
#pragma once

#include <string>
#include <string_view>

#include "baselines/verdict.h"

namespace narrowgate {

enum class Color { never, always };

// The sentence, why, one block per failing cell, and the cells that have no verdict.
std::string terminal_text(const Verdict& verdict, Color color);

// One failing cell: scheme, kernel, shape; each failing gate with its element, value, reference and bound; the rerun.
std::string failure_text(const Verdict& verdict, const CellVerdict& cell);

// The sentence, a table of at most 10 cells that need attention, and the commands that reproduce them.
std::string markdown(const Verdict& verdict);

// Text that means itself in a Markdown table: markup, line ends and bidirectional controls are made visible.
std::string markdown_escaped(std::string_view text);

// Control characters and bidirectional controls as \xNN, so that a name cannot move the cursor or hide itself.
std::string terminal_escaped(std::string_view text);

// One word for a POSIX shell; $'…' where the text holds characters that must not be printed.
std::string shell_quoted(std::string_view text);

}  // namespace narrowgate
