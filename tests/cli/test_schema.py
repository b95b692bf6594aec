"""The JSON Schemas of configuration and report: they take and refuse what spsolve does. All other
command-line tests check their reports too (support.py)."""

import copy
import json
import unittest

from support import BIN, CliTest, INPUT, ROOT, SOLVED, jsonschema, schema, schema_problems

try:
    import yaml
except ImportError:
    yaml = None

ACCEPTED = (
    {"matrix": "grid2d:5"},
    {"matrix": {"generate": "grid2d:5", "rotate_rows": -2}},
    {"matrix": "grid2d:5", "right_hand_side": "ones", "threads": 1},
    {"matrix": "grid2d:5", "right_hand_side": {"kind": "random", "seed": 0, "columns": 2}},
    {"matrix": "grid2d:5", "solve": {"method": "lu", "refinement": 0, "block": 32}},
    {"matrix": "grid2d:5", "solve": None, "output": {"report": None, "progress": "off"}},
    {"matrix": "grid2d:5", "task": "multiply", "multiply": {"verify": True, "x": "ones"}},
    {"matrix": "grid2d:5", "checkpoint": {"resume": "never", "time_limit": 0}},
    {"matrix": "grid2d:5", "checkpoint": {"directory": "kept", "resume": "require"}},
)
REFUSED = (
    {},
    [],
    {"matrix": 5.5, "task": "solve", "threads": "many"},
    {"matrix": None},
    {"matrix": {}},
    {"matrix": {"file": "a.mtx", "generate": "grid2d:5"}},
    {"matrix": "grid2d:5", "task": "sove"},
    {"matrix": "grid2d:5", "thread": 1},
    {"matrix": "grid2d:5", "threads": -1},
    {"matrix": "grid2d:5", "threads": 1.5},
    {"matrix": "grid2d:5", "threads": "1"},
    {"matrix": "grid2d:5", "solve": "lu"},
    {"matrix": "grid2d:5", "solve": {"methd": "lu"}},
    {"matrix": "grid2d:5", "solve": {"method": None}},
    {"matrix": "grid2d:5", "solve": {"refinement": 101}},
    {"matrix": "grid2d:5", "right_hand_side": {"kind": "file"}},
    {"matrix": "grid2d:5", "right_hand_side": {"kind": "ones", "file": "b.mtx"}},
    {"matrix": "grid2d:5", "multiply": {"verify": 3}},
    {"matrix": "grid2d:5", "output": ["r.json"]},
    {"matrix": "grid2d:5", "checkpoint": {"resume": "require"}},
    {"matrix": "grid2d:5", "checkpoint": {"directory": None, "time_limit": 60}},
    {"matrix": "grid2d:5", "checkpoint": {"directory": "kept", "interval": -1}},
)


class SchemaTest(CliTest):
    def setUp(self):
        super().setUp()
        if jsonschema is None:
            self.fail("the Python package jsonschema is not installed (Debian: "
                      "python3-jsonschema): no report was checked against the schema")


class Configuration(SchemaTest):
    def test_it_agrees_with_the_program(self):
        """JSON is YAML, so the same text goes to both."""
        for expected, cases in ((True, ACCEPTED), (False, REFUSED)):
            for case in cases:
                with self.subTest(case):
                    self.write("c.yaml", json.dumps(case))
                    result = self.run_program(BIN / "spsolve", "c.yaml", "--check")
                    self.assertEqual(result.code, SOLVED if expected else INPUT, result.text)
                    problems = schema_problems("configuration", case)
                    self.assertEqual(problems == [], expected, problems)

    def test_examples_are_configurations(self):
        if yaml is None:
            self.fail("the Python package yaml is not installed (Debian: python3-yaml)")
        files = sorted((ROOT / "configs").glob("*.yaml"))
        self.assertGreater(len(files), 1)
        for file in files:
            with self.subTest(file.name):
                # on and off are words here, and truth values to YAML 1.1.
                value = yaml.load(file.read_text(), Loader=yaml.BaseLoader)
                self.assertEqual(schema_problems("configuration", typed(value)), [])


def typed(value):
    """Texts as the numbers and truth values that YAML 1.2 sees in them."""
    if isinstance(value, dict):
        return {key: typed(inner) for key, inner in value.items()}
    if value in ("true", "false"):
        return value == "true"
    for number in (int, float):
        try:
            return number(value)
        except (TypeError, ValueError):
            pass
    return value


class Report(SchemaTest):
    def made(self, *settings, ranks=2):
        self.write("c.yaml", 'matrix: "grid2d:6"\noutput: {report: report.json}\n')
        words = [word for setting in settings for word in ("--set", setting)]
        result = self.spsolve("c.yaml", *words, ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        return self.report()

    def test_every_task(self):
        for settings in ((), ("solve.method=gauss", "right_hand_side=random"),
                         ("task=multiply",), ("task=multiply", "multiply.verify=true")):
            with self.subTest(settings):
                self.assertEqual(schema_problems("report", self.made(*settings)), [])

    def test_what_does_not_belong_is_refused(self):
        good = self.made()

        def broken(change):
            report = copy.deepcopy(good)
            change(report)
            return schema_problems("report", report)

        self.assertEqual(broken(lambda report: None), [])
        changes = {
            "unknown field": lambda report: report.update(unknown=1),
            "missing field": lambda report: report.pop("backward_error"),
            "field of a product": lambda report: report.update(kernel="auto"),
            "text for a number": lambda report: report.update(gflops="fast"),
            "fraction for a count": lambda report: report.update(ranks=1.5),
            "missing inside": lambda report: report["pivots"].pop("largest"),
            "unknown inside": lambda report: report["seconds"]["read"].update(median=1),
            "another version": lambda report: report.update(report_version=3),
            "another status": lambda report: report.update(status="fine"),
            "configuration": lambda report: report["configuration"]["solve"].pop("method"),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.assertNotEqual(broken(change), [])

    def test_schemas_are_versioned(self):
        for name in ("report", "configuration"):
            self.assertEqual(schema(name).schema["$id"], f"urn:spsolve:{name}:{2 if name == 'report' else 1}")
        self.assertEqual(self.made()["report_version"], 2)


if __name__ == "__main__":
    unittest.main()
