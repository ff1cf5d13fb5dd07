package eval

import (
	"context"
	"slices"

	"parley/internal/model"
	"parley/internal/retrieval"
)

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
	if vectors, err = embedAll(ctx, r.Embedder, texts); err != nil {
		return err
	}
	s.questionVectors = make(map[string][]float32, len(texts))
	for i, v := range vectors {
		s.questionVectors[texts[i]] = v
	}
	return nil
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
