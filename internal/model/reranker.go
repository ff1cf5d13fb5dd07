package model

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Reranker reads a question together with each of a few texts, and scores how well the text answers it.
type Reranker interface {
	// Rerank returns a score for each text, in the order of the texts: the higher, the better. Scores are finite
	// numbers of any range, and comparable within one call only.
	Rerank(ctx context.Context, question string, texts []string) ([]float64, error)
}

// ErrRerankerPaused says that the provider has just failed several times and is not asked.
var ErrRerankerPaused = errors.New("the reranking provider has just failed several times")

// FailurePause counts the failures of a provider in a row. After several of them the provider is not asked for a while,
// so that not every question waits for it. The zero value has counted none.
type FailurePause struct {
	mu       sync.Mutex
	failures int
	until    time.Time // when the provider is asked again
}

const (
	maxFailures     = 3
	failurePause    = 10 * time.Second
	maxFailurePause = time.Minute // however long a provider asks to be left alone
)

// IsActive reports whether the provider is not to be asked.
func (p *FailurePause) IsActive(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Before(p.until)
}

// RecordSuccess ends the row of failures.
func (p *FailurePause) RecordSuccess() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = 0
}

// RecordFailure counts a failure. A provider that asked for it by retryAfter is left alone at once; 0 means that it did
// not.
func (p *FailurePause) RecordFailure(now time.Time, retryAfter time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures++; p.failures >= maxFailures {
		p.failures, p.until = 0, now.Add(failurePause)
	}
	if until := now.Add(min(retryAfter, maxFailurePause)); until.After(p.until) && retryAfter > 0 {
		p.until = until
	}
}
