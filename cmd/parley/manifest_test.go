package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
)

// manifestTest is a data directory with an account, and a folder with the example of the manual.
type manifestTest struct {
	*testing.T
	account, key, dir string
}

func newManifestTest(t *testing.T) *manifestTest {
	t.Helper()
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	t.Setenv("PARLEY_SECRET_KEY", "a key of the tests")
	t.Setenv("SHOP_API_KEY", "sesame-open")
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "Shop")
	runJSON[admin.AddedMember](t, "member", "add", "--account", created.AccountID, "--email", "kim@shop.example",
		"--name", "Kim")
	b := &manifestTest{t, created.AccountID, created.APIKey, t.TempDir()}
	b.writeFile("agent.yaml", exampleManifest(t))
	b.writeFile("returns.md", "# Returns\n\nParcels come back within thirty days.\n")
	b.writeFile("files/handbook.md", "# Handbook\n\nWhoever is ill tells the shop in the morning, by telephone.\n")
	return b
}

// exampleManifest returns the complete manifest of the manual.
func exampleManifest(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/manual/agent-as-code.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if m == nil {
		t.Fatal("the manual has no example")
	}
	return string(m[1])
}

func (m *manifestTest) writeFile(name, text string) string {
	m.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
	return path
}

// run runs a command on a manifest.
func (m *manifestTest) run(command, file string, more ...string) (status int, out, errs string) {
	m.Helper()
	return runCommand(m.T, append([]string{command, "-f", filepath.Join(m.dir, file), "--account", m.account}, more...)...)
}

// requireOutput runs a command and compares what it prints.
func (m *manifestTest) requireOutput(status int, wantText, command, file string, more ...string) {
	m.Helper()
	got, out, errs := m.run(command, file, more...)
	if got != status || out+errs != wantText && (wantText == "" || !strings.Contains(out+errs, wantText)) {
		m.Errorf("%s %s %v: status %d\n%s%s\nwant %d\n%s", command, file, more, got, out, errs, status, wantText)
	}
}

func TestExampleOfTheManual(t *testing.T) {
	b := newManifestTest(t)
	b.requireOutput(0, "support: would change\n  create agent support\n", "apply", "agent.yaml", "--dry-run")
	b.requireOutput(1, "--- (none)\n+++ agent support\n", "diff", "agent.yaml")
	done := runJSON[admin.ManifestResult](t, "apply", "-f", filepath.Join(b.dir, "agent.yaml"), "--account", b.account)
	if len(done.Agents) != 1 || len(done.Agents[0].Changes) != 12 {
		t.Fatalf("%+v", done)
	}
	agent := string(done.Agents[0].Agent)
	b.requireOutput(0, "support ("+agent+"): no changes\n", "apply", "agent.yaml")
	b.requireOutput(0, "", "diff", "agent.yaml")

	s := startServer(t, "serve") // from here on through its socket
	b.requireOutput(0, "", "diff", "agent.yaml", "--prune")
	testkit.Eventually(t, "trained", func() bool {
		_, body := sendRequest(t, "GET", s.URL+"/api/v2/agents/"+agent, b.key, "")
		return strings.Contains(body, `"trained"`)
	})
	if status, body := sendRequest(t, "POST", s.URL+"/api/v2/agents/"+agent+"/chat", b.key,
		`{"message":"When is the shop open?"}`); status != http.StatusOK || !strings.Contains(body, "from 9 to 17") {
		t.Errorf("%d %s", status, body)
	}
	status, out, errs := runCommand(t, "export-agent", agent)
	if status != 0 || !strings.HasPrefix(errs, "not printed: 1 file ") || strings.Contains(out, "sesame") ||
		!strings.Contains(out, "Authorization: Bearer ${SHOP_API_KEY}") || !strings.Contains(out, "  instructions: |\n") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	b.writeFile("export.yaml", out)
	b.requireOutput(0, "", "diff", "export.yaml", "--prune")
	b.requireOutput(0, "no changes", "apply", "export.yaml", "--prune")
	b.checkFolder(agent)

	b.writeFile("later.yaml",
		strings.NewReplacer("temp: 0.2", "temp: 0.7", "from 9 to 17", "from 8 to 12").Replace(exampleManifest(t)))
	b.requireOutput(1,
		"--- support: settings\n+++ support: settings\n-temp: 0.2\n+temp: 0.7\n--- support: source "+
			"opening-hours\n+++ support: source opening-hours\n content: |\n"+
			"   # Opening hours\n \n-  The shop is open from Monday to Friday, from 9 to 17.\n+  The shop is "+
			"open from Monday to Friday, from 8 to 12.\n",
		"diff", "later.yaml")
	b.requireOutput(0, "update source opening-hours: content\n", "apply", "later.yaml")
	t.Setenv("SHOP_API_KEY", "")
	b.requireOutput(0, "no changes", "apply", "later.yaml")
	t.Setenv("SHOP_API_KEY", "sesame-other")
	b.requireOutput(1, "${SHOP_API_KEY}: another value", "diff", "later.yaml")
	if log := s.errs.String(); strings.Contains(log, "sesame") {
		t.Error(log)
	}
	s.stopServer(t)
	for _, name := range []string{"parley.db", "parley.db-wal"} {
		if text, err := os.ReadFile(filepath.Join(os.Getenv("PARLEY_DATA"), name)); err == nil &&
			strings.Contains(string(text), "sesame") {
			t.Error(name, "holds a secret in the clear")
		}
	}
}

// checkFolder exports an agent into a folder and checks that it is whole, and that nothing in it is written over.
func (m *manifestTest) checkFolder(agent string) {
	m.Helper()
	folder := filepath.Join(m.dir, "out")
	if status, out, errs := runCommand(m.T, "export-agent", agent, "--out", folder); status != 0 || out+errs != "" {
		m.Errorf("%d %s%s", status, out, errs)
	}
	want, err := os.ReadFile(filepath.Join(m.dir, "files/handbook.md"))
	got, err2 := os.ReadFile(filepath.Join(folder, "files/handbook.md"))
	if err != nil || err2 != nil || string(got) != string(want) {
		m.Errorf("%q %v %v", got, err, err2)
	}
	m.requireOutput(0, "", "diff", "out/agent.yaml", "--prune")
	if status, _, errs := runCommand(m.T, "export-agent", agent, "--out", folder); status != 1 ||
		!strings.Contains(errs, "file exists") {
		m.Errorf("%d %s", status, errs)
	}
}

func TestManifestFaultsNameTheirLines(t *testing.T) {
	b := newManifestTest(t)
	t.Setenv("SHOP_API_KEY", "")
	file := b.writeFile("bad.yaml", strings.Join([]string{
		"agent: {key: support}",            // 1
		"settings:",                        // 2
		"  name: Support",                  // 3
		"  temp: 3",                        // 4
		"  temp: 0.1",                      // 5
		"actions:",                         // 6
		"- key: track",                     // 7
		"  kind: http",                     // 8
		"  name: track",                    // 9
		"  description: Tells.",            // 10
		"  enabled: yes",                   // 11
		"- key: look",                      // 12
		"  kind: http",                     // 13
		"  name: look",                     // 14
		"  description: Looks.",            // 15
		"  config:",                        // 16
		"    url: https://x.example/",      // 17
		"    headers:",                     // 18
		"      X-Api-Key: ${SHOP_API_KEY}", // 19
		"sources:",                         // 20
		"- {key: a, name: A, file: a.md}",  // 21
		"helpdesk: {teams: [{key: a, name: A, members: [{email: jo@x.example}]}]}", // 22
		"---",
		"agent: {key: other}", // 24
	}, "\n"))
	want := "parley: " + file + " is not as it must be.\n"
	for _, line := range []string{
		":4: settings.temp: must be from 0 to 1",
		":5: settings.temp: is there twice",
		":11: actions.0.enabled: must be true or false",
		":19: actions.1.config.headers.X-Api-Key: names ${SHOP_API_KEY}, and the environment of this command has " +
			"no SHOP_API_KEY",
		":21: sources.0.file: cannot be read: stat " + filepath.Join(b.dir, "a.md") + ": no such file or directory",
		":22: helpdesk.teams.0.members.0.email: jo@x.example is not a member of the account; `parley member add` makes one",
		":24: settings.name: is required for a new agent",
	} {
		want += "  " + file + line + "\n"
	}
	for command, status := range map[string]int{"apply": 1, "diff": 2} {
		if got, out, errs := b.run(command, "bad.yaml"); got != status || out != "" || errs != want {
			t.Errorf("%s: status %d, %q\n%s\nwant\n%s", command, got, out, errs, want)
		}
	}
	if _, _, errs := b.run("apply", "bad.yaml", "--json"); !strings.Contains(errs,
		`bad.yaml:22: helpdesk.teams.0.members.0.email":"jo@x.example`) {
		t.Error(errs)
	}
	b.writeFile("loud.yaml",
		"agent: {key: x}\nsettings: {name: X}\nactions:\n- {key: a, kind: http, name: a, description: d, config: "+
			"{url: \"https://x.example\", headers: {Authorization: Bearer abcdefgh12345678}}}\n")
	b.requireOutput(0, "warning: "+filepath.Join(b.dir, "loud.yaml")+
		":4: actions.0.config.headers.Authorization: looks like a key", "apply", "loud.yaml", "--dry-run")
	b.requireOutput(2, "no such file", "diff", "none.yaml")
	b.writeFile("wrong.yaml", "a: [\n")
	b.requireOutput(1, "wrong.yaml:", "apply", "wrong.yaml")
	if list := runJSON[[]admin.Account](t, "account", "list"); len(list) != 1 {
		t.Error(list)
	}
}
