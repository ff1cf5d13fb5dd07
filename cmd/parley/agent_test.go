package main

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/testkit/dbs"
)

// newAccount makes the first account of a data directory, which the commands of the test use.
func newAccount(t *testing.T) (id string) {
	t.Helper()
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	return runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
}

// An agent is made, listed, shown, changed and deleted, without a server and with one.
func TestAgentCommands(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			if database == "postgres" {
				t.Setenv("PARLEY_DATABASE_URL", dbs.SharedPostgres(t).NewStore(t))
			}
			account := newAccount(t)
			testAgentCommands(t, account)
			startServer(t, "serve")
			testAgentCommands(t, account)
		})
	}
}

func testAgentCommands(t *testing.T, account string) {
	t.Helper()
	created := runJSON[admin.AgentDetails](t, "agent", "create", "Help desk", "--instructions", "Be brief.",
		"--temp", "0.5")
	if created.AccountID != account || created.Name != "Help desk" || created.Status != "untrained" ||
		created.Visibility != "private" || !strings.Contains(string(created.Settings), `"Be brief."`) {
		t.Errorf("created %+v with %s", created.Agent, created.Settings)
	}
	list := runJSON[[]admin.Agent](t, "agent", "list", "--account", account)
	if len(list) != 1 || list[0].ID != created.ID || list[0].Status != "untrained" {
		t.Errorf("listed %+v", list)
	}
	typeInput(t, "Be polite.\n")
	changed := runJSON[admin.AgentSettings](t, "agent", "change", created.ID, "--name", "Desk", "--visibility", "public",
		"--instructions-file", "-", "--set", "creditLimit=500", "--set", "initialMessages=[\"Hello\"]")
	for _, want := range []string{`"name":"Desk"`, `"Be polite.\n"`, `"creditLimit":500`, `["Hello"]`, `"public"`} {
		if !strings.Contains(strings.ReplaceAll(string(changed.Settings), `": `, `":`), want) {
			t.Errorf("%s is not in %s", want, changed.Settings)
		}
	}
	if changed.Version != created.Version+1 {
		t.Errorf("version %d follows %d", changed.Version, created.Version)
	}
	requireOutput(t, "agent show", created.ID, "Desk", "untrained", "creditLimit: 500")
	requireOutput(t, "agent change "+created.ID+" --name Desk", "Nothing differs")
	requireFailure(t, 2, "say --yes", "agent delete "+created.ID)
	if deleted := runJSON[admin.AgentDetails](t, "agent", "delete", created.ID, "--yes"); deleted.ID != created.ID {
		t.Errorf("deleted %+v", deleted)
	}
	requireOutput(t, "agent list", "No agents")
}

// What is refused says what to do.
func TestRefusalsOfAgentsSayTheNextStep(t *testing.T) {
	account := newAccount(t)
	requireFailure(t, 1, `"parley agent create NAME" makes one`, "agent show")
	for command, reason := range map[string]string{
		"agent show nothing":                       `Agent not found. "parley agent list" lists the agents.`,
		"agent create A --account nothing":         `Account not found. "parley account list" lists the accounts.`,
		"agent create A --model gpt-0":             "model: must be a model that this server offers",
		"agent create " + strings.Repeat("a", 101): "name: must have at most 100 characters",
	} {
		requireFailure(t, 1, reason, command)
	}
	id := runJSON[admin.AgentDetails](t, "agent", "create", "A").ID
	requireFailure(t, 1, "settings.temp: ", "agent change "+id+" --temp 2")
	requireFailure(t, 2, "nothing to change: give --name", "agent change "+id)
	requireFailure(t, 2, `--set: "name" is not NAME=VALUE`, "agent change "+id+" --set name")
	requireFailure(t, 2, `Run "parley agent list --help" for help.`, "agent list --limit 0")
	runJSON[admin.Account](t, "account", "update", account, "--plan", "free")
	requireFailure(t, 1, `"parley account update ID --plan NAME" sets another plan.`, "agent create B")
	runJSON[admin.CreatedAccount](t, "account", "create", "--name", "B")
	requireFailure(t, 2, `name one with --account; "parley account list" lists them`, "agent create C")
}

// Whatever a command does not find, the failure names the command that lists what there is.
func TestWhatIsNotFoundHasANextStep(t *testing.T) {
	for _, code := range parley.Codes() {
		if !strings.HasSuffix(string(code), "_NOT_FOUND") {
			continue
		}
		// Commands that fail with these write their own messages.
		own := []parley.Code{parley.CodeResourceNotFound, parley.CodeMessageNotFound, parley.CodeToolCallNotFound,
			parley.CodeRetryNotFound}
		if nextSteps[code] == "" && !slices.Contains(own, code) {
			t.Errorf("%s says no next step", code)
		}
	}
	for _, step := range slices.Concat(slices.Collect(maps.Values(nextSteps)),
		slices.Collect(maps.Values(nextStepsOfNouns))) {
		for _, line := range documentedCommands(strings.ReplaceAll(step, `"`, "`")) {
			if err := parseCommandLine(line); err != nil {
				t.Errorf("parley %s: %v", line, err)
			}
		}
	}
}

// writeFiles writes files into a new folder and returns it.
func writeFiles(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const hoursPage = "# Opening hours\n\nThe shop opens at nine on weekdays and at ten on Saturdays.\n"

// The first agent reads a folder, a text, an answer to questions and a page, and is asked: no request by hand.
func TestAgentReadsAndAnswers(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, "<title>Parking</title><p>Cars are parked behind the shop, for two hours at most.</p>")
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(site.Close)
	t.Setenv("PARLEY_FETCH_ALLOW", "127.0.0.1")
	newAccount(t)
	folder := writeFiles(t, map[string]string{"hours.md": hoursPage, ".hidden.md": hoursPage,
		"more/returns.txt": "Goods are taken back within thirty days, together with the receipt.\n",
		"logo.png":         "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 60)})
	runJSON[admin.AgentDetails](t, "agent", "create", "Shop")
	early := runJSON[additionResult](t, "source", "add", "--text", "Parcels arrive in two days.", "--name", "Delivery")
	if len(early.Sources) != 1 || early.Sources[0].Status != "untrained" {
		t.Errorf("without a server: %+v", early)
	}
	requireFailure(t, 1, `"parley serve" runs one`, "ask When?")
	startServer(t, "serve")

	added := runJSON[additionResult](t, "source", "add", folder, site.URL+"/", "--question", "Do you sell vouchers?",
		"--question", "Are there gift cards?", "--answer", "Yes, at the till.")
	var names []string
	for _, s := range added.Sources {
		names = append(names, s.Type+" "+s.Name+" "+s.Status)
	}
	want := []string{"file hours.md trained", "file more/returns.txt trained", "link " + site.URL + "/ trained",
		"qna Do you sell vouchers? trained"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	if len(added.LeftOut) != 1 || added.LeftOut[0].Name != "logo.png" {
		t.Errorf("left out: %+v", added.LeftOut)
	}
	if again := runJSON[additionResult](t, "source", "add", folder); len(again.Sources) != 0 || len(again.LeftOut) != 3 {
		t.Errorf("a second time: %+v", again)
	}
	requireOutput(t, "ask When does the shop open on Saturdays?", "at ten on Saturdays", "[1] hours.md\n")
	answer := runJSON[agentAnswer](t, "ask", "When does the shop open on Saturdays?")
	if answer.AnswerState != parley.AnswerSure || len(answer.Citations) == 0 || answer.ConversationID == "" ||
		!strings.Contains(answer.Answer, "at ten on Saturdays") {
		t.Errorf("answer: %+v", answer)
	}
	requireOutput(t, "conversations list", answer.ConversationID)
	requireOutput(t, "ticket list", "No tickets.")
	requireOutput(t, "source list", "Delivery", "more/returns.txt", "trained")
	requireOutput(t, "source remove "+added.Sources[0].ID+" "+added.Sources[1].ID, "(hours.md)", "(more/returns.txt)")
	requireFailure(t, 1, `"parley source list --agent ID" lists`, "source remove 00000000-0000-4000-8000-000000000000")
	status, _, errs := runCommand(t, "source", "add", "http://10.0.0.1/")
	if status != 1 || !strings.Contains(errs, "could not read 1 of 1: ") || !strings.Contains(errs, "PARLEY_FETCH_ALLOW") {
		t.Errorf("an address in a private network: status %d, %s", status, errs)
	}
}

func TestRefusalsOfSourcesSayTheNextStep(t *testing.T) {
	newAccount(t)
	requireFailure(t, 1, `"parley agent create NAME" makes one`, "source list")
	runJSON[admin.AgentDetails](t, "agent", "create", "Shop")
	folder := writeFiles(t, map[string]string{"logo.png": "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 60),
		"hours.md": hoursPage})
	logo := filepath.Join(folder, "logo.png")
	for command, reason := range map[string]string{
		"":                       "nothing to add: name files, folders or addresses",
		"--text Hello":           "--text needs --name",
		"--answer Yes":           "--question and --answer belong together",
		"a --include ^/docs":     "are for --link-type crawl and sitemap",
		"--limit 0":              "unknown flag --limit",
		"--link-type everything": "--link-type must be one of",
	} {
		requireFailure(t, 2, reason, "source add "+command)
	}
	requireFailure(t, 1, "name a file, a folder or an address that begins with https://", "source add nowhere")
	requireFailure(t, 1, "logo.png: file is refused: the file is a picture", "source add "+logo)
	requireFailure(t, 1, "url: is not an address that can be read", "source add https://")
	status, out, errs := runCommand(t, "source", "add", logo, filepath.Join(folder, "hours.md"))
	if status != 1 || !strings.Contains(out, "hours.md") || !strings.Contains(errs, "added 2 of 2: hours.md") ||
		!strings.Contains(errs, "logo.png: file is refused") || !strings.Contains(errs, "1 source cannot be read.") {
		t.Errorf("one of two: status %d, %s\n%s", status, out, errs)
	}
	runJSON[admin.AgentDetails](t, "agent", "create", "Second")
	requireFailure(t, 2, `name one with --agent; "parley agent list" lists them`, "source list")
}

func TestProgressBar(t *testing.T) {
	for want, got := range map[string]string{
		"\r\x1b[Kread [###############...............] 2 of 4":   formatBar("read", 2, 4, false),
		"\r\x1b[Kread [##############################] 4 of 4\n": formatBar("read", 4, 4, true),
		"\r\x1b[Kread [..............................] 0 of 0":   formatBar("read", 0, 0, false),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
