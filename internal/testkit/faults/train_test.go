package faults

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

// If a server is killed while it writes the passages of a large text, the text is trained once after the next start: no
// passage is missing or doubled, and until then the earlier version answers.
func TestKillTraining(t *testing.T) {
	check.SkipUnderRace(t)
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "data")
		killTraining(t, cycleCount(t, 3, 100), dir, "")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killTraining(t, cycleCount(t, 1, 40), t.TempDir(), dbs.SharedPostgres(t).NewDatabase(t))
	})
}

// handbookText returns a text of nearly 1 MB, the limit of a text. One of its sentences contains the number.
func handbookText(number int) string {
	var b strings.Builder
	for i := range 2400 {
		if i == 1200 {
			fmt.Fprintf(&b, "## The depot\n\nThe depot of the ferries opens at gate number %d.\n\n", number)
		}
		fmt.Fprintf(&b,
			"## Rule %d of edition %d\n\nA parcel of kind %d is to be handed over in hall %d, and its receipt is "+
				"kept for %d days. "+
				"Whoever collects it shows a card. What nobody collects within that time goes back to where it "+
				"came from, and is not charged. "+
				"For parcels of more than thirty kilograms a second person is needed, and the lift beside hall %d.\n\n", i,
			number, i, i%40, i%365, i%7)
	}
	return b.String()
}

// trainingTest is a server with one source that is changed again and again.
type trainingTest struct {
	*testing.T
	serverArgs    []string
	databaseURL   string // of the database, or its URL
	client        *testkit.VerifyingClient
	agent, source string
}

func killTraining(t *testing.T, n int, dir, url string) {
	tr := &trainingTest{T: t, serverArgs: []string{"--data", dir}, databaseURL: filepath.Join(dir, "parley.db")}
	if url != "" {
		tr.serverArgs, tr.databaseURL = append(tr.serverArgs, "--database-url", url), url
	}
	var account admin.CreatedAccount
	runCommand(t, &account, append([]string{"account", "create", "--name", "Own"}, tr.serverArgs...)...)
	server, address := startServer(t, tr.serverArgs...)
	t.Cleanup(func() { server.kill() })
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	tr.client = testkit.NewVerifyingClient(address, account.APIKey, &http.Client{Transport: transport})
	tr.createSource()
	whole := tr.measureTraining(1)
	midWriting := 0
	for i := range n + 20 {
		tr.changeSource(i + 2)
		if i < n {
			<-time.After(whole * time.Duration(i+1) / time.Duration(n+1))
		} else { // no kill came in the middle
			tr.stopWhenWritten(server)
		}
		server.kill()
		if tr.isHalfWritten() {
			midWriting++
		}
		server, address = startServer(t, tr.serverArgs...)
		tr.client.SetURL(address)
		tr.checkAnswers(i+1, i+2)
		tr.requirePassagesOnce()
		if i >= n-1 && midWriting > 0 {
			break
		}
	}
	t.Logf("%d kills came in the midst of writing", midWriting)
	if midWriting == 0 {
		t.Error("no kill came while passages were written")
	}
}

func (tr *trainingTest) requireNoError(err error) {
	tr.Helper()
	if err != nil {
		tr.Fatal(err)
	}
}

func (tr *trainingTest) createSource() {
	var err error
	tr.agent, err = tr.client.CreateAgent(tr.Context(), "Guide")
	tr.requireNoError(err)
	tr.source, err = tr.client.AddSource(tr.Context(), tr.agent, "Handbook", handbookText(0))
	tr.requireNoError(err)
	tr.waitUntilTrained()
}

func (tr *trainingTest) sourcePath() string { return "/agents/" + tr.agent + "/sources/" + tr.source }

func (tr *trainingTest) changeSource(number int) {
	tr.requireNoError(tr.client.Do(tr.Context(), http.MethodPut, tr.sourcePath(),
		map[string]any{"content": handbookText(number)}, &struct{}{}))
}

func (tr *trainingTest) sourceStatus() string {
	var src struct{ Status string }
	tr.requireNoError(tr.client.Do(tr.Context(), http.MethodGet, tr.sourcePath(), nil, &src))
	return src.Status
}

// waitUntilTrained waits until the source is trained.
func (tr *trainingTest) waitUntilTrained() {
	for began := time.Now(); tr.sourceStatus() != "trained"; <-time.After(20 * time.Millisecond) {
		if time.Since(began) > 2*testkit.SettleTimeout {
			tr.Fatal("the source is not trained: ", tr.sourceStatus())
		}
	}
}

// measureTraining returns how long an undisturbed change takes.
func (tr *trainingTest) measureTraining(number int) time.Duration {
	began := time.Now()
	tr.changeSource(number)
	tr.waitUntilTrained()
	return time.Since(began)
}

// checkAnswers asks until the source is trained: first the previous version must answer, and then the new one.
func (tr *trainingTest) checkAnswers(before, now int) {
	for began := time.Now(); ; <-time.After(100 * time.Millisecond) {
		earlier := tr.sourceStatus()
		text := tr.askQuestion()
		after := tr.sourceStatus()
		old, fresh := strings.Contains(text, fmt.Sprintf("gate number %d.", before)),
			strings.Contains(text, fmt.Sprintf("gate number %d.", now))
		if earlier == "trained" && !fresh || after != "trained" && !old || !old && !fresh {
			tr.Fatalf("%s, then %s: %q does not tell the gate, %d before and %d now", earlier, after, text, before, now)
		}
		if earlier == "trained" {
			return
		}
		if time.Since(began) > 2*testkit.SettleTimeout {
			tr.Fatal("the source is not trained: ", after)
		}
	}
}

func (tr *trainingTest) askQuestion() string {
	var reply struct {
		Data struct {
			Parts []struct{ Text string }
		}
	}
	tr.requireNoError(tr.client.Do(tr.Context(), http.MethodPost, "/agents/"+tr.agent+"/chat",
		map[string]any{"message": "At which gate number does the depot of the ferries open?"}, &reply))
	var text strings.Builder
	for _, p := range reply.Data.Parts {
		text.WriteString(p.Text)
	}
	return text.String()
}

// queryDatabase asks the database beside a server, or without one.
func (tr *trainingTest) queryDatabase(ask func(db *sqldb.DB)) {
	tr.Helper()
	db, err := sqldb.Open(context.WithoutCancel(tr.Context()), sqldb.Config{URL: tr.databaseURL})
	tr.requireNoError(err)
	ask(db)
	tr.requireNoError(db.Close())
}

// isHalfWritten reports whether some passages of the wanted version are written and it is not live. No server runs.
func (tr *trainingTest) isHalfWritten() (half bool) {
	tr.queryDatabase(func(db *sqldb.DB) {
		var n int
		tr.requireNoError(db.QueryRow(tr.Context(),
			`select count(*) from passages p join sources s on s.id = p.source_id and s.wanted_version = p.version_id
			where s.id = ? and s.wanted_version <> s.live_version`, tr.source).Scan(&n))
		half = n > 0
	})
	return half
}

// stopWhenWritten stops the server once it has written some passages of the wanted version, or all. The server stands
// still whenever the database is read, so that it does not finish meanwhile.
func (tr *trainingTest) stopWhenWritten(server *serverProcess) {
	tr.queryDatabase(func(db *sqldb.DB) {
		for began := time.Now(); ; <-time.After(time.Millisecond) {
			tr.requireNoError(server.cmd.Process.Signal(syscall.SIGSTOP))
			var n int
			err := db.QueryRow(tr.Context(),
				`select count(*) from passages p join sources s on s.id = p.source_id
					and s.wanted_version = p.version_id where s.id = ?`,
				tr.source).Scan(&n)
			if err == nil && n > 0 {
				return
			}
			tr.requireNoError(server.cmd.Process.Signal(syscall.SIGCONT))
			if time.Since(began) > 2*testkit.SettleTimeout {
				tr.Fatal("no passage is written: ", err)
			}
		}
	})
}

// requirePassagesOnce checks that the live version's passages are there, each once.
func (tr *trainingTest) requirePassagesOnce() {
	tr.Helper()
	tr.queryDatabase(func(db *sqldb.DB) {
		var n, different, last, foreign int
		tr.requireNoError(db.QueryRow(tr.Context(),
			`select count(*), count(distinct p.ordinal), max(p.ordinal) from passages p
			join sources s on s.id = p.source_id and s.live_version = p.version_id where s.id = ? and s.status = 'trained'`,
			tr.source).Scan(&n, &different, &last))
		tr.requireNoError(db.QueryRow(tr.Context(),
			`select count(*) from passages where source_id = ? and version_id not in (select id from source_versions
				where source_id = ?)`,
			tr.source, tr.source).Scan(&foreign))
		if n == 0 || n != different || n != last+1 || foreign != 0 {
			tr.Errorf("%d passages, %d different ones, the last is the %dth, %d of no version", n, different, last+1, foreign)
		}
	})
}
