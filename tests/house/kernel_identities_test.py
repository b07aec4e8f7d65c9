"""cmake/KernelIdentities.cmake: the identity of a family of kernels follows its own sources, not those of others."""
import pathlib
import re
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "KernelIdentities.cmake"
FAMILIES = """# comment
panels   : device/cpu/kernels/panel.cpp ops/conv_panels_cpu.cpp
onednn:* : device/cpu/onednn/*.cpp
evaluate : ops/*.cpp
"""
SOURCES = {
    "device/cpu/kernels/panel.cpp": '#include "device/cpu/kernels/panel.h"\nint panel() { return 1; }\n',
    "device/cpu/kernels/panel.h": '#include "device/cpu/kernels/shared.h"\nint panel();\n',
    "device/cpu/kernels/panel_test.cpp": "int test();\n",
    "device/cpu/kernels/shared.h": "inline int shared = 1;\n",
    "device/cpu/onednn/glue.cpp": '#include "device/cpu/kernels/shared.h"\nint glue() { return 2; }\n',
    "ops/conv.cpp": "int conv() { return 3; }\n",
    "ops/conv_panels_cpu.cpp": "int conv_panels() { return 4; }\n",
}
EVERYTHING = {"panels", "onednn:*", "evaluate", "*"}


def identities(changes=None, families=FAMILIES, setting="GCC -O3"):
    """The hashes, by implementation, of a folder with these sources."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**SOURCES, **(changes or {})}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (root / "families.txt").write_text(families)
        (root / "setting").write_text(setting)
        subprocess.run(["cmake", "-D", f"ROOT={root}", "-D", f"FAMILIES={root / 'families.txt'}", "-D",
                        f"SETTING={root / 'setting'}", "-D", f"OUTPUT={root / 'made.cpp'}", "-P", SCRIPT], check=True)
        return dict(re.findall(r'\{"(.*)", "([0-9a-f]{12})"\}', (root / "made.cpp").read_text()))


def changed(before, after):
    return {name for name in before if before[name] != after[name]}


class KernelIdentities(unittest.TestCase):
    def setUp(self):
        self.before = identities()
        self.assertEqual(set(self.before), EVERYTHING)

    def expect_changed(self, wanted, *arguments, **options):
        self.assertEqual(changed(self.before, identities(*arguments, **options)), set(wanted))

    def test_the_same_sources_elsewhere_are_the_same(self):
        self.expect_changed([])

    def test_a_source_changes_its_own_family(self):
        self.expect_changed({"panels", "*"}, {"device/cpu/kernels/panel.cpp": "int panel() { return 7; }\n"})
        self.expect_changed({"onednn:*", "*"}, {"device/cpu/onednn/glue.cpp": "int glue() { return 7; }\n"})
        self.expect_changed({"panels", "*"}, {"ops/conv_panels_cpu.cpp": "int conv_panels() { return 7; }\n"})
        self.expect_changed({"evaluate"}, {"ops/conv.cpp": "int conv() { return 7; }\n"})

    def test_a_header_changes_the_families_that_include_it(self):
        self.expect_changed({"panels", "*"}, {"device/cpu/kernels/panel.h": "int panel();\nint more();\n"})
        self.expect_changed({"panels", "onednn:*", "*"}, {"device/cpu/kernels/shared.h": "inline int shared = 2;\n"})

    def test_comments_and_tests_change_nothing(self):
        self.expect_changed([], {"device/cpu/kernels/shared.h": "// Why.\ninline int shared = 1;  // How.\n\n"})
        self.expect_changed([], {"device/cpu/kernels/panel_test.cpp": "int other_test();\n"})

    def test_a_source_that_no_family_names_is_in_all(self):
        self.expect_changed(EVERYTHING, {"device/cpu/kernels/new.cpp": "int n();\n"})

    def test_sources_may_decide_no_times(self):
        self.expect_changed([], {"device/cpu/kernels/new.cpp": "int n();\n"},
                            families=FAMILIES + "none : device/cpu/kernels/new.cpp\n")

    def test_flags_change_all(self):
        self.expect_changed(EVERYTHING, setting="GCC -O2")

    def test_a_family_without_sources_is_refused(self):
        with self.assertRaises(subprocess.CalledProcessError):
            identities(families=FAMILIES + "winograd : device/cpu/kernels/winograd.cpp\n")


if __name__ == "__main__":
    unittest.main()
