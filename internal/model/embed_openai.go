package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"parley"
)

// OpenAIEmbedder speaks the OpenAI wire format (POST {BaseURL}/embeddings) to any server that understands it.
//
// Every failure is a *parley.Error: its Err holds the cause with the key removed, its RetryAfter what the provider asked for.
type OpenAIEmbedder struct {
	BaseURL    string       // up to and including the version, e.g. https://host/v1
	Key        string       // sent as a bearer token; empty sends none
	Model      string       // the server's name of the model
	Dimensions int          // asked for where the model can shorten its vectors; 0 takes them as they are
	HTTP       *http.Client // nil takes a pool of its own that Close empties

	Timeout time.Duration // longest time for one request; 0 is 60 s
	Backoff time.Duration // wait before the first retry, about three times that before the second; 0 is 500 ms

	once          sync.Once
	client        *http.Client
	omitsEncoding atomic.Bool  // the server wants no word about the encoding
	vectorLength  atomic.Int64 // of the vectors so far
}

var _ Embedder = (*OpenAIEmbedder)(nil)

// Name implements Embedder.
func (e *OpenAIEmbedder) Name() string {
	if e.Dimensions > 0 {
		return fmt.Sprintf("%s/%d", e.Model, e.Dimensions)
	}
	return e.Model
}

// Embed implements Embedder.
func (e *OpenAIEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for part := range splitBatches(texts) {
		some, err := e.embedBatch(ctx, part)
		if err != nil {
			return nil, e.wrapError(err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// Close drops the idle connections of the embedder's own pool.
func (e *OpenAIEmbedder) Close() {
	if e.HTTP == nil {
		e.httpClient().CloseIdleConnections()
	}
}

func (e *OpenAIEmbedder) httpClient() *http.Client {
	if e.HTTP != nil {
		return e.HTTP
	}
	e.once.Do(func() { e.client = newHTTPClient() })
	return e.client
}

// requestVectors repeats what a repetition can cure.
func (e *OpenAIEmbedder) requestVectors(ctx context.Context, texts []string) ([][]float32, error) {
	timing := OpenAI{Backoff: durationOr(e.Backoff, 500*time.Millisecond)}
	for attempt := 0; ; {
		plain := e.omitsEncoding.Load()
		list, err := e.requestOnce(ctx, texts, plain)
		if err == nil || ctx.Err() != nil {
			return list, err
		}
		if !plain && isRejectedInput(err) && strings.Contains(err.Error(), "encoding_format") {
			e.omitsEncoding.Store(true)
			continue
		}
		pause, again := timing.retryDelay(attempt, err)
		if attempt == maxRetries || !again && !errors.Is(err, errProviderSilent) || errors.As(err, new(*providerError)) {
			return nil, err
		}
		if err := sleepContext(ctx, pause); err != nil {
			return nil, err
		}
		attempt++
	}
}

func (e *OpenAIEmbedder) requestOnce(parent context.Context, texts []string, plain bool) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(parent, durationOr(e.Timeout, time.Minute), errProviderSilent)
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

func (e *OpenAIEmbedder) post(ctx context.Context, texts []string, plain bool) ([]byte, error) {
	ask := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Encoding   string   `json:"encoding_format,omitempty"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{e.Model, toValidTexts(texts), "base64", e.Dimensions}
	if plain {
		ask.Encoding = ""
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "parley")
	setBearer(r.Header, e.Key)
	resp, err := e.httpClient().Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		response, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBodyBytes)) // what there is of it is enough
		return nil, &statusError{status: resp.StatusCode, body: response, retryAfter: parseRetryAfter(resp.Header)}
	}
	most := maxResponseBytes(len(texts))
	response, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if int64(len(response)) > most {
		return nil, newProviderError("the answer does not end", nil)
	}
	return response, err
}

// toValidTexts returns the texts as JSON can carry them.
func toValidTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		if out[i] = t; !utf8.ValidString(t) {
			out[i] = strings.ToValidUTF8(t, "\uFFFD")
		}
	}
	return out
}

func (e *OpenAIEmbedder) endpoint() string {
	return strings.TrimSuffix(strings.TrimRight(e.BaseURL, "/"), "/embeddings") + "/embeddings"
}

func (e *OpenAIEmbedder) wrapError(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if e.Key != "" {
		text = strings.ReplaceAll(text, e.Key, "***")
	}
	failure := parley.NewErrorf(parley.CodeInternal, "The embedding provider failed.")
	failure.Err = &redactedError{text: truncateText(text, maxCauseBytes), err: err}
	var r *statusError
	if errors.As(err, &r) {
		failure.RetryAfter = r.retryAfter
	}
	return failure
}
