package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley"
)

// QnA is an answer with the questions that it answers (interface 4.1, facts 4.11).
type QnA struct {
	Name      string
	Questions []string // 1 to 50
	Answer    string
}

// QnAChange is what is to become of a QnA; nil fields stay.
type QnAChange struct {
	Name      *string
	Questions []string
	Answer    *string
}

// asked is the content of a version of a QnA. The version's text is the questions, a line each, and after an empty line the answer.
type asked struct {
	Questions []string `json:"questions"`
	Answer    string   `json:"answer"`
}

// AddQnA gives the agent an answer to questions; it is trained right away by a chore. Fails as AddText does.
func (d *Desk) AddQnA(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, q QnA) (*parley.Source, error) {
	w := d.written(account, agent, parley.SourceQnA, &q.Name, nil)
	if err := (asked{q.Questions, q.Answer}).onto(&w.version); err != nil {
		return nil, err
	}
	w.source.Size = int64(len(w.version.Text))
	return d.add(ctx, w, plan)
}

// ChangeQnA changes an answer, its questions or its name. The earlier version answers until the new one is trained; a change that
// changes nothing leaves no trace. Fails as ChangeText does, with SOURCE_NOT_FOUND for a source that is no QnA.
func (d *Desk) ChangeQnA(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, id parley.SourceID, change QnAChange) (*parley.Source, error) {
	return d.change(ctx, d.written(account, agent, parley.SourceQnA, change.Name, func(was, v *parley.Version) error {
		var a asked
		if err := json.Unmarshal(was.Content, &a); err != nil {
			return err
		}
		if change.Questions != nil {
			a.Questions = change.Questions
		}
		if change.Answer != nil {
			a.Answer = *change.Answer
		}
		return a.onto(v)
	}), id, plan)
}

// onto writes the version's text and content.
func (a asked) onto(v *parley.Version) (err error) {
	for i, q := range a.Questions {
		a.Questions[i] = strings.ToValidUTF8(storable(q), "\ufffd")
	}
	a.Answer = strings.ToValidUTF8(storable(a.Answer), "\ufffd")
	setText(v, strings.Join(a.Questions, "\n")+"\n\n"+a.Answer)
	v.Content, err = a.encoded()
	return err
}

// encoded is the content as it is stored: as large as it is, where marks of HTML written for a script would take six
// times that.
func (a asked) encoded() (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(a)
	return bytes.TrimSpace(b.Bytes()), err
}

// Sizes in bytes of the questions above a passage.
const (
	questionBytes = 300 // of one
	leadBytes     = 8000
	firstBytes    = 16000 // has room for 50 of them
)

// pieces cuts the answer, which ends the text, and sets the questions above it as its heading, by which they are
// found: all of them above the first piece, and above the others as many as there is room for.
func (a asked) pieces(text string) []Piece {
	start, taken := len(text)-len(a.Answer), 0
	list := Split(a.Answer)
	if len(list) == 0 && strings.TrimSpace(a.Answer) != "" { // nothing but markup
		list = slices.Collect(stretches(a.Answer, Piece{End: len(a.Answer)}))
	}
	for _, p := range list {
		taken += p.Takes()
	}
	lead := a.lead(firstBytes)
	room := (timesRow*len(text) + slack - taken - len(lead)) / max(len(list), 1)
	for i, p := range list {
		if i == 1 {
			lead = a.lead(min(leadBytes, room))
		}
		list[i] = Piece{Heading: joined(lead, p.Heading), Start: start + p.Start, End: start + p.End}
	}
	return list
}

// lead is the questions in no more than so many bytes.
func (a asked) lead(most int) string {
	var b strings.Builder
	for _, q := range a.Questions {
		q = strings.Join(strings.Fields(q), " ")
		q = q[:cutAt(q, questionBytes)]
		if b.Len()+len(q) > most {
			break
		}
		if q != "" && b.Len() > 0 {
			b.WriteString(between)
		}
		b.WriteString(q)
	}
	return b.String()
}

// joined puts one path of titles below another; either may be empty.
func joined(above, below string) string {
	if above == "" || below == "" {
		return above + below
	}
	return above + between + below
}
