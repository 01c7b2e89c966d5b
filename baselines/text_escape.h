// Names and reasons come from files, so every place that shows them escapes them for that place.
#pragma once

#include <string>
#include <string_view>

namespace narrowgate {

// Control and bidirectional characters, line ends and bytes that are not UTF-8 as \u001b or \xff, so that a name can
// neither move the cursor nor hide itself.
std::string visible(std::string_view text);

// visible(), with everything that Markdown, HTML or a Markdown table would read as markup escaped.
std::string markdown_escaped(std::string_view text);

// One word for bash, always in quotes: '…', or $'…' where the text holds characters that must not be printed.
std::string shell_quoted(std::string_view text);

// The same, bare where no quotes are needed.
std::string shell_word(std::string_view text);

// At most about 120 bytes: the beginning and the end, which tell ids apart.
std::string shortened(std::string_view text);

}  // namespace narrowgate
