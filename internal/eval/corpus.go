package eval

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/internal/ingest"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// passageFinder is what finds passages: the server's own search, or the plain one it is compared with.
type passageFinder interface {
	Put(passages ...parley.Passage)
	Nearest(q retrieval.Query) []retrieval.Hit
	Len() int
}

var (
	_ passageFinder = (*retrieval.Index)(nil)
	_ passageFinder = (*bm25Index)(nil)
)

// corpus holds the texts of a set and finds passages in them.
type corpus struct {
	passageFinder
	texts           map[parley.SourceID]string
	passages        []parley.Passage
	questionVectors map[string][]float32 // vectors of the questions, by their text
}

func newCorpus(docs []Doc, baseline bool) *corpus {
	s := &corpus{passageFinder: retrieval.NewIndex(), texts: map[parley.SourceID]string{}}
	if baseline {
		s.passageFinder = newBM25Index()
	}
	for _, d := range docs {
		list := s.splitDoc(d)
		s.Put(list...)
		s.passages = append(s.passages, list...)
	}
	return s
}

// splitDoc cuts a document as a source is cut, unless it is one passage as it is.
func (c *corpus) splitDoc(d Doc) (list []parley.Passage) {
	id := parley.SourceID(d.ID)
	if d.IsPassage {
		c.texts[id] = d.Text
		return []parley.Passage{{ID: passageID(d.ID, 0), SourceID: id, SourceName: d.SourceName, Heading: d.Title,
			End: len(d.Text), Text: d.Text}}
	}
	text, pieces := d.pieces()
	c.texts[id] = text
	for i, p := range pieces {
		list = append(list, parley.Passage{ID: passageID(d.ID, i), SourceID: id, SourceName: d.SourceName, Ordinal: i,
			Heading: p.Heading,
			Start:   p.Start, End: p.End, Text: text[p.Start:p.End], IsQnA: len(d.Questions) > 0})
	}
	return list
}

// pieces returns the document's text as a source has it, and how it is cut.
func (d Doc) pieces() (string, []ingest.Piece) {
	if len(d.Questions) > 0 {
		return ingest.SplitQnA(d.Questions, d.Text)
	}
	text := withTitle(d.Title, d.Text)
	return text, ingest.Split(text)
}

func passageID(doc string, ordinal int) parley.PassageID {
	return parley.PassageID(fmt.Sprintf("%s#%d", doc, ordinal))
}

// SearchMode says what passages are found by.
type SearchMode string

// The searches. All but SearchWords need an embedder.
const (
	SearchWords   SearchMode = "words"
	SearchVectors SearchMode = "vectors"
	SearchBoth    SearchMode = "both"
)

const embedBatchSize = 96

// addVectors returns the passages of a set, and its questions, their vectors.
func (r Runner) addVectors(ctx context.Context, s *corpus, set Set) error {
	index, ok := s.passageFinder.(*retrieval.Index)
	if r.Embedder == nil || r.Search == SearchWords || !ok {
		return nil
	}
	texts := make([]string, len(s.passages))
	for i, p := range s.passages {
		texts[i] = retrieval.Embeddable(p.Heading, p.Text)
	}
	vectors, err := embedAll(ctx, r.Embedder, texts)
	if err != nil {
		return err
	}
	for i, v := range vectors {
		index.PutVectors(retrieval.Vector{Passage: s.passages[i].ID, Packed: retrieval.PackVector(v)})
	}
	texts = make([]string, len(set.Questions))
	for i, q := range set.Questions {
		draft := r.newDraft(q)
		texts[i] = draft.Query().EmbeddingText()
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if vectors, err = embedAll(ctx, r.questionEmbedder(), texts); err != nil {
		return err
	}
	s.questionVectors = make(map[string][]float32, len(texts))
	for i, v := range vectors {
		s.questionVectors[texts[i]] = v
	}
	return nil
}

func (r Runner) questionEmbedder() model.Embedder {
	if r.QuestionEmbedder != nil {
		return r.QuestionEmbedder
	}
	return r.Embedder
}

func embedAll(ctx context.Context, e model.Embedder, texts []string) (all [][]float32, err error) {
	for part := range slices.Chunk(texts, embedBatchSize) {
		some, err := e.Embed(ctx, part)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// setVector returns a query its vector, where there are any.
func (c *corpus) setVector(q *retrieval.Query, by SearchMode, weight float64) {
	if c.questionVectors != nil {
		q.Vector, q.VectorWeight = c.questionVectors[q.EmbeddingText()], weight
		if by == SearchVectors {
			q.VectorWeight = 1
		}
	}
}
