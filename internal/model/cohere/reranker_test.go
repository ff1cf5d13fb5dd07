package cohere_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model/cohere"
	"parley/internal/testkit/provider"
)

func newReranker(t *testing.T, s *provider.RerankServer) *cohere.Reranker {
	r := &cohere.Reranker{Client: httpclient.Client{BaseURL: s.URL, Key: provider.Key}, Model: "m"}
	t.Cleanup(r.Close)
	return r
}

// scoreByLength lets the longest text be the best.
func scoreByLength(_, text string) float64 { return float64(len(text)) - 2.5 }

func respondWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Scores are returned in the order of the texts, whichever of the two wire formats the server has; a server that has
// the second costs one refusal, once.
func TestScoresComeInTheOrderOfTheTexts(t *testing.T) {
	texts := []string{"bb", "", "cccc", "a", "bb"}
	for _, takesTexts := range []bool{false, true} {
		s := provider.StartReranks(t, scoreByLength)
		if takesTexts {
			s.TakeTextsOnly()
		}
		r := newReranker(t, s)
		for range 2 {
			scores, err := r.Rerank(t.Context(), "Which?", texts)
			if err != nil || !slices.Equal(scores, []float64{-.5, -2.5, 1.5, -1.5, -.5}) {
				t.Fatalf("%v, %v", scores, err)
			}
		}
		requests := s.Requests()
		if len(requests) != 2 && !takesTexts || len(requests) != 3 && takesTexts {
			t.Errorf("%d requests", len(requests))
		}
		first, last := requests[0], requests[len(requests)-1]
		if first.Model != "m" || first.Query != "Which?" || first.TopN != 5 || !slices.Equal(first.Documents, texts) ||
			first.Header.Get("Authorization") != "Bearer "+provider.Key {
			t.Errorf("asked %+v", first)
		}
		if takesTexts && (!slices.Equal(last.Texts, texts) || !last.Truncate || last.Documents != nil) {
			t.Errorf("asked %+v", last)
		}
	}
}

func TestNoTextsAskNobody(t *testing.T) {
	s := provider.StartReranks(t, scoreByLength)
	if scores, err := newReranker(t, s).Rerank(t.Context(), "Which?", nil); len(scores) != 0 || err != nil {
		t.Errorf("%v, %v", scores, err)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// However long the texts are, the request has a bound, and what is no text is none of the provider's business.
func TestLongTextsAreCut(t *testing.T) {
	s := provider.StartReranks(t, scoreByLength)
	texts := slices.Repeat([]string{strings.Repeat("é", 100_000), "\xff\xfe broken"}, 15)
	if _, err := newReranker(t, s).Rerank(t.Context(), strings.Repeat("why ", 100_000), texts); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests()[0]; got.Size > 100_000 || len(got.Documents[0]) != 4096 ||
		got.Documents[1] != "\uFFFD broken" {
		t.Errorf("%d bytes", got.Size)
	}
}

// Whatever the provider does, the call ends after one request with an error that does not contain the key.
func TestMisbehavingRerankingProviders(t *testing.T) {
	const one = `{"index":0,"relevance_score":0.5}`
	results := func(list ...string) http.HandlerFunc {
		return respondWith(200, `{"results":[`+strings.Join(list, ",")+`]}`)
	}
	for _, c := range []struct {
		name      string
		behaviour http.HandlerFunc
	}{
		{"garbage", respondWith(200, "<html>It works!</html>")},
		{"half an answer", respondWith(200, `{"results":[{"index":0,"relev`)},
		{"no body", respondWith(200, "")},
		{"an error in place of results", respondWith(200, `{"error":"sk-very-secret is no good"}`)},
		{"results of another kind", respondWith(200, `{"results":{"0":0.5,"1":0.1}}`)},
		{"none", results()},
		{"too few", results(one)},
		{"too many", results(one, `{"index":1,"relevance_score":0}`, `{"index":2,"relevance_score":0}`)},
		{"the same text twice", results(one, one)},
		{"an index out of range", results(one, `{"index":2,"relevance_score":0.1}`)},
		{"an index below 0", results(one, `{"index":-1,"relevance_score":0.1}`)},
		{"an index that is no whole number", results(one, `{"index":0.5,"relevance_score":0.1}`)},
		{"no index", results(one, `{"relevance_score":0.1}`)},
		{"no score", results(one, `{"index":1}`)},
		{"null", results(one, `{"index":1,"relevance_score":null}`)},
		{"NaN", results(one, `{"index":1,"relevance_score":NaN}`)},
		{"NaN as text", results(one, `{"index":1,"relevance_score":"NaN"}`)},
		{"beyond floats", results(one, `{"index":1,"relevance_score":1e999}`)},
		{"a list with too few", respondWith(200, `[{"index":1,"score":0.5}]`)},
		{"a list of numbers", respondWith(200, `[0.5,0.1]`)},
		{"no end", func(w http.ResponseWriter, _ *http.Request) {
			for range 5000 {
				_, _ = io.WriteString(w, strings.Repeat(" ", 1024))
			}
		}},
		{"401", respondWith(401, "bad key sk-very-secret")},
		{"404", respondWith(404, "no such model")},
		{"422", respondWith(422, `{"detail":"too long"}`)},
		{"422 for the other wire format too", respondWith(422, "missing field `texts`")},
		{"429", respondWith(429, "slow down")},
		{"500", respondWith(500, "sk-very-secret")},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }},
		{"cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := provider.StartReranks(t, scoreByLength)
			s.Play(c.behaviour, c.behaviour, c.behaviour)
			scores, err := newReranker(t, s).Rerank(t.Context(), "Which?", []string{"a", "b"})
			var e *parley.Error
			if scores != nil || !errors.As(err, &e) || strings.Contains(err.Error(), provider.Key) {
				t.Errorf("%v, %v", scores, err)
			}
			if n := len(s.Requests()); n != 1 && (n != 2 || !strings.HasPrefix(c.name, "422 for")) {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestProviderSaysWhenToAskAgain(t *testing.T) {
	s := provider.StartReranks(t, scoreByLength)
	s.Play(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	})
	_, err := newReranker(t, s).Rerank(t.Context(), "Which?", []string{"a", "b"})
	var e *parley.Error
	if !errors.As(err, &e) || e.RetryAfter != 7*time.Second {
		t.Errorf("%v", err)
	}
}

// A call ends when its caller stops waiting, and by itself when the provider never answers.
func TestSilentRerankingProvider(t *testing.T) {
	const short = 20 * time.Millisecond
	for _, c := range []struct{ caller, own time.Duration }{{short, 0}, {time.Minute, short}} {
		s := provider.StartReranks(t, scoreByLength)
		s.Play(s.Stall)
		r := newReranker(t, s)
		r.Timeout = c.own
		ctx, stop := context.WithTimeout(t.Context(), c.caller)
		_, err := r.Rerank(ctx, "Which?", []string{"a", "b"})
		stop()
		if err == nil || errors.Is(err, context.DeadlineExceeded) != (c.own == 0) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func FuzzScores(f *testing.F) {
	for _, seed := range []string{`{"results":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":-3}]}`,
		`[{"index":0,"score":1},{"index":1,"score":2}]`, `{"results":[{}]}`, `[`, `null`, ` [1e999]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		scores, err := cohere.ParseScores([]byte(body), 2)
		if err == nil && len(scores) != 2 || err != nil && scores != nil {
			t.Error(fmt.Sprint(scores, err))
		}
		for _, s := range scores {
			if s-s != 0 {
				t.Errorf("%v is not finite", s)
			}
		}
	})
}
