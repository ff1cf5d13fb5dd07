package admin

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// TestOpenAPIGolden makes every change of the API visible. Read the difference before you run it with -update.
func TestOpenAPIGolden(t *testing.T) {
	checkGoldenDocument(t, "openapi.json", Document)
}

func checkGoldenDocument(t *testing.T, file string, document func() ([]byte, error)) {
	t.Helper()
	got, err := document()
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, file, got)
}

func checkGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *updateGolden {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs from the routes (-golden +routes):\n%s", file, diff)
	}
}

// TestGoldenRolesOfOperations writes down which role may call which operation, and fails for an operation that no role
// may call unless it is the operator's alone.
func TestGoldenRolesOfOperations(t *testing.T) {
	var table strings.Builder
	members := map[string]bool{}
	for _, r := range memberRoutes() {
		members[r.binding().description.Name] = true
	}
	for _, r := range routes() {
		op := r.binding().description
		fmt.Fprintf(&table, "%-6s %-58s %-22s", op.Method, op.Path, op.Permission)
		allowed := 0
		for _, role := range parley.Roles() {
			word := "-"
			if access.May(role, op.Permission) {
				word = string(role)
				allowed++
			}
			fmt.Fprintf(&table, " %-6s", word)
		}
		isOperators := op.Permission == parley.PermissionServerRead || op.Permission == parley.PermissionServerWrite
		if op.Permission == "" || isOperators == (allowed > 0) || isOperators == members[op.Name] {
			t.Errorf("%s %s with the permission %q is for %d roles", op.Method, op.Path, op.Permission, allowed)
		}
		if isOperators {
			table.WriteString(" operator only")
		}
		table.WriteString("\n")
	}
	lines := strings.Split(table.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	checkGolden(t, "testdata/roles.txt", []byte(strings.Join(lines, "\n")))
}

// A page for members has the route and the permission of the operator's list.
func TestPagesStandForListsOfTheOperator(t *testing.T) {
	lists := map[string]*operation{}
	for _, r := range routes() {
		lists[r.binding().description.Name] = r.binding().description
	}
	for _, r := range pageRoutes() {
		page := r.binding().description
		if list := lists[page.Name]; list == nil || list.Method+list.Path != page.Method+page.Path ||
			list.Permission != page.Permission {
			t.Errorf("%s stands for no list of the operator", page.Name)
		}
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
		r.binding().add(api, s)
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
				if n.Name.Name == "routes" || n.Name.Name == "pageRoutes" {
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
	if n := len(routes()) + len(pageRoutes()); len(declared) != n {
		t.Errorf("%d operations are declared in routes*.go, and %d served", len(declared), n)
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
	return identifiers["newOperation"] || identifiers["newStreamOperation"] ||
		identifiers["newFileOperation"]
}

// RenderForOperator is renderForOperator.
var RenderForOperator = renderForOperator

// Document returns the OpenAPI document of the operator's API.
func Document() ([]byte, error) {
	s := &Service{}
	api := newAPI(s, slog.New(slog.DiscardHandler))
	for _, r := range routes() {
		r.binding().add(api, s)
	}
	return api.OpenAPI(httpapi.Info{
		Title:         "Parley for operators",
		Description:   introduction,
		Version:       "1.0.0",
		Contact:       "The operator of this server",
		Servers:       []httpapi.Server{{URL: "http://parley", Description: "The socket admin.sock in the data directory"}},
		Tags:          tags,
		ParamExamples: parameterExamples,
	})
}

const introduction = "What the `parley` commands call. " +
	"The server serves it on a unix socket in its data directory, which only the user that runs the server can open. " +
	"It is private: paths and shapes may change with every version."

// OperatorOperations lists the operations of the operator.
func OperatorOperations() (list []httpapi.Operation) {
	for _, r := range routes() {
		list = append(list, *r.binding().description)
	}
	return list
}

// MemberOperations lists the operations for members.
func MemberOperations() (list []httpapi.Operation) {
	for _, r := range memberRoutes() {
		list = append(list, *r.binding().description)
	}
	return list
}

// authenticate returns the signed-in member who sent a request, with the account that the request is about. Its failure
// is the response.
type authenticate func(r *http.Request) (parley.Member, error)

// NewMemberHandler answers members below MemberBase. Every operation reaches the member's account alone, and what it
// changes is recorded in the account's audit chain with the member as the actor.
func NewMemberHandler(s *Service, find authenticate, log *slog.Logger) http.Handler {
	api := httpapi.New(MemberConfig(httpapi.Config{
		BasePath:         MemberBase,
		Keyless:          true,
		Admit:            admitMember(find),
		RenderError:      httpapi.RenderEnvelope,
		Now:              s.Now,
		Logger:           log,
		OnUndeclaredCode: s.undeclaredCodeReporter(log),
	}, s))
	AddMemberRoutes(api, s)
	return api
}

// admitMember lets in who is signed in and whose role has the permission of the operation.
func admitMember(find authenticate) func(context.Context, *http.Request, *httpapi.Operation) (
	httpapi.Admission, error) {
	return func(_ context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
		member, err := find(r)
		if err != nil {
			return httpapi.Admission{}, err
		}
		admission := httpapi.Admission{Caller: &member, Account: string(member.Account)}
		return admission, CheckRole(member, op)
	}
}
