package mcp_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"parley/docs"
	"parley/internal/api/mcp"
	"parley/internal/api/v2"
	"parley/internal/testkit"
)

// TestManualListsEveryTool checks that the manual's table has all tools, with their scopes and hints.
func TestManualListsEveryTool(t *testing.T) {
	page, err := docs.Manual.ReadFile("manual/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	srv := testkit.Open(t)
	list, err := connect(t, srv, srv.Key).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	scopes := documentedScopes(t)
	for _, tool := range list.Tools {
		_, row, found := strings.Cut(string(page), "\n| `"+tool.Name+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		scope := "any key"
		if s := scopes[mcp.Operations()[tool.Name]]; s != "" {
			scope = "`" + s + "`"
		}
		if !found || !strings.HasPrefix(row, scope+" |") ||
			strings.Contains(row, "destructive") != *tool.Annotations.DestructiveHint {
			t.Errorf("mcp.md: the row of %s (%s, destructive %v) is %q", tool.Name, scope,
				*tool.Annotations.DestructiveHint, row)
		}
	}
	if rows := strings.Count(string(page), "\n| `service_"); rows != len(list.Tools) {
		t.Errorf("mcp.md has %d rows, there are %d tools", rows, len(list.Tools))
	}
}

// Clients rely on hints, so they must follow from the operation behind the tool.
func TestToolHintsMatchTheOperation(t *testing.T) {
	srv := testkit.Open(t)
	list, err := connect(t, srv, srv.Key).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	methods := documentedMethods(t)
	methods["searchTickets"] = "get" // a POST without an effect
	for _, tool := range list.Tools {
		a, method := tool.Annotations, methods[mcp.Operations()[tool.Name]]
		switch {
		case a.ReadOnlyHint != (method == "get"):
			t.Errorf("%s: %s, and read-only is %v", tool.Name, method, a.ReadOnlyHint)
		case a.IdempotentHint != (method != "post"):
			t.Errorf("%s: %s, and idempotent is %v", tool.Name, method, a.IdempotentHint)
		case *a.DestructiveHint && (a.ReadOnlyHint || method == "post"), method == "delete" && !*a.DestructiveHint:
			t.Errorf("%s: %s, and destructive is %v", tool.Name, method, *a.DestructiveHint)
		case a.OpenWorldHint == nil || a.ReadOnlyHint && *a.OpenWorldHint:
			t.Errorf("%s: reads beyond the server", tool.Name)
		case cmp.Or(tool.Title, tool.Description) == "" || tool.Description == "":
			t.Errorf("%s: no words", tool.Name)
		}
	}
}

type documentedOperation struct {
	OperationID string
	Scope       string `json:"x-scope"`
}

func forEachOperation(t *testing.T, tell func(method string, op documentedOperation)) {
	t.Helper()
	text, err := v2.Document("", "")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]documentedOperation
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, item := range doc.Paths {
		for method, op := range item {
			tell(method, op)
		}
	}
}

func documentedScopes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	forEachOperation(t, func(_ string, op documentedOperation) { all[op.OperationID] = op.Scope })
	return all
}

func documentedMethods(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	forEachOperation(t, func(method string, op documentedOperation) { all[op.OperationID] = method })
	return all
}
