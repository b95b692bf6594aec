"""spbench eliminate: dense and sparse systems, compared with the solvers of other houses."""

import json
import unittest

from support import (BIN, CliTest, INPUT, PLOT, RESOURCES, SOLVED, python_with_matplotlib, why_no_gpu)


class Eliminate(CliTest):
    def test_rows_beside_the_peer(self):
        result = self.run_program(BIN / "spbench", "eliminate", "--n", "40,61", "--methods",
                                  "lu,gauss_jordan", "--block", "8,16", "--samples", "2",
                                  "--threads", "1", "--csv", "e.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        rows = self.rows("e.csv")
        # Two blocks of lu, gauss_jordan once, dgesv.
        self.assertEqual([row["method"] for row in rows], ["lu", "lu", "gauss_jordan", "dgesv"] * 2)
        for row in rows:
            self.assertLess(float(row["backward_error"]), 1e-11)
            self.assertGreater(float(row["gflops"]), 0)
            self.assertEqual(row["speedup"] == "", row["method"] == "dgesv")

    def test_mixed_precision_and_where_the_time_went(self):
        result = self.run_program(BIN / "spbench", "eliminate", "--n", "90", "--precision",
                                  "double,mixed", "--shift", "2", "--condition", "--samples", "2",
                                  "--threads", "1", "--csv", "e.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        double, mixed, peer = self.rows("e.csv")
        self.assertEqual([double["precision"], mixed["precision"]], ["double", "mixed"])
        self.assertEqual([double["factors"], mixed["factors"]], ["", "float"])
        self.assertGreater(int(mixed["steps"]), 0)
        for row in (double, mixed):
            self.assertEqual(float(row["shift"]), 2)
            self.assertLess(float(row["backward_error"]), 1e-14)
            # 4.8 in the 2-norm; at most n times that in the infinity norm.
            self.assertGreater(float(row["condition"]), 4)
            self.assertLess(float(row["condition"]), 90 * 5)
            parts = [float(row[f"{part}_s"]) for part in ("panel", "exchange", "update", "wait")]
            self.assertLessEqual(max(parts), float(row["eliminate_s"]))
            self.assertGreater(parts[0], 0)
            self.assertGreater(parts[2], 0)
        self.assertEqual(peer["panel_s"], "")

    def over_ranks(self, *arguments):
        return self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2,
                                BIN / "spbench", "eliminate", *arguments)

    def test_over_ranks_with_gpus(self):
        if why_no_gpu():
            self.skipTest(why_no_gpu())
        result = self.over_ranks("--device", "cuda", "--share-gpus", "--n", "65,400", "--precision",
                                 "double,mixed", "--block", "32,48", "--samples", 2, "--condition",
                                 "--transport", "pinned", "--csv", "r.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        rows = self.rows()
        own = [row for row in rows if row["method"] == "lu"]
        self.assertEqual([(row["n"], row["precision"], row["block"]) for row in own],
                         [(n, precision, block) for n in ("65", "400")
                          for precision in ("double", "mixed") for block in ("32", "48")])
        for row in own:
            self.assertEqual((row["ranks"], row["transport"]),
                             ("2", "MPI through pinned host memory"))
            self.assertLess(float(row["backward_error"]), 1e-12)
            self.assertAlmostEqual(float(row["gflops_per_rank"]) * 2, float(row["gflops"]), 3)
            self.assertGreater(float(row["condition"]), 1)
            if row["precision"] == "double":
                self.assertGreater(float(row["update_s"]), 0)

    def test_more_than_the_memory_of_the_gpus(self):
        if why_no_gpu():
            self.skipTest(why_no_gpu())
        result = self.over_ranks("--device", "cuda", "--share-gpus", "--n", 1000000, "--no-peers",
                                 "--samples", 1)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertRegex(result.err, r"n = 1000000 in double takes \S+ TiB of GPU memory on rank 0")

    def test_ranks_want_gpus(self):
        result = self.over_ranks("--n", 10)
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("--device host measures one process, and 2 were started", result.err)
        if why_no_gpu():
            result = self.over_ranks("--n", 10, "--device", "cuda")
            self.assertEqual(result.code, RESOURCES, result.text)
            self.assertIn("there is no GPU here", result.err)

    def test_wrong_words(self):
        for arguments, words in (
                ((), ("--n", "--matrix")),
                (("--n", 4, "--matrix", "grid2d:3"), ("--n", "--matrix")),
                (("--matrix", "grid2d:3", "--block", 4), ("--block", "--n")),
                (("--n", 4, "--methods", "sparse_lu"), ("sparse_lu", "--matrix")),
                (("--matrix", "grid2d:3", "--ordering", "and"), ("did you mean 'amd'?",)),
                (("--n", 4, "--peers", "all"), ("--peers", "--matrix")),
                (("--matrix", "grid2d:3", "--methods", "lv"), ("did you mean 'lu'?",)),
                (("--matrix", "grid2d:3", "--peers", "umfpak"),
                 ("there is no peer 'umfpak'", "did you mean 'umfpack'?")),
                (("--matrix", "grid2d:3", "--methods", "none", "--peers", "none"),
                 ("--methods none --peers none leaves nothing to be measured",)),
                (("--n", 4, "--only-on-all-ranks"), ("--only-on-all-ranks", "--matrix")),
                (("--matrix", "grid2d:3,gird2d:3"), ("did you mean 'grid2d'?",)),
                (("--matrix", "random_sparse:3:4:2"), ("only square matrices",)),
                (("--matrix", "laplacian:none.mtx"), ("none.mtx",))):
            with self.subTest(arguments):
                result = self.spbench("eliminate", *arguments)
                self.assertEqual(result.code, INPUT, result.text)
                for word in words:
                    self.assertIn(word, result.err)
        result = self.run_program(BIN / "spbench", "eliminate", "--n", "10", "--methods", "lv")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("did you mean", result.err)


class EliminateSparse(CliTest):
    SMALL = ("--samples", 2, "--csv", "r.csv", "--json", "r.json")

    def eliminate(self, *arguments, **options):
        result = self.spbench("eliminate", *self.SMALL, *arguments, **options)
        self.assertEqual(result.code, SOLVED, result.text)
        return result

    def peers(self):
        """{name: why it is not here, or ""}, as the help has it."""
        lines = self.spbench("eliminate", "--help").out.partition("\nPeers:\n")[2].splitlines()
        words = [line.partition("; not here: ") for line in lines[:7]]
        return {before.split()[0]: why for before, _, why in words}

    def test_own_methods_and_peers_stand_in_the_same_columns(self):
        missing = self.peers()
        self.assertEqual(list(missing), ["cholmod", "umfpack", "mumps", "pardiso",
                                         "pardiso_pattern", "cudss", "cudss_lu"])
        result = self.eliminate("--matrix", "grid2d:20,kkt:60", "--matrix", "convdiff3d:4", "--methods",
                                "sparse_lu,gauss", "--peers", ",".join(missing), "--threads", 2)
        rows = self.rows()
        self.assertEqual([(row["matrix"], row["contender"]) for row in rows],
                         [(matrix, name) for matrix in ("grid2d:20", "kkt:60", "convdiff3d:4")
                          for name in ("sparse_lu", "gauss", *missing)])
        for row in rows:
            with self.subTest(f"{row['contender']} on {row['matrix']}"):
                if row["contender"] == "cholmod" and row["matrix"] != "grid2d:20":
                    row["refused"] = row["refused"] or self.fail("not refused")
                if row["refused"]:
                    self.assertEqual(row["factor_s"], "")
                    self.assertIn(row["refused"], result.out)
                    if missing.get(row["contender"]):
                        self.assertEqual(row["refused"], missing[row["contender"]])
                    elif row["contender"] == "pardiso_pattern":
                        self.assertEqual(row["refused"], "it is for unsymmetric matrices of a "
                                         "symmetric pattern")
                    continue
                self.assertEqual(row["samples"], "2")
                self.assertEqual(row["threads"], "2")
                for name in ("analyse_s", "factor_s", "refactor_s", "solve_s", "solve16_s"):
                    self.assertGreaterEqual(float(row[name]), 0, name)
                self.assertGreater(float(row["factor_s"]), 0)
                self.assertLess(float(row["backward_error"]), 1e-13)
                self.assertGreater(float(row["factor_nonzeros"]), int(row["n"]))
        measured = {name for name in missing
                    if any(row["contender"] == name and not row["refused"] for row in rows)}
        self.assertEqual(measured, {name for name, why in missing.items() if not why})
        document = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(len(document["rows"]), len(rows))
        self.assertEqual({line["contender"] for line in document["summary"]},
                         ({"sparse_lu", "gauss"} | measured) if measured else set())
        for line in document["summary"]:
            of_some = line["contender"] in ("cholmod", "pardiso_pattern")
            self.assertEqual(line["matrices"], 1 if of_some else 3)
        self.assertEqual("geometric means" in result.out, bool(measured))

    def test_complex_systems(self):
        missing = self.peers()
        kinds = {"zhelm2d:20": ("complex symmetric", "LDL^T"),
                 "magnetic2d:20": ("Hermitian with a positive diagonal", "LL^T"),
                 "zconvdiff2d:20": ("complex", "LU")}
        result = self.eliminate("--matrix", ",".join(kinds), "--methods", "auto,lu", "--peers",
                                ",".join(missing), "--threads", 2, "--systems", 2)
        rows = self.rows()
        self.assertEqual([(row["matrix"], row["contender"]) for row in rows],
                         [(matrix, name) for matrix in kinds for name in ("auto", "lu", *missing)])
        not_for = {"cholmod": ("zhelm2d:20", "zconvdiff2d:20"),
                   "pardiso_pattern": ("zhelm2d:20", "magnetic2d:20")}
        for row in rows:
            with self.subTest(f"{row['contender']} on {row['matrix']}"):
                kind, factors = kinds[row["matrix"]]
                self.assertIn(f"{row['matrix']}: n = 400, 1920 non-zeros, {kind}\n", result.out)
                self.assertEqual((row["n"], row["nonzeros"]), ("400", "1920"))
                if missing.get(row["contender"]):
                    self.assertEqual(row["refused"], missing[row["contender"]])
                elif row["matrix"] in not_for.get(row["contender"], ()):
                    self.assertRegex(row["refused"], "^it is for ")
                else:
                    self.assertEqual((row["refused"], row["systems"]), ("", "2"))
                    self.assertLess(float(row["backward_error"]), 1e-14)
                    self.assertLess(float(row["componentwise_error"]), 1e-12)
                if row["contender"] in ("auto", "pardiso") and not row["refused"]:
                    self.assertEqual(row["factors"], factors)
        self.eliminate("--matrix", "zcircuit2d:12", "--methods", "sparse_ldlt,sparse_cholesky",
                       "--peers", "none")
        ldlt, cholesky = self.rows()
        self.assertEqual((ldlt["factors"], ldlt["total_speedup"]), ("LDL^T", ""))
        self.assertLess(float(ldlt["backward_error"]), 1e-14)
        self.assertIn("positive definite", cholesky["refused"])

    def test_a_complex_matrix_beside_its_real_form(self):
        self.run_program(BIN / "spmtx", "convert", "zconvdiff2d:15", "form.npz", "--real-form")
        (self.folder / "order.txt").write_text("\n".join(str(i) for i in range(225, 0, -1)))
        self.eliminate("--matrix", "zconvdiff2d:15,form.npz", "--methods", "sparse_lu", "--peers",
                       "none", "--ordering", "natural")
        of_complex, of_real = self.rows()
        self.assertEqual((of_complex["n"], of_real["n"]), ("225", "450"))
        self.assertEqual(int(of_real["nonzeros"]), 4 * int(of_complex["nonzeros"]))
        for row in (of_complex, of_real):
            self.assertLess(float(row["backward_error"]), 1e-14)
        self.eliminate("--matrix", "zconvdiff2d:15", "--methods", "sparse_lu", "--peers", "none",
                       "--ordering", "order.txt")
        self.assertLess(float(self.rows()[0]["backward_error"]), 1e-14)
        for systems, words in (("form.npz", "is complex, and the other is real"),
                               ("zconvdiff2d:14", "another pattern")):
            result = self.eliminate("--matrix", "zconvdiff2d:15", "--methods", "sparse_lu",
                                    "--peers", "none", "--systems", systems)
            self.assertIn(words, result.out)

    def test_a_sequence_of_systems(self):
        result = self.eliminate("--matrix", "grid2d:40", "--methods", "sparse_cholesky,sparse_lu",
                                "--peers", "none", "--systems", 20)
        self.assertIn("systems s", result.out)
        for row in self.rows():
            self.assertEqual(row["systems"], "20")
            # Twenty eliminations and solves, and one analysis.
            self.assertGreater(float(row["sequence_s"]), float(row["analyse_s"]))
            self.assertLess(float(row["backward_error"]), 1e-13)
        self.eliminate("--matrix", "ipm_flow:50:1", "--methods", "sparse_ldlt", "--peers", "none",
                       "--systems", "ipm_flow:50:1..3,ipm_flow:50:100")
        row, = self.rows()
        self.assertEqual((row["systems"], row["refused"]), ("4", ""))
        self.assertGreater(float(row["sequence_s"]), float(row["sequence_factor_s"]))
        self.assertLess(float(row["backward_error"]), 1e-8)
        for matrix, systems, words in (("grid2d:4,grid2d:5", "grid2d:4", "systems of one pattern"),
                                       ("grid2d:4", "no_such.mtx", "no_such.mtx"),
                                       ("grid2d:4", "ipm_flow:9:3..1", "no number")):
            result = self.spbench("eliminate", "--matrix", matrix, "--systems", systems)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(words, result.err)
        self.eliminate("--matrix", "grid2d:4", "--peers", "none")
        row, = self.rows()
        self.assertEqual((row["systems"], row["sequence_s"]), ("0", ""))
        # Other values of a symmetric matrix are symmetric, bit for bit.
        self.eliminate("--matrix", "kkt:3000", "--methods", "sparse_ldlt", "--peers", "none",
                       "--systems", 2)
        row, = self.rows()
        self.assertEqual(row["refused"], "")

    def test_a_peer_that_is_not_here(self):
        result = self.eliminate("--matrix", "grid2d:4", "--peers", "pardiso",
                                environment={"MKL_RT": "/no/libmkl_rt.so"})
        if "pardiso" in [row["contender"] for row in self.rows() if not row["refused"]]:
            self.skipTest("MKL is on the loader's path here")
        self.assertRegex(result.out, r"(?m)^refused: pardiso: /no/libmkl_rt\.so: .*MKL_RT")
        self.assertEqual([row["contender"] for row in self.rows()], ["auto", "pardiso"])
        result = self.eliminate("--matrix", "grid2d:4", "--peers", "all",
                                environment={"MKL_RT": "/no/libmkl_rt.so"})
        self.assertRegex(result.out, r"(?m)^not here: pardiso: /no/libmkl_rt\.so: ")
        self.assertNotIn("pardiso", [row["contender"] for row in self.rows()])

    def test_umfpack_on_a_grid(self):
        if self.peers()["umfpack"]:
            self.skipTest("UMFPACK is not here (Debian: libumfpack5)")
        self.eliminate("--matrix", "grid2d:20", "--methods", "lu", "--peers", "umfpack")
        own, peer = self.rows()
        self.assertEqual((own["factors"], own["peer"]), ("lu", "false"))
        self.assertEqual((peer["factors"], peer["peer"]), ("LU", "true"))
        self.assertEqual(float(peer["total_speedup"]), 1)
        self.assertAlmostEqual(float(own["factor_speedup"]) * float(own["factor_s"]),
                               float(peer["factor_s"]), 12)
        self.assertLess(float(peer["factor_nonzeros"]), float(own["factor_nonzeros"]))

    def test_indefinite_matrices_are_found_out(self):
        self.eliminate("--matrix", "helmholtz2d:9", "--methods", "none", "--peers",
                       "mumps,cholmod,pardiso")
        for row in self.rows():
            if row["contender"] == "cholmod" and not self.peers()["cholmod"]:
                self.assertEqual(row["refused"], "it is for positive definite matrices")
            elif not row["refused"]:
                self.assertEqual(row["factors"], "LDL^T")
                self.assertLess(float(row["backward_error"]), 1e-13)

    def test_what_does_not_fit_is_refused(self):
        result = self.eliminate("--matrix", "tridiagonal:1000000", "--methods", "lu", "--peers",
                                "none")
        self.assertRegex(result.out, r"refused: lu: it needs \S+ TiB, and \S+ GiB are free")

    def test_over_ranks(self):
        if self.peers()["mumps"]:
            self.skipTest("MUMPS is not here (Debian: libmumps-5.5)")
        result = self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2,
                                  BIN / "spbench", "eliminate", *self.SMALL, "--matrix",
                                  "convdiff3d:5", "--peers", "mumps,umfpack", "--threads", 2)
        self.assertEqual(result.code, SOLVED, result.text)
        rows = [row for row in self.rows() if row["contender"] != "umfpack"]
        self.assertEqual([(row["contender"], row["threads"], row["ranks"]) for row in rows],
                         [("auto", "2", "1"), ("auto", "1", "2"), ("mumps", "2", "1"),
                          ("mumps", "1", "2")], result.text)
        for row in rows[:2]:
            self.assertLess(float(row["backward_error"]), 1e-13)
        for row in rows[2:]:
            if row["refused"]:
                self.skipTest(f"MUMPS fails here: {row['refused']}")
            self.assertLess(float(row["backward_error"]), 1e-13)

    def test_complex_systems_over_ranks(self):
        def eliminate(*arguments):
            result = self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2,
                                      BIN / "spbench", "eliminate", *self.SMALL, "--threads", 2,
                                      *arguments)
            self.assertEqual(result.code, SOLVED, result.text)
            return self.rows()
        rows = eliminate("--matrix", "zhelm2d:21,magnetic2d:13,zconvdiff2d:13", "--peers", "none",
                         "--methods", "auto,lu", "--systems", 2)
        self.assertEqual([(row["contender"], row["ranks"]) for row in rows],
                         [("auto", "1"), ("auto", "2"), ("lu", "1"), ("lu", "2")] * 3)
        for row in rows:
            self.assertEqual(row["refused"], "")
            self.assertLess(float(row["backward_error"]), 1e-14)
        if self.peers()["mumps"]:
            self.skipTest("MUMPS is not here (Debian: libmumps-5.5)")
        for row in eliminate("--matrix", "zhelm2d:21,magnetic2d:13", "--methods", "none", "--peers",
                             "mumps"):
            if row["refused"]:
                self.skipTest(f"MUMPS fails here: {row['refused']}")
            self.assertEqual(row["factors"], "LDL^T" if row["matrix"] == "zhelm2d:21" else "LU")
            self.assertLess(float(row["backward_error"]), 1e-14)

    def test_only_on_all_ranks(self):
        def eliminate(*arguments):
            return self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2,
                                    BIN / "spbench", "eliminate", *self.SMALL, "--matrix",
                                    "convdiff3d:5", "--only-on-all-ranks", "--threads", 2,
                                    *arguments)
        result = eliminate("--methods", "sparse_lu", "--peers", "umfpack")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual([(row["contender"], row["threads"], row["ranks"]) for row in self.rows()],
                         [("sparse_lu", "1", "2")], result.text)
        self.assertLess(float(self.rows()[0]["backward_error"]), 1e-13)
        result = eliminate("--methods", "none", "--peers", "umfpack")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("--only-on-all-ranks, of these methods and peers, leaves nothing to be "
                      "measured", result.err)

    def test_pictures(self):
        python = python_with_matplotlib()
        if python is None:
            self.skipTest("matplotlib is not here (Debian: python3-matplotlib)")
        self.eliminate("--matrix", "grid2d:9,circuit:70", "--methods", "lu,gauss")
        expected = ["eliminate_seconds.png"]
        if any(row["peer"] == "true" and not row["refused"] for row in self.rows()):
            expected.append("eliminate_speedup.png")
        environment = {"MPLCONFIGDIR": str(self.folder / "matplotlib")}
        result = self.run_program(python, PLOT, "r.csv", "--output", "pictures",
                                  environment=environment)
        self.assertEqual(result.code, SOLVED, result.text)
        drawn = sorted((self.folder / "pictures").iterdir())
        self.assertEqual([file.name for file in drawn], expected)
        for file in drawn:
            self.assertGreater(len(file.read_bytes()), 8000)


if __name__ == "__main__":
    unittest.main()
