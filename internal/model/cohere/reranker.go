// Package cohere reranks in the wire format of Cohere's API, which many servers understand.
package cohere

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model"
)

// Reranker uses the wire format of Cohere and Jina (POST {BaseURL}/rerank), or that of text-embeddings-inference where
// the server refuses the other. It asks once: a question that waits is better served by the order of the search than by
// a second attempt.
//
// Every failure is a *parley.Error: its Err holds the cause with the key removed, its RetryAfter what the provider
// asked for.
type Reranker struct {
	httpclient.Client
	Model   string        // the server's name of the model; empty for a server that has only one
	Timeout time.Duration // longest time for one request; 0 is 30 s

	takesTexts atomic.Bool // the server has the wire format of text-embeddings-inference
}

const (
	maxQuestionBytes = 4 << 10
	maxTextBytes     = 4 << 10
	maxResponseBytes = 4 << 20 // some servers repeat the texts
)

var _ model.Reranker = (*Reranker)(nil)

// Rerank implements model.Reranker. Long texts are cut: no model of this kind reads them to the end.
func (r *Reranker) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.timeout(), httpclient.ErrProviderSilent)
	defer cancel()
	scores, err := r.requestScores(ctx, clipText(question, maxQuestionBytes), clipTexts(texts))
	if err != nil {
		return nil, httpclient.WithCause(parley.NewErrorf(parley.CodeInternal, "The reranking provider failed."), err, r.Key)
	}
	return scores, nil
}

// requestScores learns from the first refusal which wire format the server has.
func (r *Reranker) requestScores(ctx context.Context, question string, texts []string) ([]float64, error) {
	if r.takesTexts.Load() {
		return r.requestOnce(ctx, textsRequest{question, texts, true}, len(texts))
	}
	scores, err := r.requestOnce(ctx, documentsRequest{r.Model, question, texts, len(texts)}, len(texts))
	if !httpclient.IsRejectedInput(err) || !strings.Contains(err.Error(), "texts") {
		return scores, err
	}
	scores, err = r.requestOnce(ctx, textsRequest{question, texts, true}, len(texts))
	r.takesTexts.Store(err == nil)
	return scores, err
}

// documentsRequest is a request in the wire format of Cohere and Jina.
type documentsRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

// textsRequest is a request in the wire format of text-embeddings-inference.
type textsRequest struct {
	Query    string   `json:"query"`
	Texts    []string `json:"texts"`
	Truncate bool     `json:"truncate"` // else a text that is too long for the model fails the request
}

func (r *Reranker) requestOnce(ctx context.Context, request any, n int) ([]float64, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	resp, err := r.Send(ctx, httpclient.Request{
		Path:             "/rerank",
		ContentType:      "application/json",
		Accept:           "application/json",
		Body:             body,
		FirstByteTimeout: r.timeout(),
		IdleTimeout:      r.timeout(),
	})
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	response, err := io.ReadAll(io.LimitReader(resp, maxResponseBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(response) > maxResponseBytes:
		return nil, httpclient.NewProviderError("the answer does not end", nil)
	}
	return parseScores(response, n)
}

func (r *Reranker) timeout() time.Duration { return cmp.Or(r.Timeout, 30*time.Second) }

func clipTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = clipText(t, maxTextBytes)
	}
	return out
}

func clipText(text string, limit int) string {
	return strings.ToValidUTF8(parley.ClipBytes(text, limit), "\uFFFD")
}
