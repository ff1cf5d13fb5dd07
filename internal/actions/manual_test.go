package actions_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley"
	"parley/docs"
	"parley/internal/actions"
)

// Every example of the manual is valid, and there is one of each kind.
func TestExamplesOfTheManual(t *testing.T) {
	page, err := docs.Manual.ReadFile("manual/actions.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[parley.ActionKind]bool{}
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1) {
		var example struct {
			Actions    []parley.Action
			Procedures []parley.Procedure
		}
		readJSON(t, m[1], &example)
		for i := range example.Actions {
			a := &example.Actions[i]
			kinds[a.Kind], a.Enabled = true, true
			if err := actions.ValidateAction(a); err != nil {
				t.Errorf("%s: %v", a.Key, parley.AsError(err).Details)
			}
		}
		for i := range example.Procedures {
			example.Procedures[i].Enabled = true
		}
		for _, p := range example.Procedures {
			kinds[parley.ActionProcedure] = true
			if err := actions.ValidateProcedure(&p, example.Actions); err != nil {
				t.Errorf("%s: %v", p.Key, parley.AsError(err).Details)
			}
			if err := actions.ValidateLinks(&p, example.Procedures); err != nil {
				t.Errorf("%s: %v", p.Key, parley.AsError(err).Details)
			}
		}
	}
	if len(kinds) != 7 {
		t.Errorf("examples of %v only", kinds)
	}
}

// readJSON reads YAML as JSON, as the command line does.
func readJSON(t *testing.T, text []byte, into any) {
	t.Helper()
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}
