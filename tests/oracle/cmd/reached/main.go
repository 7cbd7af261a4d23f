// Command reached says how much of kube-scheduler a coverage profile ran, per package: of all statements, and of
// those that a list does not call unreachable.
//
//	reached --source DIR --unreachable FILE [--functions] [--statements PACKAGE] PROFILE
//
// DIR is the folder of k8s.io/kubernetes/pkg/scheduler. A line of FILE is PATH:WHAT REASON, where PATH is a file under DIR and WHAT a function
// (Name or Type.Name), a range of lines (12-15, from an if to its brace), * for all, or in backquotes a piece of text: then it is the bodies of the ifs and cases whose
// first line has this text (or the lines around it, if the condition is about err or ok). PATH may be * for all files, or end in /* for those of a folder.
// What is called unreachable and ran nevertheless is an error (exit 1).
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

const module = "k8s.io/kubernetes/pkg/scheduler/"

func main() {
	source := flag.String("source", "", "the folder of k8s.io/kubernetes/pkg/scheduler")
	list := flag.String("unreachable", "", "the list of what cannot be reached")
	functions := flag.Bool("functions", false, "name the reachable functions that never ran")
	statements := flag.String("statements", "", "show the reachable statements that never ran of the packages whose path ends so; all: of every package")
	flag.Parse()
	if err := run(*source, *list, flag.Arg(0), *functions, *statements); err != nil {
		fmt.Fprintln(os.Stderr, "reached:", err)
		os.Exit(1)
	}
}

func run(source, list, profile string, functions bool, statements string) error {
	src := &sources{dir: source, files: map[string]*file{}}
	blocks, err := readProfile(profile)
	if err != nil {
		return err
	}
	rules, err := readRules(list, src)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		for _, r := range rules {
			covers, err := r.covers(src, b)
			if err != nil {
				return err
			}
			if covers {
				b.rule = r
				r.used = true
				break
			}
		}
	}
	printTable(blocks)
	if functions {
		if err := printFunctions(src, blocks); err != nil {
			return err
		}
	}
	if statements != "" {
		if err := printStatements(src, blocks, statements); err != nil {
			return err
		}
	}
	return wrongRules(rules, blocks)
}

// wrongRules tells of rules that the run has shown to be wrong, or that say nothing.
func wrongRules(rules []*rule, blocks []*block) error {
	bad := 0
	for _, b := range blocks {
		if b.rule != nil && b.ran {
			fmt.Printf("ran, but is called unreachable: %s:%d (%s)\n", b.path, b.from.line, b.rule.text)
			bad++
		}
	}
	for _, r := range rules {
		if !r.used {
			fmt.Printf("stands for nothing: %s\n", r.text)
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d faults in the list", bad)
	}
	return nil
}

type count struct{ all, ran, open, openRan int }

func (c *count) add(b *block) {
	c.all += b.statements
	if b.ran {
		c.ran += b.statements
	}
	if b.rule == nil {
		c.open += b.statements
		if b.ran {
			c.openRan += b.statements
		}
	}
}

func percent(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(a)/float64(b))
}

func printTable(blocks []*block) {
	by := map[string]*count{}
	var total count
	for _, b := range blocks {
		dir := filepath.Dir(b.path)
		if by[dir] == nil {
			by[dir] = &count{}
		}
		by[dir].add(b)
		total.add(b)
	}
	var dirs []string
	for d := range by {
		dirs = append(dirs, d)
	}
	sort.Strings(dirs)
	fmt.Printf("%7s %9s %6s  %s\n", "all", "reachable", "missed", "package")
	line := func(c *count, name string) {
		fmt.Printf("%7s %9s %6d  %s\n", percent(c.ran, c.all), percent(c.openRan, c.open), c.open-c.openRan, name)
	}
	for _, d := range dirs {
		line(by[d], strings.TrimPrefix(d, "framework/"))
	}
	line(&total, "total")
}

func printFunctions(src *sources, blocks []*block) error {
	ran := map[string]bool{}
	var order []string
	for _, b := range blocks {
		if b.rule != nil {
			continue
		}
		f, err := src.file(b.path)
		if err != nil {
			return err
		}
		name := b.path + ":" + f.functionAt(b.from.line)
		if _, ok := ran[name]; !ok {
			order = append(order, name)
		}
		ran[name] = ran[name] || b.ran
	}
	fmt.Println()
	for _, name := range order {
		if !ran[name] {
			fmt.Println(name)
		}
	}
	return nil
}

// printStatements shows the source of what never ran.
func printStatements(src *sources, blocks []*block, pkg string) error {
	last, shown := "", 0
	for _, b := range blocks {
		if b.ran || b.rule != nil || b.statements == 0 || (pkg != "all" && !strings.HasSuffix(filepath.Dir(b.path), pkg)) {
			continue
		}
		f, err := src.file(b.path)
		if err != nil {
			return err
		}
		if name := b.path + ":" + f.functionAt(b.from.line); name != last {
			fmt.Printf("\n%s\n", name)
			last, shown = name, 0
		}
		for i := max(b.from.line, shown+1); i <= b.to.line; i++ {
			fmt.Printf("%6d  %s\n", i, f.lines[i-1])
			shown = i
		}
	}
	return nil
}
