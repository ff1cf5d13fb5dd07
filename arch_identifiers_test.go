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

// rule forbids identifiers of the standard library outside certain places.
type rule struct {
	identifiers  []string
	allowedPaths []string // files and folders that may use them
	reason       string
}

var rules = []rule{
	{
		identifiers: []string{"time.Now", "time.Since", "time.Until"},
		allowedPaths: []string{"cmd/", "bench/", "internal/testkit/", "clients/go/examples/",
			"internal/sqldb/",              // measures how long closures run, and stores no time
			"internal/httpapi/deadline.go", // deadlines of connections are the kernel's
			"internal/listen/conn.go",      // likewise
		},
		reason: "time is passed in (Now func() time.Time), so that tests can set the clock",
	},
	{
		identifiers: []string{"http.DefaultClient", "http.DefaultTransport", "http.Get", "http.Post", "http.PostForm",
			"http.Head",
			"net.Dial", "net.DialTimeout", "net.Dialer", "tls.Dial", "tls.Dialer", "tls.DialWithDialer"},
		allowedPaths: []string{"cmd/", "bench/", "internal/testkit/", "internal/httpclient/", "internal/outbound/",
			"internal/speech/deepgram/", // the WebSocket to the operator's speech server
			"internal/datadir/",         // the socket in the data directory
			"internal/mail/",            // the operator's mail server
		},
		reason: "one dialer: an address that others have named is reached through internal/outbound only",
	},
	{
		identifiers:  []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.Exit"},
		allowedPaths: []string{"cmd/", "bench/", "internal/testkit/", "clients/go/examples/"},
		reason:       "settings are passed in from cmd, which is also the only package that ends the process",
	},
}

func TestForbiddenIdentifiers(t *testing.T) {
	for _, file := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		names := importNames(parsed)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok {
					checkIdentifier(t, file, names[x.Name]+"."+sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// The kinds of events are written once, in event.go: a kind that is misspelled elsewhere would be recorded and never
// matched.
func TestEventKindsAreConstants(t *testing.T) {
	kinds := map[string]bool{}
	for _, literal := range stringLiterals(t, "event.go") {
		if kinds[literal] {
			t.Errorf("event.go: two events are %s", literal)
		}
		kinds[literal] = true
	}
	delete(kinds, `"slices"`)
	if len(kinds) < 30 {
		t.Errorf("event.go: only %d events", len(kinds))
	}
	for _, file := range goFiles(t) {
		if strings.HasPrefix(file, "clients/") { // they know the interface alone
			continue
		}
		for _, literal := range stringLiterals(t, file) {
			if file != "event.go" && kinds[literal] {
				t.Errorf("%s: %s is a constant of event.go", file, literal)
			}
		}
	}
}

func stringLiterals(t *testing.T, file string) (list []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			list = append(list, literal.Value)
		}
		return true
	})
	return list
}

// importNames maps the name that the file uses for each package to the package's usual name.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		base := path.Base(strings.Trim(spec.Path.Value, `"`))
		if spec.Name != nil {
			names[spec.Name.Name] = base
		} else {
			names[base] = base
		}
	}
	return names
}

func checkIdentifier(t *testing.T, file, identifier string) {
	for _, r := range rules {
		for _, w := range r.identifiers {
			if w == identifier && !r.allows(file) {
				t.Errorf("%s uses %s: %s", file, identifier, r.reason)
			}
		}
	}
}

func (r rule) allows(file string) bool {
	for _, place := range r.allowedPaths {
		if file == place || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place) {
			return true
		}
	}
	return false
}

// goFiles returns our Go files without tests, relative to the root.
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
