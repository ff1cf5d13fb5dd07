package chat

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// QueryEmbedder returns questions their vectors. A question waits for its own no longer than Wait.
type QueryEmbedder struct {
	model.CachedEmbedder
	Timeout      time.Duration // 0 means 400 ms
	VectorWeight float64       // of vectors beside words in a search, 0 to 1; 0 takes retrieval's own
	Logger       *slog.Logger
}

// What a search has gone by.
const (
	searchByWords   = "words"
	searchByVectors = "words and vectors"
)

// EmbedQuery returns the query its vector where the agent's passages have vectors, and tells what will be searched by. A vector that comes
// too late or not at all costs nothing but the wait. A nil receiver searches by words.
func (s *QueryEmbedder) EmbedQuery(ctx context.Context, library *retrieval.Indexes, agent *parley.Agent, q *retrieval.Query) (by string) {
	if s == nil {
		return searchByWords
	}
	vectored, err := library.HasVectors(ctx, agent.ID, agent.PassageVersion)
	if err != nil || !vectored {
		return searchByWords // the search itself meets the error again
	}
	ctx, stop := context.WithTimeout(ctx, orDefault(s.Timeout, 400*time.Millisecond))
	defer stop()
	q.VectorWeight = s.VectorWeight
	q.Vector, err = s.Vector(ctx, q.EmbeddingText())
	switch {
	case err == nil:
		return searchByVectors
	case errors.Is(err, context.DeadlineExceeded):
		return searchByWords + "; the question's vector did not come in time"
	case errors.Is(err, model.ErrEmbedderPaused):
		return searchByWords + "; the embedding provider failed just before"
	}
	s.Logger.Warn("a question has no vector", "agent", agent.ID, "err", err)
	return searchByWords + "; the embedding provider failed"
}
