// spmtx: looks at matrices, converts and generates them. Works alone, without MPI.

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>

#include "apps/line/command_line.hpp"
#include "choice/factorization_estimate.hpp"
#include "core/timer.hpp"
#include "io/binary/dense_file.hpp"
#include "io/dense_source.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/special_file.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "matrix/formats/colouring.hpp"
#include "matrix/formats/ellpack.hpp"
#include "matrix/formats/format_costs.hpp"
#include "matrix/formats/symmetric_ellpack.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"
#include "matrix/symmetry.hpp"
#include "plan/reading_room.hpp"
#include "process/system.hpp"
#include "report/page/html_report.hpp"
#include "report/page/svg.hpp"
#include "team/team.hpp"

namespace spsolve {
namespace {

// In addition to the matrix: its transpose, and arrays of its rows; an order of elimination, a
// graph and a tree; colours and neighbours of neighbours.
constexpr BytesBeside to_look_at{16, 16};
constexpr BytesBeside to_order{200, 40};
constexpr BytesBeside to_colour{40, 24};

/// The statement of the header of a file, and how fast the file was read.
std::string describe_file(const std::string& file, const ReadTiming& timing, bool with_timing) {
  const MatrixMarketHeader header = read_header(file);
  std::string text =
      fmt::format("{:<18} {} {} {}, {} entries in {} bytes\n", "file", name(header.format),
                  name(header.field), name(header.symmetry), header.entries, header.file_bytes);
  if (with_timing) {
    const double rate = static_cast<double>(timing.bytes) / timing.seconds / 1e6;
    text += fmt::format(
        "{:<18} {} bytes of text in {:.4f} s with {} threads: {:.0f} MB/s, {:.0f} MB/s a thread\n",
        "reading", timing.bytes, timing.seconds, timing.threads, rate, rate / timing.threads);
    if (timing.inflate_seconds > 0) {
      text += fmt::format("{:<18} {:.4f} s of it\n", "gzip", timing.inflate_seconds);
    }
  }
  return text;
}

/// Structure and what each storage format would take.
std::string describe_matrix_of(const LoadedMatrix& matrix) {
  if (matrix.parts > 1) return to_text(analyse_complex(matrix.rows));
  return to_text(analyse(matrix.rows)) + "storage in double precision:\n" +
         to_text(format_costs(matrix.rows), matrix.rows.nonzeros());
}

void info(const std::string& name, bool with_timing, bool with_orderings, int threads) {
  const auto orderings = [&](const LoadedMatrix& matrix) -> std::string {
    if (!with_orderings) return "";
    const Csr<double>& rows = matrix.rows;
    if (rows.rows != rows.columns) {
      fail(ExitCode::input, "{}: --orderings wants a square matrix, and this one is {} x {}", name,
           rows.rows / matrix.parts, rows.columns / matrix.parts);
    }
    return fmt::format("sparse elimination {}by each order of the unknowns:\n",
                       matrix.parts > 1 ? "of the real form " : "") +
           ordering_table(rows);
  };
  if (means_generator(name)) {
    const LoadedMatrix matrix = load_real_form(name);
    print_out(fmt::format("{:<18} {}\n", "generated", name) + describe_matrix_of(matrix) +
              orderings(matrix));
    return;
  }
  require_room_to_read(name, with_orderings ? to_order : to_look_at);
  if (is_binary(name)) {
    const Timer timer;
    const LoadedMatrix matrix = load_real_form(name);
    const double seconds = timer.seconds();
    const auto bytes = std::filesystem::file_size(io::MappedFile::file_of(name));
    print_out(fmt::format("{:<18} binary, {} bytes\n", "file", bytes) +
              (with_timing ? fmt::format("{:<18} {:.4f} s: {:.0f} MB/s\n", "reading", seconds,
                                         static_cast<double>(bytes) / seconds / 1e6)
                           : "") +
              describe_matrix_of(matrix) + orderings(matrix));
    return;
  }
  ReadTiming timing;
  ReadOptions options;
  options.threads = threads;
  Coo entries = read_matrix_market(name, options, &timing);
  const Index parts = entries.is_complex ? complex_parts : 1;
  const LoadedMatrix matrix{csr_from_coo(std::move(entries)), parts};
  check_sums(name, matrix.rows, [parts](ElementPlace place) -> ElementPlace {
    return {place.row / parts, place.column / parts};
  });
  print_out(describe_file(name, timing, with_timing) + describe_matrix_of(matrix) +
            orderings(matrix));
}

/// Says what was written, unless that went to the same place.
void tell(const std::string& file, const std::string& what) {
  if (!io::is_standard_output(file)) print_out(fmt::format("{}: {}\n", file, what));
}

/// An array, and whether its rows are real and imaginary parts in turn.
struct Elements {
  Dense<double> rows;
  bool complex = false;
};

/// The matrix or the array of that name with all its elements; a matrix' real form, where that is
/// asked for.
Elements all_elements(const std::string& name, bool real_form) {
  if (!real_form && !means_generator(name) && !is_sparse_binary(name)) {
    return {load_dense_parts(name), describe_dense(name).is_complex};
  }
  const LoadedMatrix loaded = load_real_form(name);
  const bool complex = loaded.parts > 1 && !real_form;
  const Csr<double>& matrix = loaded.rows;
  const Index columns = matrix.columns / (complex ? complex_parts : 1);
  if (!io::fits_in_memory(matrix.rows, columns)) {
    fail(ExitCode::resources, "{}: its {} x {} elements do not fit into memory; name a .npz file",
         name, matrix.rows, columns);
  }
  return {matrix::all_elements(matrix, complex ? complex_parts : 1), complex};
}

/// Writes the matrix or array `from` as the ending of `to` says, or its real form.
void rewrite(const std::string& from, const std::string& to, const std::string& comment,
             bool real_form = false) {
  constexpr std::string_view endings[] = {".mtx", ".mtx.gz", ".npz", ".petsc", ".npy"};
  const auto is_its = [&](std::string_view ending) { return to.ends_with(ending); };
  if (!io::is_written_through(to) && std::ranges::none_of(endings, is_its)) {
    fail(ExitCode::input,
         "{}: a matrix is written as .mtx, .mtx.gz, .npz or .petsc, or as an array, .npy", to);
  }
  const bool from_array = !means_generator(from) && io::DenseFile::is_one(from) && !real_form;
  const auto words = [](bool complex) { return complex ? ", complex" : ""; };
  if (to.ends_with(".npy") || (from_array && !to.ends_with(".npz"))) {
    const auto [array, complex] = all_elements(from, real_form);
    write_dense(to, array, comment, complex);
    tell(to, fmt::format("{} x {}{}", array.rows / (complex ? complex_parts : 1), array.columns,
                         words(complex)));
    return;
  }
  require_room_to_read(from, {});
  const LoadedMatrix loaded = load_real_form(from);
  const Csr<double>& matrix = loaded.rows;
  const Index told = real_form ? 1 : loaded.parts;
  write_matrix(to, matrix, comment, told > 1);
  tell(to, fmt::format("{} x {}, {} non-zeros{}", matrix.rows / told, matrix.columns / told,
                       matrix.nonzeros() / (told * told), words(told > 1)));
}

void generate(const std::string& spec, const std::string& file) {
  if (!is_generator_spec(spec)) fail(ExitCode::input, "{}", generator_problem(spec));
  rewrite(spec, file, fmt::format("generated by spmtx: {}", spec));
}

void convert(const std::string& from, const std::string& to, bool real_form) {
  rewrite(from, to,
          fmt::format("converted by spmtx from {}{}", from, real_form ? ", its real form" : ""),
          real_form);
}

/// The table of Fencel 2020, chapter 3, for one matrix. Sizes are those of double precision on a
/// GPU.
void color(const std::string& name, const std::string& second_pass) {
  const Csr<double> matrix = load_within_memory(name, to_colour);
  if (!symmetry_of(matrix).symmetric_pattern) {
    fail(ExitCode::input, "{}: the pattern is not symmetric, and one triangle stands for both",
         name);
  }
  const Timer timer;
  const SecondPass pass = second_pass == spsolve::name(SecondPass::published)
                              ? SecondPass::published
                              : SecondPass::balanced;
  const Colouring colouring = colour_rows(matrix, 1, pass);
  const double seconds = timer.seconds();
  const double ellpack =
      static_cast<double>(round_up(matrix.rows, ColumnMajorEllpack<double>::row_multiple)) *
      static_cast<double>(longest_row(matrix)) * (sizeof(LocalIndex) + sizeof(double));
  print_out(fmt::format("{:<18} {}\n", "n", matrix.rows) +
            fmt::format("{:<18} {}\n", "non-zeros", matrix.nonzeros()) +
            fmt::format("{:<18} {}\n", "second pass", spsolve::name(pass)) +
            fmt::format("{:<18} {}\n", "colours", colouring.count()) +
            fmt::format("{:<18} {} rows\n", "largest colour", colouring.largest()) +
            fmt::format("{:<18} {} rows\n", "smallest colour", colouring.smallest()) +
            fmt::format("{:<18} {:.2f} MB\n", "ELLPACK", ellpack * 1e-6) +
            fmt::format("{:<18} {:.2f} MB\n", "symmetric ELLPACK",
                        symmetric_ellpack_bytes(matrix) * 1e-6) +
            fmt::format("{:<18} {:.4f} s\n", "time", seconds));
}

/// Where the non-zeros lie and how long the rows are, as a page or as one of its two pictures.
void plot(const std::string& name, const std::string& file, bool rows) {
  require_room_to_read(name, {});
  const LoadedMatrix matrix = load_real_form(name);
  const Pattern pattern = pattern_of(matrix.parts > 1 ? parts_of(matrix.rows).s : matrix.rows);
  if (file.ends_with(".html")) {
    io::write_text(file, html_pattern(name, pattern));
  } else if (file.ends_with(".svg")) {
    io::write_text(file, rows ? svg::row_lengths(pattern) : svg::pattern(pattern));
  } else {
    fail(ExitCode::input, "{}: pictures are written as .svg, or as a page as .html", file);
  }
  print_out(fmt::format("{}: {} x {}, {} non-zeros\n", file, pattern.rows, pattern.columns,
                        pattern.nonzeros));
}

ExitCode run(int argc, char** argv) {
  CLI::App app("Looks at sparse matrices, generates and converts them.", "spmtx");
  add_common_flags(app);
  app.footer([] {
    return "Wherever a matrix is named, a file - Matrix Market (.mtx, .mtx.gz), a sparse matrix of "
           "scipy (.npz), PETSc's, an array of numpy (.npy) - or a generator:\n\n" +
           generator_help();
  });
  app.require_subcommand(0, 1);

  std::string from, to;
  bool timing = false, orderings = false;
  int threads = 0;
  CLI::App* const info_command = app.add_subcommand("info", "what a matrix holds");
  info_command->add_option("matrix", from, "file or generator")->required();
  info_command->add_flag("--timing", timing, "how fast the file was read");
  info_command->add_flag("--orderings", orderings,
                         "what sparse elimination would cost by each solve.ordering");
  info_command->add_option("--threads", threads, "threads that read (0: as OpenMP says)")
      ->check(CLI::Range(0, 4096));
  CLI::App* const generate_command =
      app.add_subcommand("generate", "writes a generated matrix to a file");
  generate_command->add_option("generator", from, "such as grid2d:1000")->required();
  generate_command->add_option("file", to, "a.mtx, a.mtx.gz, a.npz, a.petsc, or an array a.npy")
      ->required();
  CLI::App* const convert_command = app.add_subcommand(
      "convert",
      "rewrites a matrix: mirrored, duplicates summed, rows sorted, general; or an array");
  convert_command->add_option("from", from, "file or generator")->required();
  convert_command->add_option("to", to, "a.mtx, a.mtx.gz, a.npz, a.petsc, or an array a.npy")
      ->required();
  bool real_form = false;
  convert_command->add_flag("--real-form", real_form,
                            "of a complex matrix the real one of twice the order: [a -b; b a] for "
                            "every a + ib, so that re x_0, im x_0, re x_1, ... solve it");
  CLI::App* const color_command = app.add_subcommand(
      "color", "colours the rows of a symmetric matrix: same colour, no common element of y");
  color_command->add_option("matrix", from, "file or generator")->required();

  std::string second_pass = "balanced";
  color_command
      ->add_option("--second-pass", second_pass,
                   "how colours are made equal: balanced, rows move to smaller ones; published, "
                   "drawn anew at random (Fencel 2020)")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(second_pass_words), std::end(second_pass_words))));

  bool rows = false;
  CLI::App* const plot_command =
      app.add_subcommand("plot", "draws where the non-zeros lie, and the rows by their length");
  plot_command->add_option("matrix", from, "file or generator")->required();
  plot_command->add_option("file", to, "a page (.html) with both, or one picture (.svg)")
      ->required();
  plot_command->add_flag("--rows", rows, "the rows by length into the .svg, not the pattern");

  const Program program{
      app,
      "looks at sparse matrices, draws, generates and converts them",
      {{"MATRICES",
        "A file - Matrix Market (.mtx, .mtx.gz), a sparse matrix of scipy (.npz), "
        "PETSc's, an array of numpy (.npy) - or a generator:\n\n" +
            generator_help()}},
      {},
      {}};
  if (const auto text = asked_for(program, argc, argv)) {
    print_out(*text);
    return ExitCode::solved;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parsing_ended(app, error);
  }
  if (app.get_subcommands().empty()) {
    fail(ExitCode::input,
         "what shall be done? spmtx info, generate, convert, color or plot; see --help");
  }
  if (*info_command) info(from, timing, orderings, threads);
  if (*generate_command) generate(from, to);
  if (*convert_command) convert(from, to, real_form);
  if (*color_command) color(from, second_pass);
  if (*plot_command) plot(from, to, rows);
  return ExitCode::solved;
}

}  // namespace
}  // namespace spsolve

int main(int argc, char** argv) {
  try {
    spsolve::require_stack();
    const spsolve::ExitCode code = spsolve::run(argc, argv);
    spsolve::check_output();
    return static_cast<int>(code);
  } catch (...) {
    const spsolve::Failure failure = spsolve::current_failure();
    std::cerr << "spmtx: " << failure.message << "\n";
    return static_cast<int>(failure.code);
  }
}
