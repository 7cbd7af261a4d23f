#!/usr/bin/env python3
"""Tests of the include rules."""

import unittest

import include_rules
import text_rules


class IncludeRules(unittest.TestCase):
    ROWS = [
        ("api/objects.h", "base/result.h", True),
        ("base/result.h", "api/objects.h", False),
        ("framework/status.h", "state/node_view.h", True),
        ("state/node_view.h", "framework/status.h", False),
        ("scheduler/cycle.cc", "plugins/registry.h", False),
        ("scheduler/cycle.cc", "queue/active.h", True),
        ("plugins/node_name/node_name.cc", "plugins/common/x.h", True),
        ("plugins/node_name/node_name.cc", "plugins/node_ports/node_ports.h", False),
        ("plugins/node_name/node_name.cc", "plugins/node_name/node_name.h", True),
        ("plugins/node_name/node_name.cc", "plugins/registry.h", False),
        ("plugins/node_name/node_name.cc", "scheduler/cycle.h", False),
        ("plugins/registry.cc", "plugins/node_name/node_name.h", True),
        ("app/cli/main.cc", "base/result.h", True),
        ("app/cli/main.cc", "plugins/registry.h", True),
        ("report/table.cc", "app/cli/main.h", False),
        ("report/table.cc", "table.h", False),
        ("state/a.h", "elsewhere/b.h", False),
    ]

    def test_rows(self):
        for source, target, allowed in self.ROWS:
            with self.subTest(f"{source} -> {target}"):
                self.assertEqual(include_rules.problem(source, target) is None, allowed)


class Words(unittest.TestCase):
    def test_machine_paths(self):
        for text, found in [("cd /ro" "ot/x", True), ('"/ho' 'me/me"', True), ("$dir/work", False), ("a/root/b", False), ("/rooted", False)]:
            with self.subTest(text):
                self.assertEqual(bool(text_rules.MACHINE_PATH.search(text)), found)


if __name__ == "__main__":
    unittest.main()
