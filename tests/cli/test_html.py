"""output.html and spmtx plot: whole pages with their pictures in them."""

import html.parser
import re
import unittest
import xml.etree.ElementTree

from support import CliTest, INPUT, RESOURCES, SOLVED

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br"}


class Balanced(html.parser.HTMLParser):
    """Notes every tag that is closed in the wrong order, and all text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.problems, self.words, self.links = [], [], [], []
        self.feed(page)
        self.problems += self.open

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)

    def handle_data(self, data):
        self.words.append(data.strip())


def pictures(page):
    """{title: element} of every picture; each must be XML of its own."""
    found = {}
    for text in re.findall(r"<svg .*?</svg>", page, re.DOTALL):
        element = xml.etree.ElementTree.fromstring(text)
        found[element.find(f"{SVG}title").text] = element
    return found


class Pages(CliTest):
    def page(self, *settings, ranks=2):
        words = [word for setting in settings for word in ("--set", setting)]
        self.write("c.yaml", 'matrix: "grid2d:9"\noutput: {html: r.html, report: report.json}\n')
        result = self.spsolve("c.yaml", *words, ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        page = (self.folder / "r.html").read_text()
        checked = Balanced(page)
        self.assertEqual(checked.problems, [])
        self.assertEqual(checked.links, [], "the page must open without any other file")
        return page, checked

    def test_a_solve(self):
        page, checked = self.page()
        report = self.report()
        drawn = pictures(page)
        self.assertEqual([title.split(":")[0] for title in drawn],
                         ["Time", "Memory", "Where the 369 non-zeros lie",
                          "Backward error by refinement", "Rows by length"])
        for place in report["rank_table"]:
            held = place["peak_memory_bytes"] / 2**20
            self.assertTrue(any(words.startswith(f"{held:.2f} MiB, planned ")
                                for words in checked.words), checked.words)
        # What was solved and how far it can be trusted comes first, fields at the end.
        order = [page.index(part) for part in
                 (">solved</span>", "of x are right", "How far x can be trusted", "<svg",
                  "<details>", "report_version")]
        self.assertEqual(order, sorted(order))
        self.assertIn(report["summary"], checked.words)
        for kind in ("(max-width:", "(prefers-color-scheme: dark)", "print"):
            self.assertIn(f"@media {kind}", page)
        settings = page.split("Configuration:")[1].split("</details>")[0]
        self.assertIn("matrix.generate", settings)
        self.assertNotIn("solve.method", settings)  # as it is by default
        for phase in report["seconds"]:
            self.assertIn(f"seconds.{phase}.max", checked.words)
        self.assertIn(str(report["matrix"]["nonzeros"]), checked.words)
        self.assertIn("solved", checked.words)
        history = report["refinement"]["history"]
        self.assertEqual(len(history), report["refinement"]["sweeps"] + 1)
        self.assertEqual(history[-1]["backward_error"], report["backward_error"])
        self.assertEqual(history[0]["componentwise_error"],
                         report["refinement"]["componentwise_error_before"])
        circles = list(drawn["Backward error by refinement"].iter(f"{SVG}circle"))
        self.assertEqual(len(circles), 2 * len(history))
        # 81 x 81 cells, one for each element.
        cells = "".join(path.get("d") for path in drawn["Where the 369 non-zeros lie"].iter(
            f"{SVG}path"))
        self.assertEqual(cells.count("M"), 369)
        self.assertIn("M80 80h1v1h-1z", cells)

    def test_a_sparse_solve(self):
        for method, entries_above in (("sparse_cholesky", False), ("sparse_lu", True)):
            with self.subTest(method):
                page, checked = self.page(f"solve.method={method}")
                sparse = self.report()["sparse"]
                drawn = pictures(page)
                titles = ("In the order of elimination",
                          f"Its factors: {sparse['factor_entries']} entries")
                cells = {}
                for title in titles:  # 81 x 81 cells, one for each element
                    paths = "".join(path.get("d") for path in drawn[title].iter(f"{SVG}path"))
                    cells[title] = re.findall(r"M(\d+) (\d+)", paths)
                self.assertEqual(len(cells[titles[0]]), 369)
                self.assertEqual(len(cells[titles[1]]), sparse["factor_entries"])
                self.assertEqual(any(int(x) > int(y) for x, y in cells[titles[1]]), entries_above)
                # A label and a note for each level; the title and its second line are texts, too.
                levels = sparse["levels"]
                bars = drawn["Work by level of the elimination tree"]
                self.assertEqual(len(list(bars.iter(f"{SVG}text"))), 2 + 2 * len(levels))
                self.assertEqual(sum(level["fronts"] for level in levels), sparse["fronts"])
                self.assertAlmostEqual(sum(level["flops"] for level in levels) / sparse["flops"], 1)
                for number, level in enumerate(levels):
                    self.assertIn(f"level {number}", checked.words)
                    self.assertTrue(any(words.endswith(f" {level['largest_front']} rows")
                                        for words in checked.words), level)

    def test_a_product(self):
        page, checked = self.page("task=multiply", "multiply.verify=true")
        self.assertNotIn("Backward error by refinement", pictures(page))
        self.assertIn("Time of a product", pictures(page))
        self.assertIn("errors.largest", checked.words)

    def test_notes_and_names_are_text(self):
        self.write("a<b>.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        page, checked = self.page("matrix=a<b>.mtx")
        self.assertNotIn("<b>", page)
        self.assertTrue(any("a<b>.mtx" in words for words in checked.words))

    def test_nowhere_to_write(self):
        self.write("c.yaml", 'matrix: "grid2d:9"\noutput: {html: no/such/r.html}\n')
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertIn("no/such/r.html", result.err)


class Plots(CliTest):
    def test_pattern_and_rows(self):
        for arguments, title in ((("p.svg",), "Where the 13 non-zeros lie"),
                                 (("p.svg", "--rows"), "Rows by length")):
            with self.subTest(arguments):
                result = self.spmtx("plot", "tridiagonal:5", *arguments)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertEqual(list(pictures((self.folder / "p.svg").read_text())), [title])
        result = self.spmtx("plot", "power_law:3000:5", "p.html")
        self.assertEqual(result.code, SOLVED, result.text)
        page = (self.folder / "p.html").read_text()
        self.assertEqual(Balanced(page).problems, [])
        self.assertEqual(len(pictures(page)), 2)

    def test_other_endings_are_refused(self):
        result = self.spmtx("plot", "tridiagonal:5", "p.png")
        self.assertEqual(result.code, INPUT)
        self.assertIn(".svg", result.err)


if __name__ == "__main__":
    unittest.main()
