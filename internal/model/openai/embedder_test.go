package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/openai"
	"parley/internal/testkit/check"
	"parley/internal/testkit/provider"
)

func newEmbedder(t *testing.T, s *provider.EmbeddingServer) *openai.Embedder {
	e := &openai.Embedder{Client: httpclient.Client{BaseURL: s.URL, Key: provider.Key, Backoff: time.Millisecond},
		Model: "m"}
	t.Cleanup(e.Close)
	return e
}

func respondWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func respondWithVectors(numbers ...string) http.HandlerFunc {
	var data []string
	for i, n := range numbers {
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, n))
	}
	return respondWith(http.StatusOK, `{"data":[`+strings.Join(data, ",")+`]}`)
}

// Vectors are returned in the order of the texts and have length 1, whichever encoding the server uses.
func TestEmbeddingsComeInOrder(t *testing.T) {
	meaning := provider.TrainEmbeddingModel(48, nil)
	var texts []string
	for i := range 250 {
		texts = append(texts, fmt.Sprintf("text number%d", i))
	}
	for _, plain := range []bool{false, true} {
		s := provider.StartEmbeddings(t, meaning)
		if plain {
			s.PlainOnly()
		}
		e := newEmbedder(t, s)
		list, err := e.Embed(t.Context(), texts)
		if err != nil || len(list) != len(texts) {
			t.Fatalf("%d vectors, %v", len(list), err)
		}
		for i, v := range list {
			length := 0.0
			for j, x := range v {
				length += float64(x) * float64(x)
				if math.Abs(float64(x-meaning.Vector(texts[i])[j])) > 1e-6 {
					t.Fatalf("text %d has another's vector", i)
				}
			}
			if math.Abs(length-1) > 1e-5 {
				t.Errorf("a vector of length %g", length)
			}
		}
		if n := len(s.RequestTexts()); n != 3 && !plain || n != 4 && plain {
			t.Errorf("%d requests", n)
		}
	}
}

func TestEmbeddingsAreBatchedBySize(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	long := strings.Repeat("na ", 30_000)
	if _, err := newEmbedder(t, s).Embed(t.Context(), []string{"a", long, long, long, "b"}); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, texts := range s.RequestTexts() {
		sizes = append(sizes, len(texts))
	}
	if fmt.Sprint(sizes) != "[3 2]" {
		t.Error(sizes)
	}
}

// Whatever the provider does, the call ends in time with an error that does not contain the key.
func TestMisbehavingEmbeddingProviders(t *testing.T) {
	const two = `[1,0]`
	for _, c := range []struct {
		name      string
		behaviour http.HandlerFunc
	}{
		{"garbage", respondWith(200, "<html>It works!</html>")},
		{"half an answer", respondWith(200, `{"data":[{"index":0,"embedding":[1,`)},
		{"no body", respondWith(200, "")},
		{"an error in place of data", respondWith(200, `{"error":{"message":"sk-very-secret is no good"}}`)},
		{"too few", respondWithVectors(two)},
		{"too many", respondWithVectors(two, two, two)},
		{"the same number twice", respondWith(200, `{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}`)},
		{"a number out of range",
			respondWith(200, `{"data":[{"index":0,"embedding":[1,0]},{"index":-1,"embedding":[1,0]}]}`)},
		{"other dimensions", respondWithVectors(two, `[1,0,0]`)},
		{"zero", respondWithVectors(two, `[0,0]`)},
		{"empty", respondWithVectors(two, `[]`)},
		{"null", respondWithVectors(two, `null`)},
		{"words", respondWithVectors(two, `["one"]`)},
		{"beyond floats", respondWithVectors(two, `[1e300,1]`)},
		{"base64 of NaN", respondWithVectors(`"AADAfwAAgD8="`, `"AADAfwAAgD8="`)},
		{"broken base64", respondWithVectors(two, `"!!!!"`)},
		{"base64 of half a number", respondWithVectors(two, `"AAAA"`)},
		{"too many numbers", respondWithVectors("["+strings.Repeat("1,", 9000)+"1]", two)},
		{"401", respondWith(401, "bad key sk-very-secret")},
		{"404", respondWith(404, "no such model")},
		{"500", respondWith(500, "oops")},
		{"redirect", respondWith(302, "")},
		{"cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"cut in the middle", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"data":[`)
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := provider.StartEmbeddings(t, nil)
			s.Play(c.behaviour, c.behaviour, c.behaviour, c.behaviour)
			list, err := newEmbedder(t, s).Embed(t.Context(), []string{"a", "b"})
			checkEmbeddingFailure(t, list, err)
		})
	}
}

func checkEmbeddingFailure(t *testing.T, list [][]float32, err error) {
	t.Helper()
	var e *parley.Error
	if !errors.As(err, &e) || e.Err == nil || list != nil {
		t.Fatalf("%v, error %v", list, err)
	}
	if s := e.Err.Error(); strings.Contains(s, "sk-very-secret") || len(s) > 4<<10 {
		t.Errorf("the cause holds the key or too much: %s", s)
	}
}

// Of an endless answer no more is read than the largest valid one has.
func TestEndlessEmbeddingProvider(t *testing.T) {
	disconnected := make(chan struct{})
	s := provider.StartEmbeddings(t, nil)
	s.Play(func(w http.ResponseWriter, _ *http.Request) {
		defer close(disconnected)
		blank := make([]byte, 64<<10)
		for range 1024 {
			if _, err := w.Write(blank); err != nil {
				return
			}
		}
	})
	e, transport := newEmbedder(t, s), &byteCounter{RoundTripper: &http.Transport{}}
	e.HTTP = &http.Client{Transport: transport}
	list, err := e.Embed(t.Context(), []string{"a"})
	checkEmbeddingFailure(t, list, err)
	check.Receive(t, "the end of the connection", disconnected)
	if n := transport.count.Load(); n > 1<<20 {
		t.Errorf("%d bytes were read for one vector", n)
	}
}

// byteCounter counts the bytes of answers that are read.
type byteCounter struct {
	http.RoundTripper
	count atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (c *byteCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &countedBody{resp.Body, &c.count}
	}
	return resp, err
}

type countedBody struct {
	io.ReadCloser
	count *atomic.Int64
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count.Add(int64(n))
	return n, err
}

func TestStallingEmbeddingProvider(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	s.Play(s.Stall, s.Stall, s.Stall, s.Stall)
	e := newEmbedder(t, s)
	transport := &requestCounter{RoundTripper: &http.Transport{}}
	e.HTTP, e.Timeout = &http.Client{Transport: transport}, 20*time.Millisecond
	list, err := e.Embed(t.Context(), []string{"a"})
	checkEmbeddingFailure(t, list, err)
	if n := transport.count.Load(); n != 3 {
		t.Errorf("%d requests", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	e.Timeout = time.Hour
	s.Play(s.Stall)
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// requestCounter counts the requests of a client, also those that end before they reach the server.
type requestCounter struct {
	http.RoundTripper
	count atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (c *requestCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.count.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

func TestEmbeddingRetries(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	s.Play(respondWith(503, ""), respondWith(429, ""), nil)
	if _, err := newEmbedder(t, s).Embed(t.Context(), []string{"a"}); err != nil || len(s.RequestTexts()) != 3 {
		t.Errorf("%d requests, %v", len(s.RequestTexts()), err)
	}
	s.ClearRequests()
	s.Play(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := newEmbedder(t, s).Embed(t.Context(), []string{"a"})
	var e *parley.Error
	if !errors.As(err, &e) || e.RetryAfter != time.Hour || len(s.RequestTexts()) != 1 {
		t.Errorf("%d requests, %v", len(s.RequestTexts()), err)
	}
}

// A text that is too long for the model is shortened, a text that it refuses is left out, and neither delays the
// others.
func TestTextsThatTheModelRefuses(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	strict := func(w http.ResponseWriter, r *http.Request) {
		last := s.RequestTexts()[len(s.RequestTexts())-1]
		for _, text := range last {
			if len(text) > 100 || strings.Contains(text, "!") {
				http.Error(w, "the input exceeds the context length", http.StatusBadRequest)
				return
			}
		}
		var same []string
		for range last {
			same = append(same, "[1,0]")
		}
		respondWithVectors(same...)(w, r)
	}
	script := make([]http.HandlerFunc, 100)
	for i := range script {
		script[i] = strict
	}
	s.Play(script...)
	list, err := newEmbedder(t, s).Embed(t.Context(),
		[]string{"one", strings.Repeat("long ", 60), "two", strings.Repeat("! ", 40), "three"})
	if err != nil || len(list) != 5 {
		t.Fatalf("%d vectors, %v", len(list), err)
	}
	for i, v := range list {
		if (v == nil) != (i == 3) {
			t.Errorf("text %d: %v", i, v)
		}
	}
}

// An error that is not about the texts ends the call at once.
func TestMissingModel(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	no := respondWith(400, "no such model")
	s.Play(no, no, no, no, no, no)
	list, err := newEmbedder(t, s).Embed(t.Context(), []string{"a", "b", "c", "d"})
	checkEmbeddingFailure(t, list, err)
	if n := len(s.RequestTexts()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestShorterVectors(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	e := newEmbedder(t, s)
	e.Dimensions = 16
	if list, err := e.Embed(t.Context(), []string{"a"}); err != nil || len(list[0]) != 16 || e.Name() != "m/16" {
		t.Errorf("%v, %v, %s", list, err, e.Name())
	}
	e.Dimensions = 500
	list, err := e.Embed(t.Context(), []string{"a"})
	checkEmbeddingFailure(t, list, err)
}

func TestRecentQuestions(t *testing.T) {
	s := provider.StartEmbeddings(t, nil)
	now := time.UnixMilli(0)
	r := &model.CachedEmbedder{Embedder: newEmbedder(t, s), Now: func() time.Time { return now }}
	ask := func(text string) error {
		v, err := r.Vector(t.Context(), text)
		if err == nil && len(v) != 64 {
			t.Errorf("%d numbers", len(v))
		}
		return err
	}
	for range 3 {
		if err := ask("a"); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.RequestTexts()) != 1 {
		t.Errorf("%d requests for one question", len(s.RequestTexts()))
	}
	no := respondWith(401, "")
	s.Play(no, no, no)
	for range 3 {
		if ask("b") == nil {
			t.Error("no failure")
		}
	}
	if err := ask("c"); !errors.Is(err, model.ErrEmbedderPaused) || ask("a") != nil {
		t.Error(err)
	}
	now = now.Add(time.Minute)
	if err := ask("c"); err != nil {
		t.Error(err)
	}
	for i := range 600 {
		if err := ask(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	s.ClearRequests()
	if err := errors.Join(ask("599"), ask("a")); err != nil || len(s.RequestTexts()) != 1 {
		t.Errorf("%d requests, %v", len(s.RequestTexts()), err)
	}
}
