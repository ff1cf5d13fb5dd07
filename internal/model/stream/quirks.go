package stream

import (
	"bytes"
	"errors"
	"net/http"
	"sync"

	"parley/internal/httpclient"
)

// Quirks is what a model turned out not to accept.
type Quirks struct {
	FixedTemperature        bool // wants its own default
	UsesMaxCompletionTokens bool // calls the limit max_completion_tokens
	NoStreamOptions         bool // knows no stream_options
	NoCacheControl          bool // knows no cache_control
}

// QuirkCache remembers, per model, which parameters the provider refused, so that only the first request pays for it.
type QuirkCache struct {
	mu            sync.Mutex
	quirksByModel map[string]Quirks
}

func (h *QuirkCache) forModel(model string) Quirks {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.quirksByModel[model]
}

// learnFromError reports whether the refusal names a parameter that the next request can leave out.
func (h *QuirkCache) learnFromError(model string, sent Quirks, err error) bool {
	var r *httpclient.StatusError
	if !errors.As(err, &r) || r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity {
		return false
	}
	now := sent
	now.UsesMaxCompletionTokens = sent.UsesMaxCompletionTokens || bytes.Contains(r.Body, []byte("max_completion_tokens"))
	now.FixedTemperature = sent.FixedTemperature || bytes.Contains(r.Body, []byte("temperature"))
	now.NoStreamOptions = sent.NoStreamOptions || bytes.Contains(r.Body, []byte("stream_options"))
	now.NoCacheControl = sent.NoCacheControl || bytes.Contains(r.Body, []byte("cache_control"))
	if now == sent {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.quirksByModel == nil {
		h.quirksByModel = map[string]Quirks{}
	}
	h.quirksByModel[model] = now
	return true
}
