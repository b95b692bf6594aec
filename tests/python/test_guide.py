"""The Python session of docs/sessions.md, run as it is printed."""

import doctest
import pathlib
import unittest

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "sessions.md"


class Guide(unittest.TestCase):
    def test_the_session(self):
        text = GUIDE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
        session = doctest.DocTestParser().get_doctest(text, {}, "docs/sessions.md", str(GUIDE), 0)
        self.assertGreater(len(session.examples), 15)
        said = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        self.assertEqual(runner.run(session, out=said.append).failed, 0, "".join(said))


if __name__ == "__main__":
    unittest.main()
