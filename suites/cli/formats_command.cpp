#include "suites/cli/formats_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/scalar.h"

namespace narrowgate::cli {
namespace {

using formats::Format;

std::string specials_text(const Format& format) {
  switch (format.specials) {
    case formats::Specials::none:
      return "none";
    case formats::Specials::nan_all_ones:
      return "NaN";
    case formats::Specials::nan_minus_zero:
      return "NaN, no -0";
    case formats::Specials::ieee:
      return "Inf, NaN";
  }
  return "";
}

// Smallest positive number.
float smallest(const Format& format) {
  if (format.kind == formats::Kind::sign) return 1.0f;
  const bool lowest_is_positive = format.is_floating() && !format.has_subnormals;
  return formats::decode(format, lowest_is_positive ? 0 : 1);
}

float smallest_normal(const Format& format) {
  return static_cast<float>(formats::power_of_two(format.minimum_exponent()));
}

void print_all() {
  fmt::print("{:<10} {:>4} {:>4} {:>4} {:>5} {:>14} {:>14} {:>14}  {}\n", "format", "bits", "exp", "man", "bias",
             "largest", "least normal", "least", "specials");
  for (const Format* format : formats::kAllFormats) {
    if (format->is_floating()) {
      fmt::print("{:<10} {:>4} {:>4} {:>4} {:>5} {:>14.6g} {:>14.6g} {:>14.6g}  {}\n", format->name, format->bits,
                 format->exponent_bits, format->mantissa_bits, format->bias, formats::maximum(*format),
                 smallest_normal(*format), smallest(*format), specials_text(*format));
    } else {
      fmt::print("{:<10} {:>4} {:>4} {:>4} {:>5} {:>14.6g} {:>14} {:>14.6g}  {}\n", format->name, format->bits, "-", "-",
                 "-", formats::maximum(*format), "-", smallest(*format), "integer");
    }
  }
}

void print_one(const Format& format) {
  fmt::print("{}: {} bits; {}\n", format.name, format.bits, format.source);
  fmt::print("largest {}, least {}\n", formats::maximum(format), smallest(format));
  if (format.is_floating()) {
    fmt::print("exponent {} bits, bias {}; mantissa {} bits; specials: {}; least normal {}\n", format.exponent_bits,
               format.bias, format.mantissa_bits, specials_text(format), smallest_normal(format));
  }
  if (format.bits > 8) return;  // the table would be a book
  for (std::uint32_t code = 0; code < format.code_count(); ++code) {
    fmt::print("0x{:02X} {:0{}b} {}\n", code, code, format.bits, formats::decode(format, code));
  }
}

int run(const std::string& name) {
  if (name.empty()) {
    print_all();
    return 0;
  }
  const Format* format = formats::find_format(name);
  if (format == nullptr) {
    std::string names;
    for (const Format* known : formats::kAllFormats) names += std::string(names.empty() ? "" : ", ") + known->name;
    fmt::print(stderr, "formats: {}: expected one of {}\n", name, names);
    return 2;
  }
  print_one(*format);
  return 0;
}

}  // namespace

void add_formats_command(CLI::App& app, int& exit_code) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("formats", "List the number formats, or every code of one");
  command->add_option("name", *name, "A format, for example e4m3");
  command->callback([name, &exit_code] { exit_code = run(*name); });
}

}  // namespace narrowgate::cli
