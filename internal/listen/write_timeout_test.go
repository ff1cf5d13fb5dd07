package listen_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/listen"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// A client that does not receive its answer loses its place to others.
func TestUnauthenticatedClientsThatDoNotReadAreReplaced(t *testing.T) {
	began := make(chan struct{}, 3)
	server, _ := startServer(t, listen.Limits{MaxConns: 3}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/small" {
			return
		}
		began <- struct{}{}
		_, _ = w.Write(make([]byte, 64<<20)) // more than fits between the server and the client
	})
	for range 3 {
		testkit.SendRaw(t, testkit.DialRaw(t, server.URL), getRequest)
		check.Receive(t, "the request", began)
	}
	testkit.Eventually(t, "a place", func() bool {
		resp, err := http.Get(server.URL + "/small")
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
}

// An authenticated client that does not read keeps its place for a bounded time, also where each of its answers is
// small.
func TestWriteTimeoutOfAnswers(t *testing.T) {
	listen.ShortenWrites(t, 50*time.Millisecond)
	const more = 60_000 // requests than answers fit between them
	server, table := startServer(t, listen.Limits{}, func(w http.ResponseWriter, r *http.Request) {
		listen.FromContext(r.Context()).MarkTrusted()
		w.Header().Set("X-Filler", strings.Repeat("x", 1000))
	})
	conn := testkit.DialRaw(t, server.URL)
	// it blocks, until the server closes the connection
	go func() { _, _ = conn.Write([]byte(strings.Repeat(getRequest, more))) }()
	testkit.Eventually(t, "the end of the connection", func() bool { return table.OpenConns() == 0 })
}
