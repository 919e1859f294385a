#!/usr/bin/env python3
"""plugins.config of the descriptions: menu.py TAMIS >plugins.config. Every operation on an image has a command."""

import json
import subprocess
import sys

# These are the menu itself; all others are in a menu of their own, More.
FIRST = ["granulometry", "thickness", "porosimetry", "orientation", "deskew", "threshold", "median"]

described = json.loads(subprocess.run([sys.argv[1], "operations", "--json"], capture_output=True, check=True).stdout)
taking = [operation["name"] for operation in described["operations"] if operation["takes"]]
print("# Name of the menu, name of the command, class. Macros know the command by its name.")
for name in FIRST + [name for name in taking if name not in FIRST]:
    place = "Plugins>tamis" if name in FIRST else "Plugins>tamis>More"
    print(f'{place}, "tamis {name.replace("_", " ")}...", tamis.imagej.Command("{name}")')
