package main

import (
	"database/sql"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"
)

// onTrial is stub and floor in this process.
func onTrial(t *testing.T) (b *bench, dir string) {
	t.Helper()
	model := httptest.NewServer(newStub())
	t.Cleanup(model.Close)
	dir = t.TempDir()
	f, err := newFloor(t.Context(), dir, model.URL)
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
	return &bench{stub: &child{url: model.URL}, floor: &child{url: server.URL}}, dir
}

func TestFloorAndStubAnswerToTheWord(t *testing.T) {
	b, dir := onTrial(t)
	for name, target := range map[string]*target{"stub": b.direct(), "floor": b.floor.ground(nil), "lean floor": b.floor.ground(asksWhole)} {
		for _, stream := range []bool{false, true} {
			if stream && name == "lean floor" {
				continue
			}
			a, err := target.exact(t.Context(), question{model: instant, message: "?", stream: stream}, said(instant))
			if err != nil {
				t.Errorf("%s, stream %v: %v", name, stream, err)
			}
			if a.first <= 0 || a.first > a.total {
				t.Errorf("%s, stream %v: first token after %v of %v", name, stream, a.first, a.total)
			}
		}
	}
	if n := written(t, dir); n != 3 {
		t.Errorf("%d turns are written down, want 3", n)
	}
}

func written(t *testing.T, dir string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, grouped+".db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("select count(*) from turns where length(answer) = ?", len(said(instant))).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFloorRefusesAnUnknownKey(t *testing.T) {
	b, _ := onTrial(t)
	target := b.floor.ground(nil)
	target.key = "other"
	if _, err := target.ask(t.Context(), question{model: instant}); err == nil {
		t.Error("an unknown key got an answer")
	}
}

func TestFinderLooksForTheWordBesideTheQuestion(t *testing.T) {
	b, _ := onTrial(t)
	word := code(3)
	for message, want := range map[string]string{"Where is " + word + "?": absent, "It is here: " + word + ". Where is " + word + "?": found, "Where?": absent} {
		if _, err := b.direct().exact(t.Context(), question{model: finder, message: message}, want); err != nil {
			t.Error(err)
		}
	}
}

func TestDriveCountsEachAnswer(t *testing.T) {
	b, dir := onTrial(t)
	c := &contender{target: b.floor.ground(nil), question: question{model: instant, stream: true}}
	got := c.drive(t.Context(), 4, 50*time.Millisecond)
	if got.failed > 0 || len(got.total) == 0 || len(got.total) != written(t, dir) {
		t.Errorf("%d answers, %d failed (%v), %d written", len(got.total), got.failed, got.why, written(t, dir))
	}
}
