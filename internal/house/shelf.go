package house

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/llm"
	"parley/internal/retrieval"
)

// Shelf is a folder of text, read into memory and nowhere else.
type Shelf struct {
	index *retrieval.Index
	texts map[string]string // by hash
}

// Reading hears how the reading of a folder goes.
type Reading struct {
	Now     func() time.Time
	Page    func(done, all int)
	Skipped func(name, why string)
	Done    func(pages, passages int, took time.Duration)
}

// ReadFolder reads every Markdown and text file of the folder.
func ReadFolder(folder fs.FS, r Reading) (*Shelf, error) {
	began := r.Now()
	list, err := pages(folder, r.Skipped)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("the folder holds no Markdown or text files (.md, .markdown, .txt)")
	}
	s := &Shelf{index: retrieval.NewIndex(), texts: map[string]string{}}
	for i, p := range list {
		s.texts[p.hash] = p.text
		s.index.Put(passagesOf(p)...)
		r.Page(i+1, len(list))
	}
	r.Done(len(list), s.index.Len(), r.Now().Sub(began))
	return s, nil
}

func passagesOf(p page) []parley.Passage {
	var list []parley.Passage
	for i, piece := range ingest.Split(p.text) {
		list = append(list, parley.Passage{
			ID: parley.PassageID(fmt.Sprintf("%s#%d", p.name, i)), SourceID: parley.SourceID(p.name), SourceName: p.name,
			VersionID: parley.VersionID(p.hash), VersionHash: p.hash, Ordinal: i,
			Heading: piece.Heading, Start: piece.Start, End: piece.End, Text: p.text[piece.Start:piece.End],
		})
	}
	return list
}

// Answer is an answer from a folder.
type Answer struct {
	Text      string   `json:"answer"`
	Citations []Quote  `json:"citations"`
	Score     *float64 `json:"score"`   // 0 to 1; null where the model cannot tell
	Refused   bool     `json:"refused"` // the pages do not hold the answer
}

// Quote is a citation with what it cites.
type Quote struct {
	Name        string `json:"file"`
	Heading     string `json:"heading,omitempty"`
	Quote       string `json:"quote"`
	Start       int    `json:"start"` // byte span of the quote in the file
	End         int    `json:"end"`
	AnswerStart int    `json:"answerStart"` // byte span in the answer
	AnswerEnd   int    `json:"answerEnd"`
}

// Ask answers the question as a server's agent would. hear is given each piece of text and each evidence as it comes.
func (s *Shelf) Ask(ctx context.Context, models Models, question string, hear func(llm.Chunk)) (*Answer, error) {
	table, err := models.table(nil)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	back, ok := table.Lookup("auto")
	if !ok {
		return nil, errors.New("no model answers for \"auto\"")
	}
	req := llm.Request{Model: back.Name, Messages: []llm.Message{{Role: "user", Text: question}}}
	for _, h := range s.index.Nearest(retrieval.Query{Text: question}) {
		req.Passages = append(req.Passages, llm.Passage{Passage: h.Passage, Score: h.Score, Terms: h.Terms, Signs: llm.Signs(h.Signs)})
	}
	a := &Answer{Citations: []Quote{}}
	for chunk, err := range back.Model.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		hear(chunk)
		switch {
		case chunk.Text != "":
			a.Text += chunk.Text
		case chunk.Cite != nil:
			a.Citations = append(a.Citations, s.quote(req.Passages[chunk.Cite.Passage].Passage, *chunk.Cite))
		case chunk.Finish != nil:
			a.Score, a.Refused = chunk.Finish.Score, chunk.Finish.Refused
		}
	}
	return a, nil
}

func (s *Shelf) quote(p parley.Passage, c llm.Cite) Quote {
	return Quote{Name: p.SourceName, Heading: p.Heading, Quote: s.texts[p.VersionHash][c.Start:c.End], Start: c.Start, End: c.End,
		AnswerStart: c.AnswerStart, AnswerEnd: c.AnswerEnd}
}
