package main

import (
	"database/sql"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"
)

// newTestBench is stub and floor in this process.
func newTestBench(t *testing.T) (b *bench, dir string) {
	t.Helper()
	model := httptest.NewServer(newStubModel())
	t.Cleanup(model.Close)
	dir = t.TempDir()
	f, err := newBaselineServer(t.Context(), dir, model.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f)
	t.Cleanup(func() {
		server.Close()
		if err := f.close(); err != nil {
			t.Error(err)
		}
	})
	return &bench{stub: &serverProcess{url: model.URL}, baseline: &serverProcess{url: server.URL}}, dir
}

func TestBaselineAndStubAnswerToTheWord(t *testing.T) {
	b, dir := newTestBench(t)
	for name, target := range map[string]*chatTarget{"stub": b.modelTarget(), "floor": b.baseline.baselineTarget(nil), "lean floor": b.baseline.baselineTarget(requestWholeJSON)} {
		for _, stream := range []bool{false, true} {
			if stream && name == "lean floor" {
				continue
			}
			a, err := target.askExactly(t.Context(), chatRequest{model: instantModel, message: "?", stream: stream}, scriptText(instantModel))
			if err != nil {
				t.Errorf("%s, stream %v: %v", name, stream, err)
			}
			if a.firstToken <= 0 || a.firstToken > a.total {
				t.Errorf("%s, stream %v: first token after %v of %v", name, stream, a.firstToken, a.total)
			}
		}
	}
	if n := countTurns(t, dir); n != 3 {
		t.Errorf("%d turns are written down, want 3", n)
	}
}

func countTurns(t *testing.T, dir string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, groupedCommits+".db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("select count(*) from turns where length(answer) = ?", len(scriptText(instantModel))).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBaselineRefusesAnUnknownKey(t *testing.T) {
	b, _ := newTestBench(t)
	target := b.baseline.baselineTarget(nil)
	target.key = "other"
	if _, err := target.ask(t.Context(), chatRequest{model: instantModel}); err == nil {
		t.Error("an unknown key got an answer")
	}
}

func TestFinderLooksForTheWordBesideTheQuestion(t *testing.T) {
	b, _ := newTestBench(t)
	word := newCode(3)
	for message, want := range map[string]string{"Where is " + word + "?": absentAnswer, "It is here: " + word + ". Where is " + word + "?": foundAnswer, "Where?": absentAnswer} {
		if _, err := b.modelTarget().askExactly(t.Context(), chatRequest{model: finderModel, message: message}, want); err != nil {
			t.Error(err)
		}
	}
}

func TestDriveCountsEachAnswer(t *testing.T) {
	b, dir := newTestBench(t)
	c := &contender{chatTarget: b.baseline.baselineTarget(nil), chatRequest: chatRequest{model: instantModel, stream: true}}
	got := c.askContinuously(t.Context(), 4, 50*time.Millisecond)
	if got.failures > 0 || len(got.totals) == 0 || len(got.totals) != countTurns(t, dir) {
		t.Errorf("%d answers, %d failed (%v), %d written", len(got.totals), got.failures, got.firstErr, countTurns(t, dir))
	}
}
