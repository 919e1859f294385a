"""The lines of C++ in the README, in a program of a user: they build, and find the sizes that the program finds."""

import re
import subprocess

from installed_tree import ROOT, run


def test_the_lines_of_the_readme_find_what_the_program_finds(installed, tmp_path):
    (lines,) = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    source = tmp_path / "readme.cpp"
    source.write_text(f"#include <iostream>\n#include <tamis/tamis.hpp>\nint main() {{\n{lines}"
                      "  for (const auto volume : sizes.volume) std::cout << volume << '\\n';\n}\n")
    program = installed.compile(source, tmp_path / "readme", *installed.flags("tamis"))
    tamis = installed.prefix / "bin/tamis"
    run(tamis, "phantom", "foam", tmp_path / "foam.tif", "--size", "40", "--max-radius", "6")
    run(tamis, "granulometry", tmp_path / "foam.tif", "--threshold", "otsu", "--csv", tmp_path / "foam.csv")
    said = subprocess.run([program], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split()
    rows = (tmp_path / "foam.csv").read_text().splitlines()
    column = rows[0].split(",").index("volume")
    assert len(said) > 4 and said == [row.split(",")[column] for row in rows[1:]]
