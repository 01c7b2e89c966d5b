#include "baselines/nearest.h"

#include <algorithm>

namespace narrowgate {
namespace {

// Longer texts are not names that somebody mistyped, and comparing them would take quadratic time.
constexpr std::size_t kLongestName = 200;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, now);
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
  }
  return now[b.size()];
}

std::optional<std::string> nearest_name(std::string_view written, const std::vector<std::string>& known) {
  if (written.size() > kLongestName) return std::nullopt;
  const std::size_t allowed = std::max<std::size_t>(1, (written.size() + 1) / 3);
  std::size_t best = allowed + 1;
  std::optional<std::string> nearest;
  for (const std::string& name : known) {
    if (name.size() > written.size() + allowed || written.size() > name.size() + allowed) continue;
    const std::size_t distance = edit_distance(written, name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view written, const std::vector<std::string>& known) {
  const std::optional<std::string> name = nearest_name(written, known);
  return name ? " Did you mean \"" + *name + "\"?" : "";
}

}  // namespace narrowgate
