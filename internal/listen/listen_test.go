package listen_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/listen"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// startServer runs a server whose connections are in a table.
func startServer(t *testing.T, limits listen.Limits, h http.HandlerFunc) (*httptest.Server, *listen.ConnTable) {
	t.Helper()
	table := listen.NewConnTable(limits)
	server := httptest.NewUnstartedServer(h)
	server.Listener = table.Listener(server.Listener)
	table.Configure(server.Config)
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if n := table.OpenConns(); n != 0 {
			t.Errorf("%d connections remain", n)
		}
	})
	return server, table
}

const getRequest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

func closeWriteHalf(t *testing.T, conn *net.TCPConn) {
	t.Helper()
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
}

func resetConn(t *testing.T, conn *net.TCPConn) {
	t.Helper()
	if err := conn.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
}

// A handler continues for a client that has closed its half and reads the answer, and is cancelled when the client is
// gone.
func TestResetCancelsAndHalfClosingDoesNot(t *testing.T) {
	for _, half := range []bool{false, true} {
		received, alive, ended := make(chan struct{}), make(chan error, 1), make(chan struct{})
		server, _ := startServer(t, listen.Limits{}, func(w http.ResponseWriter, r *http.Request) {
			defer close(ended)
			for range 3 { // a round trip, so that the end of the client's data has been read
				_, _ = io.WriteString(w, "a")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-received:
				case <-t.Context().Done():
					return
				}
			}
			alive <- r.Context().Err()
			<-r.Context().Done()
		})
		conn := testkit.DialRaw(t, server.URL)
		testkit.SendRaw(t, conn, getRequest)
		if half {
			closeWriteHalf(t, conn)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		for range 3 {
			if err == nil {
				_, err = io.ReadFull(resp.Body, make([]byte, 1))
			}
			if err != nil {
				t.Fatal(err)
			}
			received <- struct{}{}
		}
		if err := check.Receive(t, "the request", alive); err != nil {
			t.Errorf("half closed %v: the request was cancelled while its client waits: %v", half, err)
		}
		resetConn(t, conn)
		check.Receive(t, "the end of the request", ended)
	}
}

// A client that has closed all of its connection looks like one that has closed its half, until something is sent to
// it.
func TestClosedConnectionCancels(t *testing.T) {
	began := make(chan struct{})
	ended := make(chan struct{})
	server, _ := startServer(t, listen.Limits{}, func(_ http.ResponseWriter, r *http.Request) {
		listen.FromContext(r.Context()).Serve(r)
		close(began)
		<-r.Context().Done()
		close(ended)
	})
	conn := testkit.DialRaw(t, server.URL)
	testkit.SendRaw(t, conn, getRequest)
	check.Receive(t, "the request", began)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	check.Receive(t, "the end of the request", ended)
}

// A client that has closed its half and has to wait is probed before its answer begins, and not within it.
func TestWaitingClientIsProbed(t *testing.T) {
	release := make(chan struct{})
	server, _ := startServer(t, listen.Limits{}, func(w http.ResponseWriter, r *http.Request) {
		listen.FromContext(r.Context()).Serve(r)
		<-release
		_, _ = io.WriteString(w, "done")
	})
	conn := testkit.DialRaw(t, server.URL)
	testkit.SendRaw(t, conn, getRequest)
	closeWriteHalf(t, conn)
	r := bufio.NewReader(conn)
	for _, want := range []int{http.StatusContinue, http.StatusOK} {
		resp, err := http.ReadResponse(r, nil)
		if err != nil || resp.StatusCode != want {
			t.Fatal(resp, err)
		}
		if want == http.StatusContinue {
			close(release)
			continue
		}
		text, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || string(text) != "done" {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// Pipelined requests on a connection are all answered, and the connection ends after the last.
func TestPipelinedRequestsOfAHalfClosedClient(t *testing.T) {
	server, _ := startServer(t, listen.Limits{}, func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil || r.Context().Err() != nil {
			t.Error(err, r.Context().Err())
		}
		_, _ = w.Write(append(text, r.URL.Path...))
	})
	conn := testkit.DialRaw(t, server.URL)
	post := func(path, body string) string { return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + body }
	testkit.SendRaw(t, conn, post("/1", "Content-Length: 3\r\n\r\nabc")+post("/2",
		"Transfer-Encoding: chunked\r\n\r\n3\r\ndef\r\n0\r\n\r\n")+
		post("/3", "Content-Length: 5000\r\n\r\n"+strings.Repeat("x", 5000))+post("/4",
		"Expect: 100-continue\r\nContent-Length: 1\r\n\r\ng"))
	closeWriteHalf(t, conn)
	want := []string{"abc/1", "def/2", strings.Repeat("x", 5000) + "/3", "g/4"}
	got := testkit.ReadReplies(t, conn)
	if len(got) != len(want) {
		t.Fatalf("%d answers", len(got))
	}
	for i, w := range want {
		if got[i].Status != http.StatusOK || string(got[i].Body) != w {
			t.Errorf("%d %s instead of %s", got[i].Status, got[i].Body, w)
		}
	}
}

// A request with two lengths is detected wherever the headers are, and what only looks like one is not.
func TestAmbiguousLengths(t *testing.T) {
	server, _ := startServer(t, listen.Limits{}, func(w http.ResponseWriter, r *http.Request) {
		if listen.FromContext(r.Context()).HasAmbiguousLength(r) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = io.Copy(io.Discard, r.Body)
	})
	const line, coding, chunks = "POST /x HTTP/1.1\r\nHost: x\r\n", "Transfer-Encoding: chunked\r\n", "\r\n0\r\n\r\n"
	const plain = line + "Content-Length: 3\r\n\r\nabc"
	quoted := "\r\n29\r\n\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\n0\r\n\r\n"
	for text, want := range map[string][]int{
		line + coding + "Content-Length: 5\r\n" + chunks:                                                      {400},
		line + "content-length: 5\r\nA: b\r\ntransfer-ENCODING: chunked\r\n" + chunks:                         {400},
		"POST /x HTTP/1.0\r\nHost: x\r\n" + coding + "Content-Length: 5\r\n\r\nabcde":                         {400},
		"\r\n" + line + coding + "Content-Length: 5\r\n" + chunks:                                             {400},
		plain + line + coding + "Content-Length: 5\r\n" + chunks:                                              {200, 400},
		plain + line + "A: " + strings.Repeat("a", 5000) + "\r\n" + coding + "Content-Length: 5\r\n" + chunks: {200, 400},
		line + coding + quoted + plain:                                                                        {200, 200},
		line + coding + chunks + plain + line + coding + chunks: {200,
			200, 200},
		plain + strings.Repeat(line+coding+chunks,
			100): append([]int{200}, repeatStatus(200, 100)...),
		plain + line + "Content-Length: 9000\r\n\r\n" + strings.Repeat("y", 9000) + line + coding + chunks: {200,
			200, 200},
	} {
		conn := testkit.DialRaw(t, server.URL)
		testkit.SendRaw(t, conn, text)
		closeWriteHalf(t, conn)
		got := testkit.ReadReplies(t, conn)
		if len(got) != len(want) {
			t.Errorf("%d answers instead of %d to %.300q", len(got), len(want), text)
			continue
		}
		for i := range want {
			if got[i].Status != want[i] {
				t.Errorf("answer %d is %d to %.300q", i, got[i].Status, text)
			}
		}
	}
}

func repeatStatus(status, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = status
	}
	return list
}
