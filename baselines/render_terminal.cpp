#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "baselines/render.h"
#include "baselines/text_escape.h"

namespace narrowgate {
namespace {

constexpr std::size_t kMostBlocks = 20;

std::string painted(std::string_view text, const char* code, Color color) {
  return color == Color::always ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

const char* color_of(int exit_code) { return exit_code == 0 ? "32" : exit_code == 3 ? "33" : "31"; }

std::string number(const std::optional<double>& value) {
  if (!value) return "–";
  return std::isfinite(*value) ? fmt::format("{}", *value) : "not finite";
}

std::string shape_of(const Verdict& verdict, const std::string& case_id) {
  for (const CaseProfile& profile : verdict.cases) {
    if (profile.id == case_id) return fmt::format("{}x{}x{}", profile.m, profile.n, profile.k);
  }
  return "not recorded";
}

const char* what_happened(GateResult::State state) {
  return state == GateResult::State::fail ? "failed" : "was not measured";
}

// The reason of the cell already tells the detail of the gate that decided it.
std::string gate_text(const GateResult& gate, const std::string& reason) {
  std::string text = fmt::format("  gate {} {}", to_string(gate.gate), what_happened(gate.state));
  if (gate.row || gate.column) {
    text += fmt::format(" at row {}, column {}", gate.row ? fmt::format("{}", *gate.row) : "–",
                        gate.column ? fmt::format("{}", *gate.column) : "–");
  }
  if (gate.value || gate.reference || gate.bound) {
    text += fmt::format(": value {}, reference {}, bound {}", number(gate.value), number(gate.reference),
                        number(gate.bound));
  }
  if (gate.detail && reason.find(*gate.detail) == std::string::npos) text += fmt::format("; {}", visible(*gate.detail));
  return text + "\n";
}

bool stopped(const GateResult& gate) {
  return gate.decides && (gate.state == GateResult::State::fail || gate.state == GateResult::State::not_measured);
}

}  // namespace

std::vector<const CellVerdict*> cells_that_need_attention(const Verdict& verdict) {
  std::unordered_map<std::string_view, const CellVerdict*> by_id;
  for (const CellVerdict& cell : verdict.cells) by_id.emplace(cell.id, &cell);
  std::vector<const CellVerdict*> cells;
  for (const std::string& id : verdict.attention) {
    if (const auto cell = by_id.find(id); cell != by_id.end()) cells.push_back(cell->second);
  }
  return cells;
}

std::string time_words(const CellVerdict& cell) {
  if (!cell.time_ratio) return std::string(to_string(cell.time_state));
  return fmt::format("{} {:+.1f} %", to_string(cell.time_state), (*cell.time_ratio - 1) * 100);
}

std::string failure_text(const Verdict& verdict, const CellVerdict& cell) {
  std::string text = fmt::format("{}  {}\n", to_string(cell.state), visible(shortened(cell.id)));
  if (cell.row) {
    text += fmt::format("  scheme {}, kernel {}, shape {}\n", visible(cell.row->scheme), visible(cell.row->kernel),
                        shape_of(verdict, cell.row->case_id));
  }
  if (!cell.reason.empty()) text += fmt::format("  {}\n", visible(cell.reason));
  if (cell.row) {
    for (const GateResult& gate : cell.row->gates) {
      if (stopped(gate)) text += gate_text(gate, cell.reason);
    }
  }
  if (cell.time_state != TimeState::unmeasured && cell.state == ErrorState::pass) {
    text += fmt::format("  time {}: {}\n", time_words(cell), visible(cell.time_reason));
  }
  return text + fmt::format("  rerun: {}\n", visible(cell.rerun));
}

std::string terminal_text(const Verdict& verdict, Color color) {
  std::string text = painted(visible(verdict.sentence), color_of(verdict.exit_code), color) + "\n";
  for (const std::string& reason : verdict.reasons) text += fmt::format("  {}\n", visible(reason));
  const std::vector<const CellVerdict*> cells = cells_that_need_attention(verdict);
  const std::size_t shown = std::min(cells.size(), kMostBlocks);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string block = failure_text(verdict, *cells[i]);
    const std::size_t word = block.find(' ');
    const bool fails = cells[i]->state == ErrorState::invalid || cells[i]->state == ErrorState::regressed ||
                       cells[i]->state == ErrorState::changed;
    text += fmt::format("\n{}{}", painted(block.substr(0, word), fails ? "31" : "33", color), block.substr(word));
  }
  if (cells.size() > shown) text += fmt::format("\nand {} more; the verdict file holds them all\n", cells.size() - shown);
  return text;
}

}  // namespace narrowgate
