package modelserver

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"time"
	"unicode"

	"parley"
	"parley/internal/model"
)

// Health is whether a server of models did what it was last asked for.
type Health struct {
	now func() time.Time

	mu        sync.Mutex
	state     parley.ModelServerState
	isChanged bool // since it was written
}

// NewHealth returns the health of a server that was never asked.
func NewHealth(now func() time.Time) *Health { return &Health{now: now} }

// State returns what is known.
func (h *Health) State() parley.ModelServerState {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// takeChange returns the state if it has changed since the last call.
func (h *Health) takeChange() (parley.ModelServerState, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	isChanged := h.isChanged
	h.isChanged = false
	return h.state, isChanged
}

// restoreChange has takeChange return the state once more.
func (h *Health) restoreChange() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isChanged = true
}

// record notes the outcome of a call. Of several failures in a row the first one's time and the last one's reason are
// kept.
func (h *Health) record(ctx context.Context, err error) {
	if err != nil && ctx.Err() != nil {
		return // whoever asked has gone, which says nothing of the server
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	isFailing := h.state.FailingSince != nil
	if err != nil {
		h.state.LastError = reasonOf(err)
	}
	if h.state.CheckedAt != nil && isFailing == (err != nil) {
		return
	}
	now := h.now().UTC().Truncate(time.Millisecond)
	h.isChanged, h.state.CheckedAt, h.state.FailingSince = true, &now, &now
	if err == nil {
		h.state.FailingSince, h.state.LastError = nil, ""
	}
}

const maxReasonBytes = 300

// reasonOf returns what went wrong, on one line. The clients have removed the key from it.
func reasonOf(err error) string {
	var e *parley.Error
	if errors.As(err, &e) && e.Err != nil {
		err = e.Err
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(err.Error(), "\uFFFD"))
	return parley.ClipBytes(text, maxReasonBytes)
}

// WatchModel returns the model with its outcomes recorded.
func (h *Health) WatchModel(m model.Model) model.Model { return &watchedModel{m, h} }

// WatchEmbedder returns the embedder with its outcomes recorded.
func (h *Health) WatchEmbedder(e model.Embedder) model.Embedder { return watchedEmbedder{e, h} }

// WatchReranker returns the reranker with its outcomes recorded.
func (h *Health) WatchReranker(r model.Reranker) model.Reranker { return watchedReranker{r, h} }

type watchedModel struct {
	model.Model
	health *Health
}

// Stream implements model.Model.
func (w *watchedModel) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		isRecorded := false
		for chunk, err := range w.Model.Stream(ctx, req) {
			if err != nil || !isRecorded {
				w.health.record(ctx, err)
				isRecorded = true
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// Close closes the idle connections of the model.
func (w *watchedModel) Close() {
	if c, ok := w.Model.(interface{ Close() }); ok {
		c.Close()
	}
}

type watchedEmbedder struct {
	model.Embedder
	health *Health
}

// Embed implements model.Embedder.
func (w watchedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	list, err := w.Embedder.Embed(ctx, texts)
	w.health.record(ctx, err)
	return list, err
}

type watchedReranker struct {
	model.Reranker
	health *Health
}

// Rerank implements model.Reranker.
func (w watchedReranker) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	scores, err := w.Reranker.Rerank(ctx, question, texts)
	w.health.record(ctx, err)
	return scores, err
}
