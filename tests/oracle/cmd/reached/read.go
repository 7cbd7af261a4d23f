package main

import (
	"bufio"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// place is a line and a column.
type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// block is a stretch of statements that run together.
type block struct {
	path       string // under the folder of the scheduler
	from, to   place
	statements int
	ran        bool
	rule       *rule // that calls it unreachable
}

// readProfile reads the text form of a coverage profile: file:line.column,line.column statements count.
func readProfile(name string) ([]*block, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []*block
	s := bufio.NewScanner(f)
	for s.Scan() {
		path, rest, ok := strings.Cut(s.Text(), ":")
		if !ok || !strings.HasPrefix(path, module) {
			continue
		}
		b := &block{path: strings.TrimPrefix(path, module)}
		var n int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.from.line, &b.from.column, &b.to.line, &b.to.column, &b.statements, &n); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, s.Text(), err)
		}
		b.ran = n > 0
		out = append(out, b)
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].path != out[j].path {
			return out[i].path < out[j].path
		}
		return out[i].from.before(out[j].from)
	})
	return out, s.Err()
}

// rule is a line of the list.
type rule struct {
	text, path string
	of         string // the text of an if or a case; empty: a function or lines
	from, to   int    // lines; both 0: all of it
	used       bool
}

func (r *rule) covers(src *sources, b *block) (bool, error) {
	if r.path != "*" && r.path != b.path && r.path != filepath.Dir(b.path)+"/*" {
		return false, nil
	}
	if r.of == "" {
		// What ends on the first line is the condition of the if that begins there.
		condition := r.from < r.to && b.to.line == r.from
		return r.from == 0 || r.from <= b.from.line && b.from.line <= r.to && !condition, nil
	}
	f, err := src.file(b.path)
	if err != nil {
		return false, err
	}
	for _, br := range f.branches {
		if !b.from.before(br.from) && b.from.before(br.to) && strings.Contains(br.text, r.of) {
			return true, nil
		}
	}
	return false, nil
}

// readRules reads the list. Lines that begin with # and empty ones say nothing.
func readRules(name string, src *sources) ([]*rule, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []*rule
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		r, err := readRule(src, line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}

var errForm = errors.New("want PATH:WHAT REASON")

func readRule(src *sources, line string) (*rule, error) {
	path, rest, ok := strings.Cut(line, ":")
	if !ok {
		return nil, errForm
	}
	r := &rule{path: path}
	part, reason, _ := strings.Cut(rest, " ")
	var err error
	switch {
	case strings.HasPrefix(rest, "`"):
		if r.of, reason, ok = strings.Cut(rest[1:], "`"); !ok || r.of == "" {
			return nil, errForm
		}
	case part != "*":
		r.from, r.to, err = lines(src, path, part)
	}
	if strings.TrimSpace(reason) == "" {
		return nil, errForm
	}
	r.text = strings.TrimSpace(strings.TrimSuffix(line, reason))
	return r, err
}

// lines gives the first and the last line of what a rule names.
func lines(src *sources, path, part string) (int, int, error) {
	a, b, isRange := strings.Cut(part, "-")
	if !isRange {
		b = a
	}
	if from, err := strconv.Atoi(a); err == nil {
		to, err := strconv.Atoi(b)
		return from, to, err
	}
	f, err := src.file(path)
	if err != nil {
		return 0, 0, err
	}
	for _, fn := range f.functions {
		if fn.name == part {
			return fn.from, fn.to, nil
		}
	}
	return 0, 0, fmt.Errorf("%s has no function %s", path, part)
}

type function struct {
	name     string
	from, to int
}

// branch is the body of an if or a case. Its text is the line where it begins; where the condition is
// about err or ok, the lines before and after that too, which say where these come from and what is made of them.
type branch struct {
	text     string
	from, to place
}

type file struct {
	lines     []string
	functions []function
	branches  []branch
}

func (f *file) functionAt(line int) string {
	for _, fn := range f.functions {
		if fn.from <= line && line <= fn.to {
			return fn.name
		}
	}
	return "-"
}

// sources reads files of the scheduler when they are needed.
type sources struct {
	dir   string
	files map[string]*file
}

func (s *sources) file(path string) (*file, error) {
	if f := s.files[path]; f != nil {
		return f, nil
	}
	data, err := os.ReadFile(filepath.Join(s.dir, path))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{lines: strings.Split(string(data), "\n")}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			f.functions = append(f.functions, function{nameOf(fn), set.Position(fn.Pos()).Line, set.Position(fn.End()).Line})
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			f.addBranch(set, n.Pos(), n.Body.Lbrace, n.Body.End())
		case *ast.CaseClause:
			f.addBranch(set, n.Pos(), n.Colon, n.End())
		}
		return true
	})
	s.files[path] = f
	return f, nil
}

func (f *file) addBranch(set *token.FileSet, start, from, to token.Pos) {
	line := set.Position(start).Line
	text := f.lines[line-1]
	if strings.Contains(text, "err != nil") || strings.Contains(text, "!ok") {
		text = f.lines[line-2] + "\n" + text + "\n" + f.lines[line]
	}
	at := func(p token.Pos) place { q := set.Position(p); return place{q.Line, q.Column} }
	f.branches = append(f.branches, branch{text, at(from), at(to)})
}

// nameOf is Name, or Type.Name for a method.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}
