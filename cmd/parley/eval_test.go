package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/eval"
	"parley/internal/httpapi"
)

const smallSet = `{"id": "hours", "title": "Opening hours", "text": "The shop opens at nine on weekdays. On ` +
	`Saturdays it closes at noon."}
{"id": "pets", "title": "Pets", "text": "Dogs are welcome in the garden."}
{"id": "1", "question": "When does the shop open on weekdays?", "relevant": ["hours"]}
{"id": "2", "question": "Who painted the ceiling of the chapel?", "answerable": false}
`

func TestEvalMeasuresASet(t *testing.T) {
	dir := t.TempDir()
	set, earlier := filepath.Join(dir, "set.jsonl"), filepath.Join(dir, "earlier.json.txt")
	if err := os.WriteFile(set, []byte(smallSet), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := runCommand(t, "eval", "--set", set)
	if status != 0 || !strings.Contains(out, "R@1") || !strings.Contains(out, "questions") ||
		!strings.Contains(errs, "2 questions") {
		t.Fatalf("%d\n%s\n%s", status, out, errs)
	}
	status, out, errs = runCommand(t, "eval", "--set", dir, "--json")
	var report eval.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != 0 || report.R1 == nil || *report.R1 != 1 ||
		len(report.Sets) != 1 {
		t.Fatalf("%d %v\n%s\n%s", status, err, out, errs)
	}
	if err := os.WriteFile(earlier, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs = runCommand(t, "eval", "--set", set, "--compare", earlier); status != 0 ||
		!strings.Contains(out, "0 better, 0 worse, 0 with another answer, 2 the same") {
		t.Errorf("compared: %d\n%s\n%s", status, out, errs)
	}
	if status, out, errs = runCommand(t, "eval", "--baseline", "--set", set, "--set", dir); status != 0 ||
		!strings.Contains(out, "questions 2") || !strings.Contains(out, "all") {
		t.Errorf("baseline, twice: %d\n%s\n%s", status, out, errs)
	}
}

func TestEvalReportsInvalidSets(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.json")
	if err := os.WriteFile(other, []byte(`{"a": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want   string
		status int
		args   []string
	}{
		{"give either --set or --agent", 2, nil},
		{"give either --set or --agent", 2, []string{"--set", dir, "--agent", "x"}},
		{"go with --set", 2, []string{"--agent", "x", "--baseline"}},
		{"no question set found", 1, []string{"--set", dir}},
		{"holds no sets", 1, []string{"--set", dir, "--compare", other}},
		{"There is no Parley data", 1, []string{"--agent", "x", "--data", dir}},
		{"--limit", 2, []string{"--agent", "x", "--limit", "0"}},
	} {
		if status, out, errs := runCommand(t, append([]string{"eval"}, c.args...)...); status != c.status ||
			!strings.Contains(errs, c.want) {
			t.Errorf("%v: %d\n%s\n%s", c.args, status, out, errs)
		}
	}
}

func TestEvalNamesAnUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	missing, broken := filepath.Join(dir, "missing.jsonl"), filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"questions": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag, name, want string
		args             []string
	}{
		{"set", missing, "no such file or directory", []string{"--set", missing}},
		{"set", broken, "", []string{"--set", broken}},
		{"compare", missing, "no such file or directory", []string{"--set", dir, "--compare", missing}},
		{"compare", broken, "not the output of parley eval --json", []string{"--set", dir, "--compare", broken}},
	} {
		status, _, errs := runCommand(t, append([]string{"eval", "--json"}, c.args...)...)
		var envelope httpapi.Envelope
		if err := json.Unmarshal([]byte(errs), &envelope); err != nil {
			t.Fatalf("%v: %q", err, errs)
		}
		if e := envelope.Error; status != 1 || e.Code != parley.CodeInvalidBody || e.Details[c.flag] != c.name ||
			!strings.Contains(e.Message, "--"+c.flag+" "+c.name+": "+c.want) {
			t.Errorf("%v: %d %+v", c.args, status, envelope)
		}
	}
}
