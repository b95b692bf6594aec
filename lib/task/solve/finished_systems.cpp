#include "task/solve/finished_systems.hpp"

#include <fstream>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "checkpoint/section_file.hpp"
#include "core/checksum.hpp"

namespace spsolve::inline task {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr SectionKind sequence_kind{"sequence", 2};

std::string name_of(std::size_t number) {
  return fmt::format("system {}", number + 1);
}

/// A checksum of the file's bytes; 0 where it is none, such as a generator or nothing at all.
std::uint64_t sum_of_file(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return 0;
  std::ifstream in(path, std::ios::binary);
  Checksum sum;
  std::vector<char> bytes(1 << 20);
  while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), in.gcount() > 0) {
    sum.add(std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(in.gcount()))));
  }
  return sum.value();
}

/// The files that a system was solved from, and its outcome.
Json inputs_of(const Step& step) {
  return {{"right_hand_side", {step.source, sum_of_file(step.b.file)}},
          {"columns", step.b.columns},
          {"seed", step.b.seed},
          {"values", {step.values.string(), sum_of_file(step.values)}},
          {"solution", step.solution.string()}};
}

/// Null stands for infinity, as JSON has no such number.
double number_of(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

std::optional<StepReport> report_of(const Json& kept, const Step& step) {
  if (kept.at("inputs") != inputs_of(step)) return std::nullopt;
  std::error_code none;
  const Json& told = kept.at("report");
  const bool has_solution = told.at("failure").get<std::string>().empty();
  if (has_solution && !step.solution.empty() && !fs::exists(step.solution, none)) {
    return std::nullopt;
  }
  StepReport report = begun_report(step);
  report.failure = told.at("failure").get<std::string>();
  if (report.failure.empty()) report.solution = step.solution.string();
  report.status = told.at("status").get<std::string>();
  report.backward_error = number_of(told.at("backward_error"));
  report.forward_error = number_of(told.at("forward_error"));
  report.condition = number_of(told.at("condition"));
  report.seconds = number_of(told.at("seconds"));
  report.earlier = true;
  return report;
}

void write_text(SectionWriter& file, const SectionKind& kind, const std::string& text) {
  file.begin(kind);
  file.write(std::as_bytes(std::span(text)));
}

std::string text_of(const SectionReader& file, const FileSection& section) {
  const std::vector<std::byte> bytes = file.read(section);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

StepReport begun_report(const Step& step) {
  StepReport report;
  report.right_hand_side = step.source;
  report.values = step.values.string();
  report.status = "failed";
  report.backward_error = report.forward_error = report.condition = Trust::unknown;
  return report;
}

FinishedSystems::FinishedSystems(fs::path file, std::uint64_t matrix)
    : file_(std::move(file)), matrix_(matrix) {}

std::vector<StepReport> FinishedSystems::found(const std::vector<Step>& steps,
                                               std::vector<std::string>& notes) {
  std::vector<StepReport> reports;
  std::error_code none;
  if (!fs::exists(file_, none)) return reports;
  try {
    const SectionReader file(file_);
    file.verify();
    if (text_of(file, file.section(sequence_kind)) != fmt::format("{:x}", matrix_)) {
      file.refuse("is of systems with another matrix");
    }
    begun_ = true;
    for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
      const FileSection* section = file.find(name_of(k));
      if (section == nullptr) break;
      std::string text = text_of(file, *section);
      std::optional<StepReport> report = report_of(Json::parse(text), steps[k]);
      if (!report) break;
      reports.push_back(std::move(*report));
      kept_.push_back(std::move(text));
    }
    // Further sections are of other files than those that are there now.
    begun_ = reports.size() + 1 == file.sections().size();
  } catch (const Error& error) {
    notes.push_back(fmt::format("systems are solved anew: {}", error.what()));
  } catch (const Json::exception&) {
    reports.clear();
    kept_.clear();
    notes.push_back(fmt::format("systems are solved anew: {}: is none of this program's files",
                                file_.string()));
  }
  count_ = reports.size();
  if (count_ > 0) {
    notes.push_back(fmt::format("{} of {} systems had been solved by an earlier run: {}", count_,
                                steps.size(), file_.string()));
  }
  return reports;
}

void FinishedSystems::add(const Step& step, const StepReport& told) {
  const Json kept{{"inputs", inputs_of(step)},
                  {"report",
                   {{"status", told.status},
                    {"backward_error", told.backward_error},
                    {"forward_error", told.forward_error},
                    {"condition", told.condition},
                    {"failure", told.failure},
                    {"seconds", told.seconds}}}};
  SectionWriter file = begun_ ? SectionWriter::adding_to(file_) : SectionWriter(file_);
  if (!begun_) {
    write_text(file, sequence_kind, fmt::format("{:x}", matrix_));
    for (std::size_t k = 0; k < kept_.size(); ++k) write_text(file, {name_of(k), 1}, kept_[k]);
  }
  write_text(file, {name_of(count_), 1}, kept.dump());
  file.commit();
  begun_ = true;
  ++count_;
}

void FinishedSystems::remove() const {
  std::error_code none;
  fs::remove(file_, none);
}

}  // namespace spsolve::task
