package main

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
)

func TestTraceTellsOnlyWhatIsKnown(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var out commandOutput
	p := &process{stdout: &out}
	p.printTurn(admin.TurnTrace{StartedAt: at,
		Trace: parley.Trace{TurnID: "t1", State: "failed", Error: "the server stopped"}})
	if want := "Turn t1, 2026-11-21T12:00:00Z, failed\nerror       the server stopped\n"; out.String() != want {
		t.Errorf("a crashed turn:\n%s", out.String())
	}
}

func TestTraceMarksWhatIsCited(t *testing.T) {
	withoutSource := admin.PassageTrace{TracePassage: parley.TracePassage{ID: "p2", Name: "Handbook", Heading: "Leave",
		Rank: 0.5, IsCited: true, Quotes: []string{"Thirty days."}}}
	withSource := admin.PassageTrace{TracePassage: parley.TracePassage{ID: "p1", Name: "Handbook", Rank: 0.75},
		Text: "All of it.\n"}
	var out commandOutput
	p := &process{stdout: &out}
	p.printTurn(admin.TurnTrace{Trace: parley.Trace{TurnID: "t1", State: "done", Model: "auto"},
		Passages: []admin.PassageTrace{withSource, withoutSource}})
	for _, want := range []string{
		"passage 1   0.750  Handbook  (p1)\n            All of it.\n",
		"passage 2   0.500  cited  Handbook › Leave  (p2)\n", "“Thirty days.”\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
