package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model"
)

// Embedder uses the OpenAI wire format (POST {BaseURL}/embeddings) to any server that understands it.
//
// Every failure is a *parley.Error: its Err holds the cause with the key removed, its RetryAfter what the provider
// asked for.
type Embedder struct {
	httpclient.Client
	Model      string        // the server's name of the model
	Dimensions int           // asked for where the model can shorten its vectors; 0 takes them as they are
	Timeout    time.Duration // longest time for one request; 0 is 60 s

	omitsEncoding atomic.Bool  // the server wants no word about the encoding
	vectorLength  atomic.Int64 // of the vectors so far
}

const (
	maxEmbeddingRetries = 2
	embeddingBackoff    = 500 * time.Millisecond
)

var _ model.Embedder = (*Embedder)(nil)

// Name implements model.Embedder.
func (e *Embedder) Name() string {
	if e.Dimensions > 0 {
		return fmt.Sprintf("%s/%d", e.Model, e.Dimensions)
	}
	return e.Model
}

// Embed implements model.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for part := range splitBatches(texts) {
		some, err := e.embedBatch(ctx, part)
		if err != nil {
			return nil, httpclient.WithCause(parley.NewErrorf(parley.CodeInternal, "The embedding provider failed."), err, e.Key)
		}
		all = append(all, some...)
	}
	return all, nil
}

// requestVectors repeats what a repetition can cure.
func (e *Embedder) requestVectors(ctx context.Context, texts []string) ([][]float32, error) {
	backoff := cmp.Or(e.Backoff, embeddingBackoff)
	for attempt := 0; ; {
		plain := e.omitsEncoding.Load()
		list, err := e.requestOnce(ctx, texts, plain)
		if err == nil || ctx.Err() != nil {
			return list, err
		}
		if !plain && httpclient.IsRejectedInput(err) && strings.Contains(err.Error(), "encoding_format") {
			e.omitsEncoding.Store(true)
			continue
		}
		delay, canRetry := httpclient.RetryDelay(backoff, attempt, err)
		canRetry = canRetry || errors.Is(err, httpclient.ErrProviderSilent)
		if attempt == maxEmbeddingRetries || !canRetry || errors.As(err, new(*httpclient.ProviderError)) {
			return nil, err
		}
		if err := httpclient.Sleep(ctx, delay); err != nil {
			return nil, err
		}
		attempt++
	}
}

func (e *Embedder) requestOnce(parent context.Context, texts []string, plain bool) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(parent, e.timeout(), httpclient.ErrProviderSilent)
	defer cancel()
	response, err := e.post(ctx, texts, plain)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	return e.parseResponse(response, len(texts))
}

func (e *Embedder) post(ctx context.Context, texts []string, plain bool) ([]byte, error) {
	request := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Encoding   string   `json:"encoding_format,omitempty"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{e.Model, toValidTexts(texts), "base64", e.Dimensions}
	if plain {
		request.Encoding = ""
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	resp, err := e.Send(ctx, httpclient.Request{
		Path:             "/embeddings",
		ContentType:      "application/json",
		Accept:           "application/json",
		Body:             body,
		FirstByteTimeout: e.timeout(),
		IdleTimeout:      e.timeout(),
	})
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	limit := maxResponseBytes(len(texts))
	response, err := io.ReadAll(io.LimitReader(resp, limit+1))
	if int64(len(response)) > limit {
		return nil, httpclient.NewProviderError("the answer does not end", nil)
	}
	return response, err
}

func (e *Embedder) timeout() time.Duration { return cmp.Or(e.Timeout, time.Minute) }

func toValidTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		if out[i] = t; !utf8.ValidString(t) {
			out[i] = strings.ToValidUTF8(t, "\uFFFD")
		}
	}
	return out
}
