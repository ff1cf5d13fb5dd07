package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// rule forbids words of the standard library outside certain places.
type rule struct {
	words []string
	where []string // files and folders that may use them
	why   string
}

var rules = []rule{
	{
		words: []string{"time.Now", "time.Since", "time.Until"},
		where: []string{"cmd/", "bench/", "internal/rig/",
			"internal/sqldb/",           // measures how long closures run, and never writes a time down
			"internal/wire/deadline.go", // deadlines of connections are the kernel's
			"internal/listen/conn.go",   // likewise
		},
		why: "time is handed in (Now func() time.Time), so that tests can turn the clock",
	},
	{
		words: []string{"http.DefaultClient", "http.DefaultTransport", "http.Get", "http.Post", "http.PostForm", "http.Head",
			"net.Dial", "net.DialTimeout", "net.Dialer", "tls.Dial", "tls.Dialer", "tls.DialWithDialer"},
		where: []string{"cmd/", "bench/", "internal/rig/", "internal/llm/", "internal/outbound/",
			"internal/admin/", // the socket in the data directory
		},
		why: "one dialer: what a stranger named is reached through internal/outbound only",
	},
	{
		words: []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.Exit"},
		where: []string{"cmd/", "bench/", "internal/rig/"},
		why:   "settings are handed in from cmd, which is also the only place that ends the process",
	},
}

func TestWordsStayWhereTheyBelong(t *testing.T) {
	for _, file := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		names := imported(parsed)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok {
					check(t, file, names[x.Name]+"."+sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// imported gives the usual name of each package by the name the file uses.
func imported(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		usual := path.Base(strings.Trim(spec.Path.Value, `"`))
		if spec.Name != nil {
			names[spec.Name.Name] = usual
		} else {
			names[usual] = usual
		}
	}
	return names
}

func check(t *testing.T, file, word string) {
	for _, r := range rules {
		for _, w := range r.words {
			if w == word && !r.allows(file) {
				t.Errorf("%s uses %s: %s", file, word, r.why)
			}
		}
	}
}

func (r rule) allows(file string) bool {
	for _, place := range r.where {
		if file == place || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place) {
			return true
		}
	}
	return false
}

// goFiles lists our Go files but tests, relative to the root.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
