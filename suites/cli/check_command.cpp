// narrowgate check: the gates on an output that came from elsewhere.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "suites/check/check.h"
#include "suites/cli/terminal.h"

namespace narrowgate {
namespace {

using check::Packing;

struct Arguments {
  check::CheckRequest request;
  bool b_transposed = false, exact = false, json = false;
};

const std::map<std::string, Packing> kPackings = {{"k-words", Packing::kKWords}, {"gptq", Packing::kGptq}, {"awq", Packing::kAwq}, {"bytes", Packing::kBytes}};

int run(const Arguments& args, const CommonOptions& common) {
  check::CheckRequest request = args.request;
  if (args.b_transposed) request.b_stored = check::Orientation::kNByK;
  if (args.exact) request.decision = check::Decision::kEveryBit;
  const auto report = check::check(request);
  if (!report) return fail(kExitBadInput, visible(report.error().message));
  if (args.json) fmt::print("{}", check::json(*report));
  else if (common.quiet) fmt::print("{}\n", check::verdict_line(*report));
  else fmt::print("{}", check::text(*report));
  switch (report->verdict) {
    case check::Verdict::kPass: return kExitPass;
    case check::Verdict::kFail: return kExitRegression;
    case check::Verdict::kNone: return kExitNoVerdict;
  }
  return kExitNoVerdict;
}

void add_code_options(CLI::App& command, const std::string& name, check::CodeFiles& files) {
  command.add_option("--" + name + "-codes", files.codes, "your codes, one a byte" + std::string(name == "b" ? ", or packed (--b-packing)" : ""));
  command.add_option("--" + name + "-scales", files.scales, "your scales: one, one for each column of blocks, or one for each block");
  command.add_option("--" + name + "-zeros", files.zeros, "your zero points, likewise");
}

}  // namespace

void add_check_command(CLI::App& app, const CommonOptions& common, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  check::CheckRequest& request = args->request;
  CLI::App* command = app.add_subcommand("check", "Judge an output that any kernel produced by a scheme's gates");
  command->add_option("--scheme", request.scheme, "what the output is to be: `narrowgate list` prints all schemes")->required();
  command->add_option("--a", request.a, "A, m×k: FILE.npy, FILE.npz:TENSOR or FILE.safetensors:TENSOR")->required();
  command->add_option("--b", request.b, "B, k×n")->required();
  command->add_option("--c", request.c, "the output C, m×n, in float32, float16 or bfloat16")->required();
  command->add_flag("--b-transposed", args->b_transposed, "B is stored n×k, as PyTorch stores weights (codes are k×n all the same)");
  command->add_option("--bias", request.bias, "n values, for schemes with .bias");
  command->add_option("--calibration", request.calibration, "activations, samples×k, for schemes that need them");
  add_code_options(*command, "a", request.a_codes);
  add_code_options(*command, "b", request.b_codes);
  command->add_option("--b-packing", request.b_codes.packing, "how 4-bit codes of B are packed: k-words, gptq, awq, bytes")
      ->transform(CLI::CheckedTransformer(kPackings));
  command->add_flag("--exact", args->exact, "every bit must be the scheme's");
  command->add_flag("--json", args->json, "print JSON");
  command->footer(
      "Examples:\n"
      "  narrowgate check --scheme int8.column --a a.npy --b b.npy --c c.npy\n"
      "  narrowgate check --scheme w4a16.g128_zp.rtn.chain --a x.npy --b w.safetensors:weight --b-transposed --c y.npy \\\n"
      "      --b-codes q.safetensors:qweight --b-scales q.safetensors:scales --b-zeros q.safetensors:qzeros --b-packing gptq\n"
      "Exit codes: 0 pass, 1 a gate failed, 2 bad usage or input, 3 nothing could decide.");
  command->callback([args, &common, &exit_code] { exit_code = run(*args, common); });
}

}  // namespace narrowgate
