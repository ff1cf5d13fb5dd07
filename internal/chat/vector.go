package chat

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/retrieval"
)

// Questions gives questions their vectors. A question waits for its own no longer than Wait.
type Questions struct {
	llm.Recent
	Wait   time.Duration // 0 means 400 ms
	Weight float64       // of vectors beside words in a search, 0 to 1; 0 takes retrieval's own
	Logger *slog.Logger
}

// What a search has gone by.
const (
	byWords   = "words"
	byVectors = "words and vectors"
)

// Aim gives the query its vector where the agent's passages have vectors, and tells what will be searched by. A vector that comes
// too late or not at all costs nothing but the wait. A nil receiver searches by words.
func (s *Questions) Aim(ctx context.Context, library *retrieval.Library, agent *parley.Agent, q *retrieval.Query) (by string) {
	if s == nil {
		return byWords
	}
	vectored, err := library.Vectored(ctx, agent.ID, agent.PassageVersion)
	if err != nil || !vectored {
		return byWords // the search itself meets the error again
	}
	ctx, stop := context.WithTimeout(ctx, orDefault(s.Wait, 400*time.Millisecond))
	defer stop()
	q.VectorWeight = s.Weight
	q.Vector, err = s.Vector(ctx, q.Dense())
	switch {
	case err == nil:
		return byVectors
	case errors.Is(err, context.DeadlineExceeded):
		return byWords + "; the question's vector did not come in time"
	case errors.Is(err, llm.ErrLeftAlone):
		return byWords + "; the embedding provider failed just before"
	}
	s.Logger.Warn("a question has no vector", "agent", agent.ID, "err", err)
	return byWords + "; the embedding provider failed"
}
