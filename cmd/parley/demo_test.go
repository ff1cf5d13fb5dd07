package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/testkit"
)

// The commands that the demo prints work when they are pasted into a shell.
func TestDemoPrintsCommandsThatWork(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIP: no curl to paste the commands to")
	}
	var out, errs commandOutput
	ended := make(chan int, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { ended <- run(ctx, []string{"demo", "--listen", "127.0.0.1:0"}, &out, &errs) }()
	testkit.Eventually(t, "the demo's text", func() bool {
		return strings.Contains(out.String(), "Ctrl-C") || len(ended) > 0
	})
	commands := regexp.MustCompile(`(?m)^  (curl .*)$`).FindAllStringSubmatch(out.String(), -1)
	data := regexp.MustCompile(`(?m)^  data     (.+)$`).FindStringSubmatch(out.String())
	if len(commands) != 2 || data == nil || !strings.Contains(out.String(), " trace CONVERSATION --data "+data[1]) {
		t.Fatalf("two commands, the data directory and the way to explain an answer in:\n%s%s", out.String(), errs.String())
	}
	for i, want := range []string{`"citations":[{`, `data: [DONE]`} {
		reply, err := exec.CommandContext(t.Context(), "sh", "-c", commands[i][1]).CombinedOutput()
		if err != nil || !strings.Contains(string(reply), want) {
			t.Errorf("%s: %v\n%s", commands[i][1], err, reply)
		}
	}
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("status %d: %s", status, errs.String())
	}
}

// A demo with a data directory uses its own account and agent again, even if others are called Demo as well, and its
// new key replaces the old one.
func TestDemoFindsItsAccountAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	other := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "Demo", "--data", dir)
	first := startServer(t, "demo", "--data", dir)
	if first.AccountID == other.AccountID {
		t.Error("the demo used another account")
	}
	first.stopServer(t)
	second := startServer(t, "demo", "--data", dir)
	if second.AgentID != first.AgentID || second.AccountID != first.AccountID || second.APIKey == first.APIKey {
		t.Errorf("first %+v, second %+v", first, second)
	}
	chat := second.URL + "/api/v2/agents/" + second.AgentID + "/chat"
	if status, _ := sendRequest(t, "POST", chat, first.APIKey,
		`{"message":"`+demoQuestion+`"}`); status != http.StatusUnauthorized {
		t.Errorf("the key of the demo before: %d", status)
	}
	status, body := sendRequest(t, "POST", chat, second.APIKey, `{"message":"`+demoQuestion+`"}`)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	checkTrace(t, dir, body)
}

// checkTrace checks that the trace of an answer holds the question, the answer and the text that it cites.
func checkTrace(t *testing.T, dir, reply string) {
	t.Helper()
	var answer struct {
		Data struct {
			Parts    []struct{ Text string }
			Metadata struct{ ConversationID string }
		}
	}
	if err := json.Unmarshal([]byte(reply), &answer); err != nil {
		t.Fatal(err)
	}
	turns := runJSON[[]admin.TurnTrace](t, "trace", answer.Data.Metadata.ConversationID, "--data", dir)
	if len(turns) != 1 || turns[0].Question != demoQuestion || turns[0].Answer != answer.Data.Parts[0].Text ||
		len(turns[0].Passages) == 0 || turns[0].Passages[0].Text == "" {
		t.Errorf("%+v", turns)
	}
	if _, out, _ := runCommand(t, "trace", answer.Data.Metadata.ConversationID, "--data", dir); !strings.Contains(out,
		demoQuestion) || !strings.Contains(out, "passage 1") ||
		!strings.Contains(out, "  cited  ") || !strings.Contains(out, string(turns[0].Passages[0].ID)) {
		t.Error(out)
	}
}

func TestAskAnswersFromAFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("garden/tomatoes.md",
		"# Tomatoes\n\n## Watering\n\nWater tomato plants in the early morning, close to the soil.\n")
	write("notes.txt", "The tool shed is locked with a blue padlock.\n")
	write(".hidden/secret.md", "Tomatoes are watered with lemonade.\n")
	write("broken.md", "Tomato \xff\xfe plants")
	got := runJSON[struct {
		Answer    string
		Refused   bool
		Citations []struct{ File, Quote string }
	}](t, "ask", "--from", dir, "When should I water tomato plants?")
	if got.Refused || len(got.Citations) == 0 || got.Citations[0].File != "garden/tomatoes.md" ||
		!strings.Contains(got.Answer, "early morning") {
		t.Errorf("%+v", got)
	}
	status, out, errs := runCommand(t, "ask", "--from", dir, "When should I water tomato plants?")
	if status != 0 || !strings.Contains(out, "soil. [1]") || !strings.Contains(out,
		"[1] garden/tomatoes.md › Tomatoes › Watering") || !strings.Contains(errs, "skipped broken.md: not UTF-8") {
		t.Errorf("%d\n%s\n%s", status, out, errs)
	}
	if !strings.Contains(errs, "read 2 pages, 2 passages, in") {
		t.Error(errs)
	}
	if got := runJSON[struct{ Refused bool }](t, "ask", "--from", dir, "What is the capital of France?"); !got.Refused {
		t.Error("an answer from nowhere")
	}
}

func TestAskPrintsShortReferences(t *testing.T) {
	long := strings.Repeat("many words ", 30)
	got := formatReferences(&server.Answer{Citations: []server.Quote{{Name: "a.md", Heading: "A",
		Quote: "Some\n  text."}, {Name: "b.md", Quote: long}}})
	lines := strings.Split(got, "\n")
	if !strings.Contains(got, "\n[1] a.md › A\n    “Some text.”\n") ||
		!strings.Contains(got, "\n[2] b.md\n    “many words many") {
		t.Error(got)
	}
	for _, line := range lines {
		if len([]rune(line)) > maxQuoteLength+7 {
			t.Errorf("too long: %s", line)
		}
	}
}

// Each number of a citation is printed right after the text that it belongs to.
func TestAskPrintsCitationsAfterTheirText(t *testing.T) {
	var out commandOutput
	w := &answerPrinter{out: &out}
	for i, step := range []struct {
		chunk model.Chunk
		sees  string
	}{
		{model.Chunk{Text: "Water "}, "Water"},
		{model.Chunk{Text: "early. "}, "Water early."},
		{model.Chunk{Citation: &model.Citation{}}, "Water early. [1]"},
		{model.Chunk{Text: "Mulch.\n"}, "Water early. [1] Mulch."},
		{model.Chunk{Citation: &model.Citation{}}, "Water early. [1] Mulch. [2]"},
	} {
		if w.writeChunk(step.chunk); out.String() != step.sees {
			t.Errorf("step %d: %q", i, out.String())
		}
	}
}
