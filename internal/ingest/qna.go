package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"parley"
)

// QnA is an answer with the questions that it answers (docs/interface/sources.md#questions-and-answers).
type QnA struct {
	Name      string
	Questions []string // 1 to 50
	Answer    string
}

// qnaKind is the kind of sources that are answers to questions.
var qnaKind = sourceKind{newJob: newTrainJob, pieces: qnaPieces}

func qnaPieces(_ *parley.Source, v *parley.Version) (iter.Seq[Piece], error) {
	var a qnaContent
	if err := decodeContent(v, &a); err != nil {
		return nil, err
	}
	return slices.Values(a.pieces(v.Text)), nil
}

// QnAChange is a change of a QnA; nil fields stay.
type QnAChange struct {
	Name      *string
	Questions []string
	Answer    *string
}

// qnaContent is the content of a version of a QnA. The version's text is the questions, a line each, and after an empty
// line the answer.
type qnaContent struct {
	Questions []string           `json:"questions"`
	Answer    string             `json:"answer"`
	Improves  []parley.MessageID `json:"improves,omitempty"` // answers that it was written to improve
}

// AddQnA adds an answer to questions to the agent's sources; it is trained right away by a job. Fails as AddText does.
func (s *Service) AddQnA(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	q QnA) (*parley.Source, error) {
	w := s.contentDraft(caller.AgentRef(agent), parley.SourceQnA, &q.Name, nil)
	if err := (qnaContent{Questions: q.Questions, Answer: q.Answer}).writeTo(&w.version); err != nil {
		return nil, err
	}
	w.source.Size = int64(len(w.version.Text))
	return s.addSource(ctx, w, caller.Plan)
}

// PutQnA is PutText of an answer to questions.
func (s *Service) PutQnA(ctx context.Context, caller parley.Caller, agent parley.AgentID, key string, q QnA) error {
	w := s.qnaChangeDraft(caller.AgentRef(agent), QnAChange{Name: &q.Name, Questions: q.Questions, Answer: &q.Answer})
	if err := (qnaContent{Questions: q.Questions, Answer: q.Answer}).writeTo(&w.version); err != nil {
		return err
	}
	w.source.Size = int64(len(w.version.Text))
	return s.putDraft(ctx, caller, agent, key, w)
}

// QnAOf returns the questions and the answer of a version; their name is the source's.
func QnAOf(v *parley.Version) (QnA, error) {
	var a qnaContent
	err := decodeContent(v, &a)
	return QnA{Questions: a.Questions, Answer: a.Answer}, err
}

// ChangeQnA changes an answer, its questions or its name. The earlier version answers until the new one is trained; a
// change that changes nothing leaves no trace. Fails as ChangeText does, with SOURCE_NOT_FOUND for a source that is no
// QnA.
func (s *Service) ChangeQnA(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	id parley.SourceID, change QnAChange) (*parley.Source, error) {
	return s.changeSource(ctx, s.qnaChangeDraft(caller.AgentRef(agent), change), id, caller.Plan)
}

func (s *Service) qnaChangeDraft(ref parley.AgentRef, change QnAChange) *draft {
	return s.contentDraft(ref, parley.SourceQnA, change.Name, func(old, v *parley.Version) error {
		var a qnaContent
		if err := json.Unmarshal(old.Content, &a); err != nil {
			return err
		}
		if change.Questions != nil {
			a.Questions = change.Questions
		}
		if change.Answer != nil {
			a.Answer = *change.Answer
		}
		return a.writeTo(v)
	})
}

// BetterAnswer is what an agent should have answered to a question.
type BetterAnswer struct {
	Message  parley.MessageID // the answer that it improves
	Question string
	Answer   string
}

// Most questions of a QnA, and characters of its name.
const (
	maxQnAQuestions = 50
	maxQnAName      = 100
)

// AddBetterAnswer adds a QnA with the question as its name. Fails as AddQnA does.
func (s *Service) AddBetterAnswer(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	b BetterAnswer) (*parley.Source, error) {
	name := strings.Join(strings.Fields(b.Question), " ")
	if letters := []rune(name); len(letters) > maxQnAName {
		name = string(letters[:maxQnAName-1]) + "…"
	}
	w := s.contentDraft(caller.AgentRef(agent), parley.SourceQnA, &name, nil)
	content := qnaContent{Questions: []string{b.Question}, Answer: b.Answer, Improves: []parley.MessageID{b.Message}}
	if err := content.writeTo(&w.version); err != nil {
		return nil, err
	}
	w.source.Size = int64(len(w.version.Text))
	return s.addSource(ctx, w, caller.Plan)
}

// ImproveQnA replaces the answer of a QnA, and adds the question unless it has it. Fails as ChangeQnA does.
func (s *Service) ImproveQnA(ctx context.Context, caller parley.Caller, agent parley.AgentID, id parley.SourceID,
	b BetterAnswer) (*parley.Source, error) {
	return s.changeSource(ctx,
		s.contentDraft(caller.AgentRef(agent), parley.SourceQnA, nil, func(old, v *parley.Version) error {
			var a qnaContent
			if err := json.Unmarshal(old.Content, &a); err != nil {
				return err
			}
			if !slices.Contains(a.Questions, b.Question) {
				a.Questions = append(a.Questions, b.Question)
			}
			if len(a.Questions) > maxQnAQuestions {
				return parley.Invalid("sourceId", "has as many questions as a source can have")
			}
			a.Answer, a.Improves = b.Answer, append(a.Improves, b.Message)
			return a.writeTo(v)
		}), id, caller.Plan)
}

// writeTo writes the version's text and content.
func (c qnaContent) writeTo(v *parley.Version) (err error) {
	for i, q := range c.Questions {
		c.Questions[i] = storableUTF8(q)
	}
	c.Answer = storableUTF8(c.Answer)
	setText(v, c.text())
	v.Content, err = c.encode()
	return err
}

// encode returns the content as it is stored: as large as it is, where marks of HTML written for a script would take
// six times that.
func (c qnaContent) encode() (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(c)
	return bytes.TrimSpace(b.Bytes()), err
}

// Sizes in bytes of the questions above a passage.
const (
	maxQuestionBytes = 300 // of one
	maxLeadBytes     = 8000
	firstBytes       = 16000 // enough for 50 of them
)

// pieces cuts the answer, which ends the text, and sets the questions above it as its heading, by which they are
// found: all of them above the first piece, and above the others as many as fit.
func (c qnaContent) pieces(text string) []Piece {
	start, taken := len(text)-len(c.Answer), 0
	list := Split(c.Answer)
	if len(list) == 0 && strings.TrimSpace(c.Answer) != "" { // nothing but markup
		list = slices.Collect(splitLarge(c.Answer, Piece{End: len(c.Answer)}))
	}
	for _, p := range list {
		taken += p.StoredBytes()
	}
	lead := c.leadText(firstBytes)
	spareBytes := (sizeFactor*len(text) + sizeSlack - taken - len(lead)) / max(len(list), 1)
	for i, p := range list {
		if i == 1 {
			lead = c.leadText(min(maxLeadBytes, spareBytes))
		}
		list[i] = Piece{Heading: joinTitles(lead, p.Heading), Start: start + p.Start, End: start + p.End}
	}
	return list
}

// SplitQnA returns the text of an answer to questions as a source has it, and the pieces that it is cut into.
func SplitQnA(questions []string, answer string) (text string, pieces []Piece) {
	c := qnaContent{Questions: questions, Answer: answer}
	return c.text(), c.pieces(c.text())
}

func (c qnaContent) text() string { return strings.Join(c.Questions, "\n") + "\n\n" + c.Answer }

// leadText returns the questions, in at most so many bytes.
func (c qnaContent) leadText(limit int) string {
	var b strings.Builder
	for _, q := range c.Questions {
		q = strings.Join(strings.Fields(q), " ")
		q = q[:runeBoundary(q, maxQuestionBytes)]
		if b.Len()+len(q) > limit {
			break
		}
		if q != "" && b.Len() > 0 {
			b.WriteString(headingSeparator)
		}
		b.WriteString(q)
	}
	return b.String()
}

// joinTitles puts one path of titles below another; either may be empty.
func joinTitles(above, below string) string {
	if above == "" || below == "" {
		return above + below
	}
	return above + headingSeparator + below
}
