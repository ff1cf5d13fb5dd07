package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// FolderIndex is a folder of text, read into memory and nowhere else.
type FolderIndex struct {
	index *retrieval.Index
	texts map[string]string // by hash
}

// ReadProgress hears how the reading of a folder goes.
type ReadProgress struct {
	Now    func() time.Time
	OnPage func(done, all int)
	OnSkip func(name, why string)
	OnDone func(pages, passages int, took time.Duration)
}

// ReadFolder reads every Markdown and text file of the folder.
func ReadFolder(folder fs.FS, r ReadProgress) (*FolderIndex, error) {
	start := r.Now()
	list, err := readPages(folder, r.OnSkip)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("the folder holds no Markdown or text files (.md, .markdown, .txt)")
	}
	s := &FolderIndex{index: retrieval.NewIndex(), texts: map[string]string{}}
	for i, p := range list {
		s.texts[p.hash] = p.text
		s.index.Put(splitPassages(p)...)
		r.OnPage(i+1, len(list))
	}
	r.OnDone(len(list), s.index.Len(), r.Now().Sub(start))
	return s, nil
}

func splitPassages(p folderPage) []parley.Passage {
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
func (s *FolderIndex) Ask(ctx context.Context, models ModelConfig, question string, onChunk func(model.Chunk)) (*Answer, error) {
	table, err := models.newRegistryWith(nil)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	backend, ok := table.Lookup("auto")
	if !ok {
		return nil, errors.New("no model answers for \"auto\"")
	}
	req := model.Request{Model: backend.Name, Messages: []model.Message{{Role: "user", Text: question}}}
	for _, h := range s.index.Nearest(retrieval.Query{Text: question}) {
		req.Passages = append(req.Passages, model.Passage{Passage: h.Passage, Score: h.Score, TermWeights: h.Terms, Signals: model.MatchSignals(h.Signs)})
	}
	a := &Answer{Citations: []Quote{}}
	for chunk, err := range backend.Model.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		onChunk(chunk)
		switch {
		case chunk.Text != "":
			a.Text += chunk.Text
		case chunk.Citation != nil:
			a.Citations = append(a.Citations, s.quote(req.Passages[chunk.Citation.PassageIndex].Passage, *chunk.Citation))
		case chunk.Finish != nil:
			a.Score, a.Refused = chunk.Finish.Score, chunk.Finish.IsRefusal
		}
	}
	return a, nil
}

func (s *FolderIndex) quote(p parley.Passage, c model.Citation) Quote {
	return Quote{Name: p.SourceName, Heading: p.Heading, Quote: s.texts[p.VersionHash][c.Start:c.End], Start: c.Start, End: c.End,
		AnswerStart: c.AnswerStart, AnswerEnd: c.AnswerEnd}
}
