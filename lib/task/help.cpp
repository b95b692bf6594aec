#include "task/help.hpp"

#include <fmt/format.h>

#include "choice/solver_table.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "core/names/did_you_mean.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "matrix/generate/generate.hpp"
#include "multiply/kernel/kernel.hpp"
#include "report/report_fields.hpp"

namespace spsolve::inline task {

namespace {

std::string kernel_help() {
  std::string text = "Kernels of multiply.kernel, on the host:\n\n";
  for (const Kernel& kernel : host_kernels()) {
    text += fmt::format("{}   [{}]\n      {}\n", kernel.name, kernel.format, kernel.sentence);
  }
  return text;
}

}  // namespace

std::string exit_code_help() {
  return "0  solved: a small residual, and digits of x that are right as far as is known\n"
         "1  the answer cannot be trusted: no digit of x is certain (status uncertain),\n"
         "   the residual is too large (not trustworthy), or the matrix is singular, or not\n"
         "   definite as the method wants (failed)\n"
         "2  a file, an option or the configuration is wrong; the message says where\n"
         "3  memory, disk or device is missing or too small\n"
         "4  a defect of the program\n"
         "5  stopped before the end, as asked; with checkpoint.directory the same command goes\n"
         "   on from its checkpoint\n";
}

std::vector<std::string_view> help_topics() {
  std::vector<std::string_view> topics{"configuration"};
  for (const Section& section : sections()) topics.push_back(section.name);
  for (const std::string_view more :
       {"report", "generators", "methods", "preconditioners", "kernels", "exit-codes"}) {
    topics.push_back(more);
  }
  return topics;
}

std::string help_on(std::string_view topic) {
  if (topic == "configuration") return help_text();
  if (topic == "report") return report_help();
  if (topic == "generators") return generator_help();
  if (topic == "methods") return solver_help();
  if (topic == "preconditioners") return preconditioner_help();
  if (topic == "kernels") return kernel_help();
  if (topic == "exit-codes") return exit_code_help();
  if (std::string text = help_text(topic); !text.empty()) return text;
  std::vector<std::string_view> names = help_topics();
  for (const Option& option : options()) names.push_back(option.key);
  const std::string nearest = did_you_mean(topic, names);
  fail(ExitCode::input, "there is no help on '{}'{}", printable(topic),
       !nearest.empty() ? nearest
                        : fmt::format("; the topics are {}, and every key of the configuration",
                                      fmt::join(help_topics(), ", ")));
}

}  // namespace spsolve::task
