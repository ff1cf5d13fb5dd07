package listen_test

import (
	"bufio"
	"net"
	"net/http"
	"testing"

	"parley/internal/listen"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// wantClosed waits until the server has closed the connection.
func wantClosed(t *testing.T, conn net.Conn) {
	t.Helper()
	if n, err := conn.Read(make([]byte, 1)); err == nil || n > 0 {
		t.Fatal("the connection sends something")
	} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Fatal("the connection is still open")
	}
}

// sendGet sends a request on a connection that is kept.
func sendGet(t *testing.T, conn net.Conn) int {
	t.Helper()
	testkit.SendRaw(t, conn, getRequest)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// A new connection replaces an idle one when the table is full: one that has not authenticated before one that has, and
// the oldest before the others.
func TestFullTableReplacesIdleConnections(t *testing.T) {
	server, table := startServer(t, listen.Limits{MaxConns: 4}, func(_ http.ResponseWriter, r *http.Request) {
		listen.FromContext(r.Context()).MarkTrusted()
	})
	known := testkit.DialRaw(t, server.URL)
	if status := sendGet(t, known); status != http.StatusOK {
		t.Fatal(status)
	}
	var silent []*net.TCPConn
	for i := range 40 {
		conn := testkit.DialRaw(t, server.URL)
		if i%2 == 0 {
			testkit.SendRaw(t, conn, "GET / HTTP/1.1\r\nHost: drip") // a header that goes on forever
		}
		silent = append(silent, conn)
	}
	for _, conn := range silent[:len(silent)-3] {
		wantClosed(t, conn)
	}
	if status := sendGet(t, known); status != http.StatusOK || table.OpenConns() != 4 {
		t.Errorf("%d, %d connections", status, table.OpenConns())
	}
	if status := sendGet(t, testkit.DialRaw(t, server.URL)); status != http.StatusOK {
		t.Error(status)
	}
}

// If all connections are busy, a few spare ones are accepted and say so; further ones are closed.
func TestSpareConnections(t *testing.T) {
	release, began := make(chan struct{}), make(chan bool, 8)
	server, _ := startServer(t, listen.Limits{MaxConns: 3, SpareConns: 2}, func(_ http.ResponseWriter, r *http.Request) {
		began <- listen.FromContext(r.Context()).IsSpare()
		<-release
	})
	for i := range 5 {
		testkit.SendRaw(t, testkit.DialRaw(t, server.URL), getRequest)
		if spare := check.Receive(t, "the request", began); spare != (i >= 3) {
			t.Errorf("connection %d is spare: %v", i, spare)
		}
	}
	wantClosed(t, testkit.DialRaw(t, server.URL))
	close(release)
}

func TestConnectionsOfOneAddress(t *testing.T) {
	server, table := startServer(t, listen.Limits{MaxPerAddress: 3}, func(http.ResponseWriter, *http.Request) {})
	var open []*net.TCPConn
	for range 3 {
		open = append(open, testkit.DialRaw(t, server.URL))
	}
	wantClosed(t, testkit.DialRaw(t, server.URL))
	if status := sendGet(t, open[0]); status != http.StatusOK {
		t.Error(status)
	}
	_ = open[1].Close()
	testkit.Eventually(t, "a place", func() bool { return table.OpenConns() == 2 })
	if status := sendGet(t, testkit.DialRaw(t, server.URL)); status != http.StatusOK {
		t.Error(status)
	}
}
