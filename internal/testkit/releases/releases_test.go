// Package releases holds databases as released versions of the program have left them, and checks that this one works
// on them. When a version is released, its databases are made by
//
//	go test ./internal/testkit/releases -run TestWriteRelease -release 0.1.0
package releases_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named pgx

	"parley/internal/api/admin"
	"parley/internal/backup"
	"parley/internal/doctor"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

var newRelease = flag.String("release", "", "make the databases of this version")

const (
	maxBytes  = 1 << 20 // of a file of testdata
	secretKey = "an installation's key for tests"
	question  = "When do you open?"
)

// release is what the databases of a version hold.
type release struct {
	Key          string   // API key of the account
	Agent        string   // which has a text and a question with its answer as sources
	Conversation string   // in which it has answered
	Messages     []string // of that conversation
	Webhook      string   // whose secret is sealed
	Sources      int
}

type fields = map[string]any

// open runs a server at the time of the releases.
func open(t *testing.T, data, url string) *testkit.Server {
	t.Helper()
	return testkit.Open(t, testkit.WithDatabase(data, url), testkit.WithClock(clock.New()),
		testkit.WithConfig(func(c *server.Config) { c.SecretKey, c.Version = secretKey, *newRelease }))
}

// fill stores what a shop has: an agent that has read, answered and handed over, a ticket, a member and a webhook.
func fill(t *testing.T, s *testkit.Server) *release {
	t.Helper()
	r := &release{Key: s.Key, Agent: s.NewAgent(t, s.Key, "# Opening hours\n\nThe shop opens at nine on weekdays."),
		Sources: 2}
	sources := "/agents/" + r.Agent + "/sources"
	s.Do(t, "POST", sources, s.Key, fields{"type": "qna", "name": "Vouchers",
		"questions": []string{"Do you sell vouchers?"}, "answer": "Yes, from ten euros."}).Decode(t,
		http.StatusCreated, &fields{})
	check.Must(t, s.Runner.WaitIdle(t.Context()))
	r.Conversation = ask(t, s, r, question).ConversationID
	ask(t, s, r, "I want to talk to a human.")
	r.Messages = messages(t, s, r)
	s.Do(t, "POST", "/agents/"+r.Agent+"/helpdesk/tickets", s.Key, fields{"subject": "A parcel",
		"description": "It is late.", "customer": fields{"email": "customer@example.com"}}).Decode(t,
		http.StatusCreated, &fields{})
	_, err := admin.RunOn(t.Context(), s.AdminService, admin.AddMember, admin.NewMember{AccountID: s.Account,
		Email: "member@example.com", Name: "Member", Role: "owner"})
	check.Must(t, err)
	hook, err := admin.RunOn(t.Context(), s.AdminService, admin.AddWebhook, admin.NewWebhook{AgentID: r.Agent,
		Endpoint: "https://example.com/hook", Events: []string{"leads.submit"}})
	check.Must(t, err)
	r.Webhook = hook.WebhookID
	check.Must(t, s.Runner.WaitIdle(t.Context()))
	return r
}

// answer is what an agent says.
type answer struct{ ConversationID, Text string }

func ask(t *testing.T, s *testkit.Server, r *release, message string) answer {
	t.Helper()
	var reply struct {
		Data struct {
			Parts    []struct{ Text string }
			Metadata struct{ ConversationID string }
		}
	}
	s.Do(t, "POST", "/agents/"+r.Agent+"/chat", r.Key, fields{"message": message, "stream": false}).Decode(t,
		http.StatusOK, &reply)
	text := ""
	for _, p := range reply.Data.Parts {
		text += p.Text
	}
	return answer{reply.Data.Metadata.ConversationID, text}
}

// messages returns the texts of the conversation.
func messages(t *testing.T, s *testkit.Server, r *release) (texts []string) {
	t.Helper()
	var page struct {
		Data []struct{ Parts []struct{ Text string } }
	}
	path := "/agents/" + r.Agent + "/conversations/" + r.Conversation + "/messages"
	s.Do(t, "GET", path, r.Key, nil).Decode(t, http.StatusOK, &page)
	for _, m := range page.Data {
		for _, p := range m.Parts {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// TestWriteRelease makes the databases of a new version: a backup of SQLite, and a dump of PostgreSQL.
func TestWriteRelease(t *testing.T) {
	if *newRelease == "" {
		t.Skip("SKIP: no release is named")
	}
	data := filepath.Join(t.TempDir(), "data")
	var onSQLite, onPostgres *release
	t.Run("sqlite", func(t *testing.T) { onSQLite = fill(t, open(t, data, "")) })
	in := newInstallation(data)
	stored, err := in.Write(t.Context(), t.TempDir(), true)
	check.Must(t, err)
	archive, err := os.ReadFile(stored.Path)
	check.Must(t, err)
	writeFile(t, ".tar.gz", archive)
	writeJSON(t, ".sqlite.json", onSQLite)

	postgres := dbs.SharedPostgres(t)
	url := postgres.NewStore(t)
	t.Run("postgres", func(t *testing.T) { onPostgres = fill(t, open(t, t.TempDir(), url)) })
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	check.Must(t, err)
	_, err = w.Write(postgres.Dump(t, url))
	check.Must(t, errors.Join(err, w.Close()))
	writeFile(t, ".sql.gz", zipped.Bytes())
	writeJSON(t, ".postgres.json", onPostgres)
}

func newInstallation(data string) *backup.Installation {
	return &backup.Installation{Data: data, Program: *newRelease, Now: clock.New().Now,
		Logger: slog.New(slog.DiscardHandler)}
}

func writeJSON(t *testing.T, ending string, r *release) {
	t.Helper()
	text, err := json.MarshalIndent(r, "", "  ")
	check.Must(t, err)
	writeFile(t, ending, append(text, '\n'))
}

func writeFile(t *testing.T, ending string, content []byte) {
	t.Helper()
	if len(content) > maxBytes {
		t.Errorf("%s has %d bytes", ending, len(content))
	}
	check.Must(t, os.WriteFile(filepath.Join("testdata", *newRelease+ending), content, 0o600))
}

// This program brings the database of every release up to date, loses nothing, and works on it.
func TestUpgradeFromReleases(t *testing.T) {
	for _, kind := range []struct {
		name    string
		restore func(t *testing.T, file, data string) (url string)
		ending  string
	}{{"sqlite", restoreSQLite, ".tar.gz"}, {"postgres", restorePostgres, ".sql.gz"}} {
		files, err := filepath.Glob("testdata/*." + kind.name + ".json")
		if err != nil || len(files) == 0 {
			t.Errorf("no release for %s: %v", kind.name, err)
		}
		for _, file := range files {
			version := strings.TrimSuffix(filepath.Base(file), "."+kind.name+".json")
			t.Run(kind.name+" "+version, func(t *testing.T) {
				text, err := os.ReadFile(file)
				check.Must(t, err)
				r := &release{}
				check.Must(t, json.Unmarshal(text, r))
				data := filepath.Join(t.TempDir(), "data")
				url := kind.restore(t, filepath.Join("testdata", version+kind.ending), data)
				checkUpgraded(t, r, data, url)
			})
		}
	}
}

// restoreSQLite restores the backup of a release.
func restoreSQLite(t *testing.T, file, data string) (url string) {
	t.Helper()
	_, err := newInstallation(data).Restore(t.Context(), file, false)
	check.Must(t, err)
	return ""
}

// restorePostgres makes a database of the dump of a release.
func restorePostgres(t *testing.T, file, data string) (url string) {
	t.Helper()
	check.Must(t, os.Mkdir(data, 0o700))
	zipped, err := os.Open(file)
	check.Must(t, err)
	defer func() { _ = zipped.Close() }()
	reader, err := gzip.NewReader(zipped)
	check.Must(t, err)
	statements, err := io.ReadAll(reader)
	check.Must(t, err)
	url = dbs.SharedPostgres(t).NewDatabase(t)
	pool, err := sql.Open("pgx", url)
	check.Must(t, err)
	_, err = pool.ExecContext(t.Context(), string(statements))
	check.Must(t, errors.Join(err, pool.Close()))
	return url
}

func checkUpgraded(t *testing.T, r *release, data, url string) {
	t.Helper()
	s := open(t, data, url)
	if got := messages(t, s, r); !slices.Equal(got, r.Messages) {
		t.Errorf("the messages are %q instead of %q", got, r.Messages)
	}
	var sources struct{ Data []struct{ Status string } }
	s.Do(t, "GET", "/agents/"+r.Agent+"/sources", r.Key, nil).Decode(t, http.StatusOK, &sources)
	if len(sources.Data) != r.Sources {
		t.Errorf("the sources are %v", sources.Data)
	}
	var ticket struct{ Data struct{ Subject string } }
	s.Do(t, "GET", "/agents/"+r.Agent+"/helpdesk/tickets/1", r.Key, nil).Decode(t, http.StatusOK, &ticket)
	if a := ask(t, s, r, question); !strings.Contains(a.Text, "nine") {
		t.Errorf("the agent answers %q", a.Text)
	}
	check.Must(t, s.Runner.WaitIdle(t.Context()))
	checkHealthy(t, data, url)
}

// checkHealthy has the doctor look at what depends on the database.
func checkHealthy(t *testing.T, data, url string) {
	t.Helper()
	cfg := server.Config{Now: clock.New().Now, Logger: slog.New(slog.DiscardHandler)}
	cfg.Data, cfg.DatabaseURL, cfg.SecretKey = data, url, secretKey
	d := doctor.Doctor{Config: cfg, Deep: true}
	checks := []string{"database", "schema", "files", "secrets", "plans", "sources", "index"}
	for _, f := range d.Run(t.Context()) {
		if slices.Contains(checks, f.Check) && f.Status != doctor.OK {
			t.Errorf("%+v", f)
		}
	}
}
