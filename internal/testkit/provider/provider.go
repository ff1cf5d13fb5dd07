// Package provider is a model provider for tests: a loopback server with the OpenAI wire format, or Anthropic's, which
// behaves, request by request, as its script says, well or badly.
package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Behaviour answers one request.
type Behaviour func(*Exchange)

// Server plays one behaviour for each request; the last one answers all further requests.
type Server struct {
	URL string // base URL for a client: ends in /v1

	recorder[Behaviour, Request]
	disconnectCount int
	changed         chan struct{}
	quit            chan struct{}
}

// recorder holds the script of a server and the requests that it has received.
type recorder[B, R any] struct {
	mu       sync.Mutex
	script   []B
	requests []R
}

// Play replaces the script from the next request on.
func (r *recorder[B, R]) Play(script ...B) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.script = script
}

// Requests lists the requests so far, oldest first.
func (r *recorder[B, R]) Requests() []R {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// ClearRequests drops the requests so far.
func (r *recorder[B, R]) ClearRequests() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

// startServer runs the handler on loopback until the test ends, closes quit then, and returns its base URL.
func startServer(t testing.TB, handler http.HandlerFunc, quit chan struct{}) string {
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		close(quit)
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL + "/v1"
}

// Request is what a client sent.
type Request struct {
	Header http.Header
	Body   []byte
}

// JSON decodes the request's body.
func (r Request) JSON() map[string]any {
	var m map[string]any
	if err := json.Unmarshal(r.Body, &m); err != nil {
		return map[string]any{"broken": err.Error()}
	}
	return m
}

// Start starts a server and closes it when the test ends. Without a script it answers "Hello.".
func Start(t testing.TB, script ...Behaviour) *Server {
	t.Helper()
	if len(script) == 0 {
		script = []Behaviour{AnswerText("Hello.")}
	}
	s := &Server{changed: make(chan struct{}), quit: make(chan struct{})}
	s.Play(script...)
	s.URL = startServer(t, s.serve, s.quit)
	return s
}

// WaitForDisconnects waits until the clients of n exchanges have disconnected before the end. It returns false if done
// is closed first.
func (s *Server) WaitForDisconnects(n int, done <-chan struct{}) bool {
	for {
		s.mu.Lock()
		reached, change := s.disconnectCount >= n, s.changed
		s.mu.Unlock()
		if reached {
			return true
		}
		select {
		case <-change:
		case <-done:
			return false
		}
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") &&
		!strings.HasSuffix(r.URL.Path, "/messages") {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	request := Request{Header: r.Header.Clone(), Body: body}
	play := s.nextBehaviour(request)
	play(&Exchange{Request: request, w: w, r: r, out: http.NewResponseController(w), quit: s.quit})
	if r.Context().Err() != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.disconnectCount++
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

func (s *Server) nextBehaviour(r Request) Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	play := s.script[0]
	if len(s.script) > 1 {
		s.script = s.script[1:]
	}
	return play
}

// Exchange is one request being answered.
type Exchange struct {
	Request Request

	w          http.ResponseWriter
	r          *http.Request
	out        *http.ResponseController
	quit       chan struct{}
	hasStarted bool
}

// Write sends raw bytes of the body at once. It returns false when the client is gone.
func (x *Exchange) Write(raw string) bool {
	if !x.hasStarted {
		x.w.Header().Set("Content-Type", "text/event-stream")
		x.hasStarted = true
	}
	_, err := io.WriteString(x.w, raw)
	return err == nil && x.out.Flush() == nil
}

// Event sends one event of the stream.
func (x *Exchange) Event(data string) bool { return x.Write("data: " + data + "\n\n") }

// Text sends one delta of text.
func (x *Exchange) Text(text string) bool { return x.Event(Delta(text)) }

// Finish sends the reason, the usage and the end of the stream.
func (x *Exchange) Finish(reason string) {
	x.Event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason))
	x.Event(`{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`)
	x.Event("[DONE]")
}

// Stall waits until the client or the test ends.
func (x *Exchange) Stall() {
	select {
	case <-x.r.Context().Done():
	case <-x.quit:
	}
}

// Cut breaks the connection.
func (x *Exchange) Cut() { panic(http.ErrAbortHandler) }

// Delta returns the data of an event with text.
func Delta(text string) string {
	return `{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":` + encodeJSON(text) +
		`},"finish_reason":null}]}`
}
