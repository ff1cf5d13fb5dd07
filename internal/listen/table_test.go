package listen_test

import (
	"bufio"
	"net"
	"net/http"
	"testing"

	"parley/internal/listen"
	"parley/internal/rig"
)

// ended waits until the server has closed the connection.
func ended(t *testing.T, conn net.Conn) {
	t.Helper()
	if n, err := conn.Read(make([]byte, 1)); err == nil || n > 0 {
		t.Fatal("the connection says something")
	} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Fatal("the connection is still open")
	}
}

// talk sends a request on a connection that is kept.
func talk(t *testing.T, conn net.Conn) int {
	t.Helper()
	rig.Send(t, conn, get)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// Whoever comes to a full table takes the place of the one that waits for nothing: of a stranger before one that is
// known, of the oldest before the others.
func TestFullTableReplacesWhoWaitsForNothing(t *testing.T) {
	server, table := serve(t, listen.Limits{All: 4}, func(_ http.ResponseWriter, r *http.Request) {
		listen.Of(r.Context()).Know()
	})
	known := rig.Raw(t, server.URL)
	if status := talk(t, known); status != http.StatusOK {
		t.Fatal(status)
	}
	var silent []*net.TCPConn
	for i := range 40 {
		conn := rig.Raw(t, server.URL)
		if i%2 == 0 {
			rig.Send(t, conn, "GET / HTTP/1.1\r\nHost: drip") // a header that goes on for ever
		}
		silent = append(silent, conn)
	}
	for _, conn := range silent[:len(silent)-3] {
		ended(t, conn)
	}
	if status := talk(t, known); status != http.StatusOK || table.Open() != 4 {
		t.Errorf("%d, %d connections", status, table.Open())
	}
	if status := talk(t, rig.Raw(t, server.URL)); status != http.StatusOK {
		t.Error(status)
	}
}

// Where all are busy there are some more, which say so; beyond them connections are closed.
func TestSpareConnections(t *testing.T) {
	release, began := make(chan struct{}), make(chan bool, 8)
	server, _ := serve(t, listen.Limits{All: 3, Spare: 2}, func(_ http.ResponseWriter, r *http.Request) {
		began <- listen.Of(r.Context()).Spare()
		<-release
	})
	for i := range 5 {
		rig.Send(t, rig.Raw(t, server.URL), get)
		if spare := <-began; spare != (i >= 3) {
			t.Errorf("connection %d is spare: %v", i, spare)
		}
	}
	ended(t, rig.Raw(t, server.URL))
	close(release)
}

func TestConnectionsOfOneAddress(t *testing.T) {
	server, table := serve(t, listen.Limits{PerAddress: 3}, func(http.ResponseWriter, *http.Request) {})
	var open []*net.TCPConn
	for range 3 {
		open = append(open, rig.Raw(t, server.URL))
	}
	ended(t, rig.Raw(t, server.URL))
	if status := talk(t, open[0]); status != http.StatusOK {
		t.Error(status)
	}
	_ = open[1].Close()
	rig.Eventually(t, "a place", func() bool { return table.Open() == 2 })
	if status := talk(t, rig.Raw(t, server.URL)); status != http.StatusOK {
		t.Error(status)
	}
}
