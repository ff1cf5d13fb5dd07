package parley_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
)

// auditRecorders are the functions that record an act, or hand its code on to one that does.
var auditRecorders = map[string]bool{
	"AppendAuditEvent": true, "audit": true, "auditAs": true, "audited": true, "auditedUpdate": true, "changeStatus": true,
	"record": true, "startTurn": true,
}

// auditVariables are what a code is assigned to before it is recorded.
var auditVariables = map[string]bool{
	"action": true, "memberActions": true, "PersonExported": true, "PersonErased": true, "AccountExported": true,
	"AccountImported": true, "AccountImportBegun": true, "recordingRead": true,
}

// auditSteps are the codes of which the last word is what was asked for.
var auditSteps = map[string][]string{"conversation.": {"end", "takeover", "handback"}, "ticket.": {"reply", "note"}}

var auditCode = regexp.MustCompile(`^[a-z]+([_-][a-z]+)*\.([a-z]+([_-][a-z]+)*)?$`)

// TestEveryActHasASentence checks that the console says every act that the code records in a sentence, in every
// language, and that it has no sentence for an act that there is not.
func TestEveryActHasASentence(t *testing.T) {
	recorded := recordedActs(t)
	if len(recorded) < 100 {
		t.Fatalf("only %d acts were found: have the functions that record them other names?", len(recorded))
	}
	for _, locale := range parley.ConsoleLocales() {
		if locale == "" {
			continue
		}
		sentences := sentencesOfActs(t, locale)
		for _, code := range slices.Sorted(maps.Keys(recorded)) {
			if sentences[code] == "" {
				t.Errorf("%s: there is no sentence act.%s in web/console/src/locales", locale, code)
			}
		}
		for _, code := range slices.Sorted(maps.Keys(sentences)) {
			if !recorded[code] {
				t.Errorf("%s: act.%s is a sentence for what is never recorded", locale, code)
			}
		}
	}
}

func sentencesOfActs(t *testing.T, locale string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("web/console/src/locales/" + locale + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var entries map[string]any
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for key, entry := range entries {
		if code, isAct := strings.CutPrefix(key, "act."); isAct {
			found[code], _ = entry.(string)
		}
	}
	return found
}

// recordedActs returns the codes of the acts that the code records.
func recordedActs(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, file := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			for _, e := range expressionsOfActs(n) {
				addActs(t, found, e)
			}
			return true
		})
	}
	return found
}

// expressionsOfActs returns the parts of a node that may be the code of an act.
func expressionsOfActs(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		if auditRecorders[nameOfExpression(n.Fun)] {
			return n.Args
		}
	case *ast.CompositeLit:
		if nameOfExpression(n.Type) == "change" {
			return n.Elts
		}
	case *ast.AssignStmt:
		if slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return auditVariables[nameOfExpression(e)] }) {
			return n.Rhs
		}
	case *ast.ValueSpec:
		if slices.ContainsFunc(n.Names, func(i *ast.Ident) bool { return auditVariables[i.Name] }) {
			return n.Values
		}
	}
	return nil
}

func nameOfExpression(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// addActs adds the codes that an expression is or holds.
func addActs(t *testing.T, found map[string]bool, e ast.Expr) {
	t.Helper()
	switch e := e.(type) {
	case *ast.KeyValueExpr:
		addActs(t, found, e.Value)
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			addActs(t, found, element)
		}
	case *ast.BinaryExpr:
		addActs(t, found, e.X)
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if e.Kind != token.STRING || err != nil || !auditCode.MatchString(text) {
			return
		}
		if !strings.HasSuffix(text, ".") {
			found[text] = true
			return
		}
		if auditSteps[text] == nil {
			t.Errorf("auditSteps does not say what %s ends with", text)
		}
		for _, step := range auditSteps[text] {
			found[text+step] = true
		}
	}
}
