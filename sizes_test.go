package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

const (
	maxPackageFiles  = 40 // tests included; internal/store has a file for each noun
	maxPrefixFiles   = 8  // files of a package whose names begin with the same word
	maxFunctionLines = 85 // of tests as well, which .golangci.yml leaves out
)

// TestPackageSizes checks that a package can be read: it has few files, and few of one prefix, which would be a package
// of its own.
func TestPackageSizes(t *testing.T) {
	files, prefixes := map[string]int{}, map[string]int{}
	for _, file := range listFiles(t, "*.go") {
		dir, name := path.Split(file)
		word, _, _ := strings.Cut(strings.TrimSuffix(name, ".go"), "_")
		files[dir]++
		prefixes[dir+word]++
	}
	for dir, n := range files {
		if n > maxPackageFiles && dir != "internal/store/" {
			t.Errorf("%s has %d files, at most %d", dir, n, maxPackageFiles)
		}
	}
	for prefix, n := range prefixes {
		if n > maxPrefixFiles {
			t.Errorf("%d files begin with %s, at most %d", n, prefix, maxPrefixFiles)
		}
	}
}

// TestFunctionLengths checks that no function, of a test either, is longer than a page.
func TestFunctionLengths(t *testing.T) {
	for _, file := range listFiles(t, "*.go") {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d", set.Position(f.Pos()), f.Name.Name, n, maxFunctionLines)
			}
		}
	}
}
