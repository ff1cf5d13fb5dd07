package llm

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

// Embeddings speaks the OpenAI wire format (POST {BaseURL}/embeddings) to any server that understands it.
//
// Every failure is a *parley.Error: its Err holds the cause with the key removed, its RetryAfter what the provider asked for.
type Embeddings struct {
	BaseURL    string       // up to and including the version, e.g. https://host/v1
	Key        string       // sent as a bearer token; empty sends none
	Model      string       // the server's name of the model
	Dimensions int          // asked for where the model can shorten its vectors; 0 takes them as they are
	HTTP       *http.Client // nil takes a pool of its own that Close empties

	Timeout time.Duration // longest time for one request; 0 is 60 s
	Backoff time.Duration // wait before the first retry, about three times that before the second; 0 is 500 ms

	once   sync.Once
	client *http.Client
	plain  atomic.Bool  // the server wants no word about the encoding
	length atomic.Int64 // of the vectors so far
}

var _ Embedder = (*Embeddings)(nil)

// Name implements Embedder.
func (e *Embeddings) Name() string {
	if e.Dimensions > 0 {
		return fmt.Sprintf("%s/%d", e.Model, e.Dimensions)
	}
	return e.Model
}

// Embed implements Embedder.
func (e *Embeddings) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for part := range batches(texts) {
		some, err := e.batch(ctx, part)
		if err != nil {
			return nil, e.failed(err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// Close drops the idle connections of the embedder's own pool.
func (e *Embeddings) Close() {
	if e.HTTP == nil {
		e.pool().CloseIdleConnections()
	}
}

func (e *Embeddings) pool() *http.Client {
	if e.HTTP != nil {
		return e.HTTP
	}
	e.once.Do(func() { e.client = newPool() })
	return e.client
}

// ask repeats what a repetition can cure.
func (e *Embeddings) ask(ctx context.Context, texts []string) ([][]float32, error) {
	timing := OpenAI{Backoff: or(e.Backoff, 500*time.Millisecond)}
	for attempt := 0; ; {
		plain := e.plain.Load()
		list, err := e.try(ctx, texts, plain)
		if err == nil || ctx.Err() != nil {
			return list, err
		}
		if !plain && unfit(err) && strings.Contains(err.Error(), "encoding_format") {
			e.plain.Store(true)
			continue
		}
		pause, again := timing.pause(attempt, err)
		if attempt == retries || !again && !errors.Is(err, errSilent) || errors.As(err, new(*complaint)) {
			return nil, err
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
		attempt++
	}
}

func (e *Embeddings) try(parent context.Context, texts []string, plain bool) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(parent, or(e.Timeout, time.Minute), errSilent)
	defer cancel()
	said, err := e.post(ctx, texts, plain)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	return e.read(said, len(texts))
}

func (e *Embeddings) post(ctx context.Context, texts []string, plain bool) ([]byte, error) {
	ask := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Encoding   string   `json:"encoding_format,omitempty"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{e.Model, valid(texts), "base64", e.Dimensions}
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
	bearer(r.Header, e.Key)
	resp, err := e.pool().Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, maxHeard)) // what there is of it is enough
		return nil, &refusal{status: resp.StatusCode, body: said, after: retryAfter(resp.Header)}
	}
	most := mostVectors(len(texts))
	said, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if int64(len(said)) > most {
		return nil, garbled("the answer does not end", nil)
	}
	return said, err
}

// valid gives the texts as JSON can carry them.
func valid(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		if out[i] = t; !utf8.ValidString(t) {
			out[i] = strings.ToValidUTF8(t, "\uFFFD")
		}
	}
	return out
}

func (e *Embeddings) endpoint() string {
	return strings.TrimSuffix(strings.TrimRight(e.BaseURL, "/"), "/embeddings") + "/embeddings"
}

func (e *Embeddings) failed(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if e.Key != "" {
		text = strings.ReplaceAll(text, e.Key, "***")
	}
	failure := parley.Failf(parley.CodeInternal, "The embedding provider failed.")
	failure.Err = &cause{text: trimmed(text, maxCause), err: err}
	var r *refusal
	if errors.As(err, &r) {
		failure.RetryAfter = r.after
	}
	return failure
}
