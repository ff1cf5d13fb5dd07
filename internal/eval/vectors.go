package eval

import (
	"context"
	"slices"

	"parley/internal/llm"
	"parley/internal/retrieval"
)

// Search says what passages are found by.
type Search string

// The searches. All but ByWords need an embedder.
const (
	ByWords   Search = "words"
	ByVectors Search = "vectors"
	ByBoth    Search = "both"
)

// embedAtOnce is how many texts an embedder is given at a time.
const embedAtOnce = 96

// embed gives the passages of a set, and its questions, their vectors.
func (r Runner) embed(ctx context.Context, s *shelf, set Set) error {
	index, ok := s.finder.(*retrieval.Index)
	if r.Embedder == nil || r.Search == ByWords || !ok {
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
		index.PutVectors(retrieval.Vector{Passage: s.passages[i].ID, Packed: retrieval.Pack(v)})
	}
	texts = make([]string, len(set.Questions))
	for i, q := range set.Questions {
		draft := r.draft(q)
		texts[i] = draft.Query().Dense()
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if vectors, err = embedAll(ctx, r.Embedder, texts); err != nil {
		return err
	}
	s.asked = make(map[string][]float32, len(texts))
	for i, v := range vectors {
		s.asked[texts[i]] = v
	}
	return nil
}

func embedAll(ctx context.Context, e llm.Embedder, texts []string) (all [][]float32, err error) {
	for part := range slices.Chunk(texts, embedAtOnce) {
		some, err := e.Embed(ctx, part)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// aim gives a query its vector, where there are any.
func (s *shelf) aim(q *retrieval.Query, by Search, weight float64) {
	if s.asked != nil {
		q.Vector, q.VectorWeight = s.asked[q.Dense()], weight
		if by == ByVectors {
			q.VectorWeight = 1
		}
	}
}
