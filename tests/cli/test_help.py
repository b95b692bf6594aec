"""Help by topic, manual pages and completions, all made from the programs' own tables."""

import re
import shutil
import unittest

from support import BIN, CliTest, INPUT, SOLVED

PROGRAMS = ("spsolve", "spmtx", "spbench")


class HelpTest(CliTest):
    def program(self, name, *arguments):
        return self.run_program(BIN / name, *arguments)

    def generated(self, name, what):
        result = self.program(name, "--generate", what)
        self.assertEqual(result.code, SOLVED, result.text)
        return result.out


class Topics(HelpTest):
    def test_a_section_a_key_and_the_rest(self):
        for topic, words, others in (
                ("solve", ("solve.method", "solve.block", "auto|gauss"), ("matrix.file", "threads")),
                ("solve.method", ("gauss_jordan",), ("solve.block",)),
                ("threads", ("threads per rank",), ("device",)),
                ("matrix", ("in short:", "matrix.rotate_rows"), ("solve.",)),
                ("configuration", ("matrix.file", "output.html"), ()),
                ("report", ("backward_error", "seconds.*.max"), ("solve.method",)),
                ("generators", ("grid2d:N",), ("csr_",)),
                ("kernels", ("csr_openmp", "symmetric_colored"), ("grid2d",)),
                ("exit-codes", ("0  solved", "4  a defect", "5  stopped"), ())):
            with self.subTest(topic):
                result = self.spsolve("--help", topic, ranks=2)
                self.assertEqual(result.code, SOLVED, result.text)
                for word in words:
                    self.assertIn(word, result.out)
                self.assertEqual(result.out.count(words[0]), self.program(
                    "spsolve", "--help", topic).out.count(words[0]), "once, whatever the ranks")
                for word in others:
                    self.assertNotIn(word, result.out)

    def test_unknown_topics(self):
        result = self.spsolve("--help", "solv", ranks=2)
        self.assertEqual(result.code, INPUT)
        self.assertIn("did you mean 'solve'?", result.err)
        result = self.program("spsolve", "--help", "xyzzy")
        self.assertEqual(result.code, INPUT)
        self.assertIn("exit-codes", result.err)

    def test_help_names_all_topics_and_each_answers(self):
        topics = re.search(r"Topics: (.*), and every key", self.program("spsolve", "--help").out)
        for topic in topics.group(1).split(", "):
            self.assertEqual(self.program("spsolve", "--help", topic).code, SOLVED, topic)

    def test_subcommands_are_topics(self):
        self.assertIn("--timing", self.program("spmtx", "--help", "info").out)
        self.assertIn("--samples", self.program("spbench", "--help", "multiply").out)


class Manuals(HelpTest):
    def test_they_name_every_option_and_key(self):
        page = self.generated("spsolve", "man").replace("\\-", "-")
        for word in ("--dry-run", "--set", "solve.method", "output.html", "backward_error", "1  the"):
            self.assertIn(word, page)
        for name in ("info", "plot", "generate"):
            self.assertIn(f".SH SPMTX {name}", self.generated("spmtx", "man"))

    def test_roff_has_nothing_to_complain_about(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        for name in PROGRAMS:
            with self.subTest(name):
                self.write("page.1", self.generated(name, "man"))
                result = self.run_program("groff", "-man", "-ww", "-Tascii", "page.1")
                self.assertEqual((result.code, result.err), (0, ""))
                longest = max(len(re.sub(r"\x1b\[[0-9;]*m|.\x08", "", line))
                              for line in result.out.splitlines())
                self.assertLessEqual(longest, 80)

    def test_unknown_text(self):
        for name in PROGRAMS:
            result = self.program(name, "--generate", "poem")
            self.assertEqual(result.code, INPUT)
            self.assertIn("man, bash", result.err)


class Completions(HelpTest):
    def complete(self, name, *words):
        """What bash offers for the last of `words`, split as bash splits them."""
        self.write("completion.bash", self.generated(name, "bash"))
        quoted = " ".join(f"'{word}'" for word in (name, *words))
        result = self.run_program(
            "bash", "-uc", f"source completion.bash; COMP_WORDS=({quoted}); "
            f"COMP_CWORD={len(words)}; _{name}; printf '%s\\n' \"${{COMPREPLY[@]-}}\"")
        self.assertEqual((result.code, result.err), (0, ""))
        return result.out.split()

    def test_bash(self):
        self.write("a.yaml", "")
        for name, words, expected in (
                ("spsolve", ("--dry",), ["--dry-run"]),
                ("spsolve", ("a.y",), ["a.yaml"]),
                ("spsolve", ("a.yaml", "--set", "solve.me"), ["solve.method="]),
                ("spsolve", ("--set", "solve.method", "=", "ga"), ["gauss", "gauss_jordan"]),
                ("spsolve", ("--set", "multiply.verify", "="), ["false", "true"]),
                ("spsolve", ("--set", "matrix.file", "=", "a."), ["a.yaml"]),
                ("spsolve", ("--help", "exit"), ["exit-codes"]),
                ("spsolve", ("--generate", "b"), ["bash"]),
                ("spmtx", ("pl",), ["plot"]),
                ("spmtx", ("plot", "--ro"), ["--rows"]),
                ("spmtx", ("info", "--ti"), ["--timing"]),
                ("spmtx", ("info", "--ro"), []),
                ("spbench", ("multiply", "--prec"), ["--precision"]),
                ("spbench", ("multiply", "--device", "c"), ["cuda"])):
            with self.subTest(words):
                self.assertEqual(self.complete(name, *words), expected)

    def test_bash_offers_every_kernel(self):
        rows = [line.split() for line in self.program("spbench", "--list-kernels").out.splitlines()]
        listed = [row[0] for row in rows if row[1] == "host"]
        self.assertEqual(sorted(self.complete("spsolve", "--set", "multiply.kernel", "=", "")),
                         sorted(listed))


if __name__ == "__main__":
    unittest.main()
