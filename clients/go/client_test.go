package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// serve returns a client of a server with the handler.
func serve(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	srv := httptest.NewServer(handle)
	t.Cleanup(srv.Close)
	return New(srv.URL+"/", "key")
}

// TestRequestIsTriedAgain checks that a request that the server wants later is the same one, and has one key.
func TestRequestIsTriedAgain(t *testing.T) {
	keys := map[string]int{}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		keys[r.Header.Get("Idempotency-Key")]++
		if len(keys) == 1 && keys[r.Header.Get("Idempotency-Key")] == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write([]byte(`{"id": "a"}`))
	})
	id, err := c.CreateAgent(t.Context(), "Shop", "")
	if err != nil || id != "a" || len(keys) != 1 {
		t.Errorf("%q %v, keys %v", id, err, keys)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.CreateAgent(ctx, "Shop", ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFailureIsRead checks failures of the interface, and those of something before it.
func TestFailureIsRead(t *testing.T) {
	body := `{"error": {"code": "AGENT_NOT_FOUND", "message": "Agent not found.", "details": {"a": "b"}}}`
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "r1")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(body))
	})
	_, err := c.Chat(t.Context(), "a", Message{Text: "Hello"})
	var e *Error
	if !errors.As(err, &e) || e.Code != "AGENT_NOT_FOUND" || e.Details["a"] != "b" || e.RequestID != "r1" ||
		!IsCode(err, "AGENT_NOT_FOUND") {
		t.Errorf("%+v", err)
	}
	body = "<html>"
	if _, err := c.Chat(t.Context(), "a", Message{Text: "Hello"}); !IsCode(err, "HTTP_404") {
		t.Error(err)
	}
}

// TestStreams checks how streams end.
func TestStreams(t *testing.T) {
	const begin = ": ping\n\ndata: {\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"Hi\"}\n\n"
	for stream, want := range map[string]string{
		begin + "data: [DONE]\n\n": "",
		begin:                      ErrCutShort.Error(),
		begin + "data: {\"type\":\"error\",\"errorText\":\"no\"}\n\n": "parley: 200 CHAT_STREAMING_ERROR: no",
		begin + "data: {\n\n": "parley: an event cannot be read: {",
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(stream)) })
		text, got := "", ""
		for e, err := range c.Stream(t.Context(), "a", Message{Text: "Hello"}) {
			if text += e.Delta; err != nil {
				got = err.Error()
			}
		}
		if text != "Hi" || got != want {
			t.Errorf("%q: %q and %q, want %q", stream, text, got, want)
		}
	}
}

// TestListEnds checks that a list is read page after page, and that one that leads in a circle is given up.
func TestListEnds(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("cursor") {
		case "":
			_, _ = w.Write([]byte(`{"data": [{"id": "a"}], "pagination": {"cursor": "2", "hasMore": true}}`))
		default:
			_, _ = w.Write([]byte(`{"data": [{"id": "b"}], "pagination": {"cursor": "2", "hasMore": true}}`))
		}
	})
	ids, failed := "", false
	for a, err := range c.Agents(t.Context()) {
		ids, failed = ids+a.ID, err != nil
	}
	if ids != "ab" || !failed {
		t.Errorf("%q, failed %v", ids, failed)
	}
}
