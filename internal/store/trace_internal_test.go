package store

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"parley"
)

func TestTraceIsReadAsItWasWritten(t *testing.T) {
	full := parley.Trace{TurnID: "turn", MessageID: "message", State: TurnDone, Model: "m", BackEnd: "b",
		PromptVersion: "3", ConfigVersion: 7, Question: "Where?", SearchMethod: "words",
		Passages: []parley.TracePassage{
			{ID: "p1", SourceID: "s1", Name: "Manual", Heading: "Install > Linux", Rank: 12.5, Score: .25, IsCited: true,
				Quotes: []string{"one", "two"}},
			{ID: "p2", SourceID: "s1", Name: "Manual", Rank: 3, Score: .125},
			{ID: "p3", SourceID: "s2", Name: "Prices", IsCited: true}},
		ToolCalls: []string{"find success"}, InputTokens: 5, OutputTokens: 6, Refused: true,
		Bounds: &parley.AnswerBounds{Sure: .5, Unsure: .25}, Reason: parley.ReasonOffTopic,
		Rewrite: &parley.TraceRewrite{State: "model", Millis: 1.5}, Error: "late",
		Rerank: &parley.TraceRerank{State: "done", Millis: 2.5, Candidates: 30, Scores: []float64{.5, -1.25, -11.5}},
		Millis: parley.TraceMillis{RetrievalDone: 1, FirstToken: 2.5, AnswerDone: 3}}
	empty := parley.Trace{TurnID: "turn", State: TurnFailed, Passages: []parley.TracePassage{}, ToolCalls: []string{}}
	for _, want := range []parley.Trace{full, empty} {
		long, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		short := encodeTrace(&want).(string)
		for _, text := range []string{short, string(long)} { // as it is stored now, and as it was
			got := parley.Trace{TurnID: want.TurnID, MessageID: want.MessageID, State: want.State}
			if err := (traceDest{&got}).Scan(text); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v\n%s\nread %+v\nwant %+v", err, text, got, want)
			}
		}
		if len(short) > len(long)*2/3 {
			t.Errorf("%d of %d bytes", len(short), len(long))
		}
		if strings.Contains(short, `"refused":true`) != want.Refused {
			t.Error("whether it refused is not found in", short)
		}
	}
	for _, damaged := range []string{`{"v":2,"h":[["p",3,"",0,0]]}`, `{"v":2,"h":[["p"]]}`, `{"v":2,"h":1}`, `[`} {
		if err := (traceDest{&parley.Trace{}}).Scan(damaged); err == nil {
			t.Error("read", damaged)
		}
	}
}

func BenchmarkEncodeTrace(b *testing.B) {
	t := parley.Trace{Model: "m", BackEnd: "b", Question: "Where is my parcel?"}
	for range 12 {
		t.Passages = append(t.Passages, parley.TracePassage{ID: "01900000-0000-7000-8000-000000000000",
			SourceID: "01900000-0000-7000-8000-000000000001", Name: "Manual", Heading: "Install > Linux", Rank: 12.52345,
			Score: .2523})
	}
	for b.Loop() {
		encodeTrace(&t)
	}
}
