package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// The stub's models. All stream token by token, each flushed by itself, as model servers do.
const (
	instant = "instant" // 32 tokens at once
	steady  = "steady"  // 100 tokens, one every 20 ms
	silent  = "silent"  // a token every 25 s: longer than the silence after which a server must send a heartbeat
	finder  = "finder"  // says whether the word of the question is in the prompt once more
)

const (
	instantTokens = 32
	steadyTokens  = 100
	silentTokens  = 8
	steadyPace    = 20 * time.Millisecond
	silentPace    = 25 * time.Second
)

// Answers of the finder.
const (
	found  = "The passages hold it."
	absent = "The passages do not hold it."
)

// script is what a model says, and how fast.
type script struct {
	text   string
	pace   time.Duration
	events [][]byte // the text as events of a stream, a token each
	whole  []byte   // the text as one JSON
}

// stub is a model server with OpenAI's wire format. It reads its requests as cheaply as it can: what it costs is noise.
type stub map[string]*script

func newStub() stub {
	return stub{
		instant: newScript(words(instantTokens), 0),
		steady:  newScript(words(steadyTokens), steadyPace),
		silent:  newScript(words(silentTokens), silentPace),
		found:   newScript(strings.SplitAfter(found, " "), 0),
		absent:  newScript(strings.SplitAfter(absent, " "), 0),
	}
}

// words makes tokens that tell where one is missing.
func words(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("word%d ", i)
	}
	tokens[n-1] = "end."
	return tokens
}

var scripts = newStub()

// said is the whole text of a model's answer.
func said(model string) string { return scripts[model].text }

func newScript(tokens []string, pace time.Duration) *script {
	s := &script{text: strings.Join(tokens, ""), pace: pace}
	for _, token := range tokens {
		s.events = append(s.events, chunk(fmt.Sprintf(`{"index":0,"delta":{"content":%q},"finish_reason":null}`, token), ""))
	}
	s.whole = fmt.Appendf(nil, `{"id":"c","object":"chat.completion","created":0,"model":"stub","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],%s}`,
		s.text, usage)
	return s
}

const usage = `"usage":{"prompt_tokens":100,"completion_tokens":32,"total_tokens":132}`

func chunk(choice, more string) []byte {
	return fmt.Appendf(nil, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"stub\",\"choices\":[%s]%s}\n\n", choice, more)
}

var (
	opening = chunk(`{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}`, "")
	closing = bytes.Join([][]byte{chunk(`{"index":0,"delta":{},"finish_reason":"stop"}`, ""), chunk("", ","+usage), []byte("data: [DONE]\n\n")}, nil)
)

func (s stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	model := s.pick(body)
	if model == nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
		return
	}
	if bytes.Contains(body, []byte(`"stream":true`)) {
		model.stream(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(model.whole)
}

// pick finds the model that the request names.
func (s stub) pick(body []byte) *script {
	_, after, _ := bytes.Cut(body, []byte(`"model":"`))
	name, _, _ := bytes.Cut(after, []byte{'"'})
	if string(name) == finder {
		return s[search(body)]
	}
	return s[string(name)]
}

// search looks for the code word of the question in what else the request holds.
func search(body []byte) string {
	at := bytes.LastIndex(body, []byte(codeMark))
	if at < 0 || len(body) < at+codeLength {
		return absent
	}
	if code := body[at : at+codeLength]; bytes.Count(body, code) > 1 {
		return found
	}
	return absent
}

func (s *script) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_, _ = w.Write(opening)
	began := time.Now()
	for i, event := range s.events {
		if !pause(r.Context(), time.Until(began.Add(time.Duration(i)*s.pace))) {
			return
		}
		if _, err := w.Write(event); err != nil || rc.Flush() != nil {
			return
		}
	}
	_, _ = w.Write(closing)
}

// pause waits, and is false when ctx is done first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
