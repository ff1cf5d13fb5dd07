package chat

import (
	"context"

	"parley"
	"parley/internal/retrieval"
)

// WaitingTurns counts the turns that wait for another one of their conversation.
func (e *Engine) WaitingTurns() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, queue := range e.queues {
		n += len(queue)
	}
	return n
}

// RerankHits orders hits as a question does.
func (qr *QueryReranker) RerankHits(ctx context.Context, question string,
	hits []retrieval.Hit) ([]retrieval.Hit, *parley.TraceRerank) {
	return qr.rerank(ctx, "agent", question, hits)
}
