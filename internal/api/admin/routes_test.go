package admin

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/httpapi"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// TestOpenAPIGolden makes every change of the API visible. Read the difference before you run it with -update.
func TestOpenAPIGolden(t *testing.T) {
	got, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	if *updateGolden {
		if err := os.WriteFile("openapi.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("openapi.json differs from the routes (-golden +routes):\n%s", diff)
	}
}

func TestEveryOperationIsDescribed(t *testing.T) {
	known := map[string]bool{}
	for _, tag := range tags {
		known[tag.Name] = true
	}
	s := &Service{}
	api := httpapi.New(httpapi.Config{Keyless: true, RenderError: httpapi.RenderEnvelope})
	for _, r := range routes() {
		r.add(api, s)
	}
	names := map[string]bool{}
	for _, op := range api.Operations() {
		if op.Permission == "" || op.Summary == "" || !known[op.Tag] || names[op.Name] {
			t.Errorf("%s %s: permission %q, summary %q, tag %q", op.Method, op.Path, op.Permission, op.Summary, op.Tag)
		}
		names[op.Name] = true
	}
}

// TestEveryDeclaredOperationIsServed finds operations that are declared, but missing in routes.
func TestEveryDeclaredOperationIsServed(t *testing.T) {
	files, err := filepath.Glob("routes*.go")
	if err != nil {
		t.Fatal(err)
	}
	served := map[string]bool{}
	var declared []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "routes" {
					addIdentifiers(served, n.Body)
				}
			case *ast.ValueSpec:
				if len(n.Values) == 1 && callsNewOperation(n.Values[0]) {
					declared = append(declared, n.Names[0].Name)
				}
			}
			return true
		})
	}
	for _, name := range declared {
		if !served[name] {
			t.Errorf("%s is declared, but missing in routes()", name)
		}
	}
	if len(declared) != len(routes()) {
		t.Errorf("%d operations are declared in routes*.go, and %d served", len(declared), len(routes()))
	}
}

func addIdentifiers(set map[string]bool, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			set[id.Name] = true
		}
		return true
	})
}

func callsNewOperation(value ast.Expr) bool {
	identifiers := map[string]bool{}
	addIdentifiers(identifiers, value)
	return identifiers["newOperation"]
}
