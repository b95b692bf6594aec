#include "io/order_file.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/test_matrices.hpp"
#include "io/files/gzip.hpp"

namespace spsolve {
namespace {

struct OrderFile {
  const char* name;
  std::string text;
  std::vector<LocalIndex> order;  ///< of 4 rows, where the file is good
  std::string complaint;          ///< after the file's name, where it is not
};

void PrintTo(const OrderFile& file, std::ostream* out) {
  *out << file.name;
}

const std::string banner = "%%MatrixMarket matrix array integer general\n";
const std::vector<LocalIndex> good = {2, 0, 3, 1};

const std::vector<OrderFile> files = {
    {"plain", "3\n1\n4\n2\n", good, ""},
    {"no_last_line_end", "3\n1\n4\n2", good, ""},
    {"comments_and_blanks", "% an order\n\n3\n  1\t\n%4\n4\r\n \n2\n%\n", good, ""},
    {"matrix_market", banner + "% an order\n4 1\n3\n1\n\n4\n2\n", good, ""},
    {"compressed", io::deflate_gzip("3\n1\n4\n2\n"), good, ""},
    {"empty", "", {}, ": is empty, and should be an order of elimination; check its name"},
    {"no_number",
     "3\n1\nx\n2\n",
     {},
     ":3: expected the number of a row, from 1 to 4, found 'x'; write one number a line, in the "
     "order of elimination"},
    {"fraction",
     "3\n1.5\n",
     {},
     ":2: expected the number of a row, from 1 to 4, found '1.5'; write one number a line, in the "
     "order of elimination"},
    {"two_numbers",
     "3 1\n4 2\n",
     {},
     ":1: expected the number of a row, from 1 to 4, found '3 1'; write one number a line, in the "
     "order of elimination"},
    {"numbered_from_0",
     "2\n0\n3\n1\n",
     {},
     ":2: expected the number of a row, from 1 to 4, found '0'; rows are numbered from 1"},
    {"negative",
     "-3\n",
     {},
     ":1: expected the number of a row, from 1 to 4, found '-3'; rows are numbered from 1"},
    {"too_large",
     "% of 5 rows\n3\n5\n1\n4\n2\n",
     {},
     ":3: expected the number of a row, from 1 to 4, found '5'; name the file with the order of "
     "this matrix"},
    {"huge",
     "3\n99999999999999999999999\n",
     {},
     ":2: expected the number of a row, from 1 to 4, found '99999999999999999999999'; name the "
     "file with the order of this matrix"},
    {"named_twice",
     "3\n%\n1\n3\n2\n",
     {},
     ":4: expected a row that no line before it names, found row 3, which line 1 names; name each "
     "row once"},
    {"too_many",
     "3\n1\n4\n2\n2\n",
     {},
     ":5: expected the end of the file after 4 rows, found '2'; name the file with the order of "
     "this matrix"},
    {"too_few",
     "4\n3\n1\n\n",
     {},
     ":4: expected 4 rows, found the end of the file after 3; row 2 is missing: name each row "
     "once"},
    {"bare_returns",
     "3\r1\r4\r2\r",
     {},
     ":1: expected lines that end in LF or CR LF, found '3?1?4?2'; a CR alone, the line end of the "
     "classic Mac, is not supported: convert the line ends"},
    {"matrix",
     "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
     {},
     ":1: expected '%%MatrixMarket matrix array integer general', found '%%MatrixMarket matrix "
     "coordinate real ge...'; an order of elimination is one column of integers"},
    {"other_size",
     banner + "%\n5 1\n3\n1\n4\n2\n5\n",
     {},
     ":3: expected the size line '4 1', found '5 1'; name the file with the order of this matrix"},
    {"two_columns",
     banner + "4 2\n3\n1\n4\n2\n1\n2\n3\n4\n",
     {},
     ":2: expected the size line '4 1', found '4 2'; name the file with the order of this matrix"},
    {"wrong_in_matrix_market",
     banner + "%\n4 1\n3\n3\n",
     {},
     ":5: expected a row that no line before it names, found row 3, which line 4 names; name each "
     "row once"},
};

class OrderFiles : public testing::TestWithParam<OrderFile> {};

TEST_P(OrderFiles, AreReadOrRefusedInOneSentence) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("order.txt", GetParam().text);
  if (GetParam().complaint.empty()) {
    EXPECT_EQ(read_order(path, 4), GetParam().order);
  } else {
    EXPECT_EQ(test::error_of([&] { read_order(path, 4); }), path.string() + GetParam().complaint);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OrderFiles, testing::ValuesIn(files),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(OrderFile, NamesMissingFilesAndFolders) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::error_of([&] { read_order(folder / "none.txt", 4); }),
              testing::HasSubstr("none.txt: cannot be opened"));
  EXPECT_THAT(test::error_of([&] { read_order(folder / ".", 4); }),
              testing::HasSubstr("is a folder; name an order of elimination in it"));
}

}  // namespace
}  // namespace spsolve
