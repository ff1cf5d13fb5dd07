package harness

import (
	"database/sql"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"parley/bench/internal/baseline"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/stub"
)

// newTestBench runs the stub and the baseline in this process.
func newTestBench(t *testing.T) (b *Run, dir string) {
	t.Helper()
	model := httptest.NewServer(stub.NewModel())
	t.Cleanup(model.Close)
	dir = t.TempDir()
	f, err := baseline.NewServer(t.Context(), dir, model.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f)
	t.Cleanup(func() {
		server.Close()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Run{Stub: &process.Server{URL: model.URL}, Baseline: &process.Server{URL: server.URL}}, dir
}

func TestBaselineAndStubReturnTheExpectedAnswers(t *testing.T) {
	b, dir := newTestBench(t)
	for name, target := range map[string]*load.Target{"stub": b.modelTarget(),
		"baseline":      baseline.NewTarget(b.Baseline.URL, nil),
		"lean baseline": baseline.NewTarget(b.Baseline.URL, baseline.RequestWholeJSON)} {
		for _, stream := range []bool{false, true} {
			if stream && name == "lean baseline" {
				continue
			}
			a, err := target.AskExactly(t.Context(), load.Request{Model: stub.InstantModel, Message: "?",
				Stream: stream}, stub.ScriptText(stub.InstantModel))
			if err != nil {
				t.Errorf("%s, stream %v: %v", name, stream, err)
			}
			if a.FirstToken <= 0 || a.FirstToken > a.Total {
				t.Errorf("%s, stream %v: first token after %v of %v", name, stream, a.FirstToken, a.Total)
			}
		}
	}
	if n := countTurns(t, dir); n != 3 {
		t.Errorf("%d turns are written down, want 3", n)
	}
}

func countTurns(t *testing.T, dir string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, baseline.GroupedCommits+".db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("select count(*) from turns where length(answer) = ?",
		len(stub.ScriptText(stub.InstantModel))).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBaselineRefusesAnUnknownKey(t *testing.T) {
	b, _ := newTestBench(t)
	target := baseline.NewTarget(b.Baseline.URL, nil)
	target.Key = "other"
	if _, err := target.Ask(t.Context(), load.Request{Model: stub.InstantModel}); err == nil {
		t.Error("an unknown key got an answer")
	}
}

func TestFinderModelSearchesTheContext(t *testing.T) {
	b, _ := newTestBench(t)
	word := stub.NewCode(3)
	for message, want := range map[string]string{"Where is " + word + "?": stub.AbsentAnswer,
		"It is here: " + word + ". Where is " + word + "?": stub.FoundAnswer, "Where?": stub.AbsentAnswer} {
		if _, err := b.modelTarget().AskExactly(t.Context(), load.Request{Model: stub.FinderModel, Message: message},
			want); err != nil {
			t.Error(err)
		}
	}
}

func TestDriveCountsEachAnswer(t *testing.T) {
	b, dir := newTestBench(t)
	c := &load.Contender{Target: baseline.NewTarget(b.Baseline.URL, nil),
		Request: load.Request{Model: stub.InstantModel, Stream: true}}
	got := new(load.Batch)
	// on a busy machine nothing may be asked in so short a time
	for span := 50 * time.Millisecond; len(got.Totals)+got.Failures == 0; span *= 2 {
		got = c.AskContinuously(t.Context(), 4, span)
	}
	if got.Failures > 0 || len(got.Totals) == 0 || len(got.Totals) != countTurns(t, dir) {
		t.Errorf("%d answers, %d failed (%v), %d written", len(got.Totals), got.Failures, got.FirstErr, countTurns(t, dir))
	}
}
