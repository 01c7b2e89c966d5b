#include "suites/engine/run.h"

#include <unordered_map>

#include "baselines/journal.h"
#include "baselines/results_file.h"

namespace narrowgate {
namespace {

std::vector<std::string> ids_of(const std::vector<Cell>& cells) {
  std::vector<std::string> ids;
  for (const Cell& cell : cells) ids.push_back(cell.id());
  return ids;
}

// The journal of this run and the rows that an earlier, killed run left in it.
struct OpenJournal {
  Journal journal;
  std::unordered_map<std::string, Row> finished;
};

tl::expected<OpenJournal, Error> open_journal(const std::vector<std::string>& manifest, const RunOptions& options) {
  const std::string path = Journal::path_beside(options.out);
  const std::string digest = manifest_digest(manifest);
  if (options.resume == Resume::kNo) {
    auto journal = Journal::start(path, digest);
    if (!journal) return tl::unexpected(journal.error());
    return OpenJournal{std::move(*journal), {}};
  }
  const auto contents = Journal::load(path, digest);
  if (!contents) return tl::unexpected(contents.error());
  if (contents->notice && options.notice) options.notice(*contents->notice);
  auto journal = Journal::resume(path, *contents);
  if (!journal) return tl::unexpected(journal.error());
  OpenJournal open{std::move(*journal), {}};
  for (const Row& row : contents->rows) open.finished.emplace(row.id, row);
  return open;
}

// Keeps the inputs and the case of the cell before: neighbours in a plan share them.
class CaseCache {
 public:
  const PreparedCase& get(const Case& of) {
    const std::string inputs_key = shape_text(of.shape, {}) + '/' + std::string(to_string(of.distribution)) + '/' +
                                   std::to_string(of.seed);
    if (inputs_key != inputs_key_) {
      inputs_ = {};  // the old ones go first: two of the largest need not fit at once
      inputs_ = make_inputs(of.shape, of.distribution, of.seed);
      inputs_key_ = inputs_key;
    }
    if (of.id() != case_id_) {
      prepared_ = {};
      prepared_ = prepare_case(of, inputs_);
      case_id_ = of.id();
    }
    return prepared_;
  }

 private:
  std::string inputs_key_, case_id_;
  Inputs inputs_;
  PreparedCase prepared_;
};

// Relative cost of a cell: its products, dearer where the host executes device code, and a fixed part.
double work_of(const Cell& cell) {
  const Shape shape = cell.of.shape;
  const double products = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  return 1e6 + products * (cell.kernel->backend == Backend::kSimt ? 20.0 : 1.0) + (cell.timed ? 1e9 : 0.0);
}

double work_of(const std::vector<Cell>& cells) {
  double work = 0;
  for (const Cell& cell : cells) work += work_of(cell);
  return work;
}

CellOptions cell_options(const Cell& cell, const RunOptions& options) {
  CellOptions result;
  result.timing = options.timing == Timing::kOn;
  result.budget_ms = cell.budget_ms;
  result.plant = options.plant;
  const auto device = options.context.devices.find(std::string(to_string(cell.kernel->backend)));
  if (device != options.context.devices.end()) result.device_key = device->second.key;
  return result;
}

}  // namespace

tl::expected<Results, Error> run_cells(const std::vector<Cell>& cells, RunOptions options) {
  Results results;
  results.manifest = ids_of(cells);
  auto open = open_journal(results.manifest, options);
  if (!open) return tl::unexpected(open.error());

  CaseCache cache;
  const double work_planned = work_of(cells);
  double work_done = 0;
  std::unordered_map<std::string, bool> profiled;
  for (const Cell& cell : cells) {
    work_done += work_of(cell);
    const PreparedCase& prepared = cache.get(cell.of);
    if (!profiled[cell.of.id()]) {
      results.cases.push_back(profile_case(cell.of, prepared));
      profiled[cell.of.id()] = true;
    }
    const auto earlier = open->finished.find(cell.id());
    if (earlier != open->finished.end()) {
      results.benchmarks.push_back(earlier->second);
      continue;
    }
    results.benchmarks.push_back(run_cell(cell, prepared, cell_options(cell, options)));
    const Row& row = results.benchmarks.back();
    if (auto written = open->journal.append(row); !written) return tl::unexpected(written.error());
    if (options.progress) options.progress({results.benchmarks.size(), cells.size(), work_done / work_planned}, row);
  }

  results.context = std::move(options.context);
  results.context.timing = options.timing == Timing::kOn;
  if (options.plant != nullptr) results.context.planted = std::string(options.plant->name);
  if (auto written = write_results(options.out, results); !written) return tl::unexpected(written.error());
  if (auto removed = open->journal.remove(); !removed) return tl::unexpected(removed.error());
  return results;
}

}  // namespace narrowgate
