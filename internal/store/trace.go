package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"parley"
)

// compactTrace is a trace as it is stored: without what the turn's own columns say, each source once, and a passage as
// a list. It takes about a third of the space of the trace's own JSON, in which earlier versions stored it.
type compactTrace struct {
	Version       int                  `json:"v"`
	Model         string               `json:"m"`
	BackEnd       string               `json:"b"`
	PromptVersion string               `json:"p"`
	ConfigVersion int64                `json:"c"`
	Question      string               `json:"q"`
	SearchMethod  string               `json:"s,omitempty"`
	Sources       []compactSource      `json:"d,omitempty"`
	Passages      compactPassages      `json:"h,omitempty"`
	ToolCalls     []string             `json:"t,omitempty"`
	InputTokens   int                  `json:"i"`
	OutputTokens  int                  `json:"o"`
	Refused       bool                 `json:"refused,omitempty"` // Utterances looks for it in the text
	Unsure        bool                 `json:"unsure,omitempty"`
	Bounds        *parley.AnswerBounds `json:"f,omitempty"`
	Reason        parley.AnswerReason  `json:"r,omitempty"`
	Rewrite       *parley.TraceRewrite `json:"w,omitempty"`
	Rerank        *parley.TraceRerank  `json:"k,omitempty"`
	Millis        [3]float64           `json:"x"` // retrieval done, first token, answer done
	Error         string               `json:"e,omitempty"`
}

// compactTraceVersion is the format above; JSON without a version is that of parley.Trace.
const compactTraceVersion = 2

// compactSource is a list of an id and a name.
type compactSource [2]string

// compactPassage is a list of its id, the place of its source in the list of sources, heading, rank and score, and
// where it is cited the quotes.
type compactPassage struct {
	id, heading string
	source      int
	rank, score float64
	isCited     bool
	quotes      []string
}

// compactPassages are encoded by hand: each turn has a dozen of them.
type compactPassages []compactPassage

// MarshalJSON implements json.Marshaler.
func (list compactPassages) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 128*len(list)+2)
	for i := range list {
		b = list[i].append(append(b, ','))
	}
	if len(b) == 0 {
		return []byte("[]"), nil
	}
	b[0] = '['
	return append(b, ']'), nil
}

func (p *compactPassage) append(b []byte) []byte {
	b = appendJSONText(append(b, '['), p.id)
	b = strconv.AppendInt(append(b, ','), int64(p.source), 10)
	b = appendJSONText(append(b, ','), p.heading)
	for _, x := range []float64{p.rank, p.score} {
		b = strconv.AppendFloat(append(b, ','), roundTo(x, 1e4), 'f', -1, 64)
	}
	if p.isCited {
		quotes, _ := json.Marshal(p.quotes) // texts always encode
		b = append(append(b, ','), quotes...)
	}
	return append(b, ']')
}

// appendJSONText appends a text in quotes.
func appendJSONText(b []byte, text string) []byte {
	plain := utf8.ValidString(text)
	for i := 0; plain && i < len(text); i++ {
		plain = text[i] >= ' ' && text[i] != '"' && text[i] != '\\'
	}
	if !plain {
		quoted, _ := json.Marshal(text) // a text always encodes
		return append(b, quoted...)
	}
	return append(append(append(b, '"'), text...), '"')
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *compactPassage) UnmarshalJSON(b []byte) error {
	list := []any{&p.id, &p.source, &p.heading, &p.rank, &p.score, &p.quotes}
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if p.isCited = len(list) == 6; len(list) < 5 {
		return fmt.Errorf("a passage with %d values", len(list))
	}
	return nil
}

func roundTo(x, parts float64) float64 { return math.Round(x*parts) / parts }

// encodeTrace returns the trace as it is stored.
func encodeTrace(t *parley.Trace) any {
	c := compactTrace{Version: compactTraceVersion, Model: t.Model, BackEnd: t.BackEnd, PromptVersion: t.PromptVersion,
		ConfigVersion: t.ConfigVersion, Question: t.Question, SearchMethod: t.SearchMethod, ToolCalls: t.ToolCalls,
		InputTokens: t.InputTokens, OutputTokens: t.OutputTokens, Refused: t.Refused, Unsure: t.Unsure,
		Bounds: t.Bounds, Reason: t.Reason, Rewrite: t.Rewrite, Rerank: t.Rerank, Error: t.Error,
		Millis: [3]float64{t.Millis.RetrievalDone, t.Millis.FirstToken, t.Millis.AnswerDone}}
	places := map[compactSource]int{}
	for _, p := range t.Passages {
		s := compactSource{string(p.SourceID), p.Name}
		if _, ok := places[s]; !ok {
			places[s] = len(c.Sources)
			c.Sources = append(c.Sources, s)
		}
		c.Passages = append(c.Passages, compactPassage{id: string(p.ID), heading: p.Heading, source: places[s],
			rank: p.Rank, score: p.Score, isCited: p.IsCited, quotes: p.Quotes})
	}
	return toJSON(c)
}

// traceDest reads a trace behind the columns that it does not hold; null leaves it as it is.
type traceDest struct{ trace *parley.Trace }

// Scan implements sql.Scanner.
func (d traceDest) Scan(v any) error {
	var text sql.NullString
	if err := text.Scan(v); err != nil || !text.Valid {
		return err
	}
	before := *d.trace
	if err := decodeTrace([]byte(text.String), d.trace); err != nil {
		return fmt.Errorf("trace of turn %s: %w", before.TurnID, err)
	}
	d.trace.State = before.State
	return nil
}

// decodeTrace reads a trace that is stored in this or the earlier format. The ids and the state are the caller's to
// set.
func decodeTrace(text []byte, t *parley.Trace) error {
	var format struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(text, &format); err != nil {
		return err
	}
	if format.Version != compactTraceVersion {
		return json.Unmarshal(text, t)
	}
	var c compactTrace
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	*t = parley.Trace{TurnID: t.TurnID, MessageID: t.MessageID, State: t.State, Model: c.Model, BackEnd: c.BackEnd,
		PromptVersion: c.PromptVersion, ConfigVersion: c.ConfigVersion, Question: c.Question,
		SearchMethod: c.SearchMethod, Passages: []parley.TracePassage{}, ToolCalls: append([]string{}, c.ToolCalls...),
		InputTokens: c.InputTokens, OutputTokens: c.OutputTokens, Refused: c.Refused, Unsure: c.Unsure,
		Bounds: c.Bounds, Reason: c.Reason, Rewrite: c.Rewrite, Rerank: c.Rerank, Error: c.Error,
		Millis: parley.TraceMillis{RetrievalDone: c.Millis[0], FirstToken: c.Millis[1], AnswerDone: c.Millis[2]}}
	for _, p := range c.Passages {
		if p.source < 0 || p.source >= len(c.Sources) {
			return fmt.Errorf("passage %s has no source", p.id)
		}
		s := c.Sources[p.source]
		t.Passages = append(t.Passages, parley.TracePassage{ID: parley.PassageID(p.id), SourceID: parley.SourceID(s[0]),
			Name: s[1], Heading: p.heading, Rank: p.rank, Score: p.score, IsCited: p.isCited, Quotes: p.quotes})
	}
	return nil
}
