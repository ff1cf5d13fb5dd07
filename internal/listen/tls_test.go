package listen_test

import (
	"bufio"
	"crypto/tls"
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

// startTLSServer runs a server that speaks TLS below a table. Its client trusts it.
func startTLSServer(t *testing.T, h http.HandlerFunc) (*httptest.Server, *http.Client) {
	t.Helper()
	lender := httptest.NewTLSServer(nil) // of its certificate, and of a client that trusts it
	client, config := lender.Client(), &tls.Config{Certificates: lender.TLS.Certificates, MinVersion: tls.VersionTLS12}
	lender.Close()
	table := listen.NewConnTable(listen.Limits{})
	server := httptest.NewUnstartedServer(listen.WithTLSState(h))
	server.Listener = table.Listener(listen.NewTLSListener(server.Listener, config))
	table.Configure(server.Config)
	server.Start()
	server.URL = strings.Replace(server.URL, "http:", "https:", 1)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
		if n := table.OpenConns(); n != 0 {
			t.Errorf("%d connections remain", n)
		}
	})
	return server, client
}

// dialTLS connects to a server with the certificates that a client trusts.
func dialTLS(t *testing.T, server *httptest.Server, client *http.Client) *tls.Conn {
	t.Helper()
	config := client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com" // httptest's certificate is for it
	conn := tls.Client(testkit.DialRaw(t, strings.Replace(server.URL, "https:", "http:", 1)), config)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Requests by TLS are known as such, and a connection serves several.
func TestRequestsByTLS(t *testing.T) {
	server, client := startTLSServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil || !r.TLS.HandshakeComplete || listen.FromContext(r.Context()) == nil {
			t.Error("the request does not know of TLS, or of its connection")
		}
		text, _ := io.ReadAll(r.Body) // what is missing is missing in the answer
		_, _ = w.Write(text)
	})
	for _, text := range []string{"a", strings.Repeat("long ", 100_000)} {
		res, err := client.Post(server.URL, "text/plain", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil || string(got) != text {
			t.Errorf("%d bytes came back of %d: %v", len(got), len(text), err)
		}
	}
}

// A client that has closed its half of TLS gets its answer, and one that is gone cancels the request.
func TestHalfClosingByTLS(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		began, more, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		server, client := startTLSServer(t, func(w http.ResponseWriter, r *http.Request) {
			close(began)
			select {
			case <-r.Context().Done():
			case <-more:
			}
			ended <- r.Context().Err()
			_, _ = io.WriteString(w, "answer")
		})
		conn := dialTLS(t, server, client)
		testkit.SendRaw(t, conn, getRequest)
		check.Receive(t, "the request", began)
		if leaves {
			resetConn(t, conn.NetConn().(*net.TCPConn))
			if err := check.Receive(t, "the end of the request", ended); err == nil {
				t.Error("the request of a client that is gone goes on")
			}
			continue
		}
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		close(more)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil || string(text) != "answer" || <-ended != nil {
			t.Errorf("the answer is %q (%v)", text, err)
		}
	}
}

// Who speaks plain HTTP to the address of HTTPS is told so, and who speaks neither is not answered.
func TestPlainHTTPIsAnsweredByAHint(t *testing.T) {
	server, _ := startTLSServer(t, func(http.ResponseWriter, *http.Request) { t.Error("a request without TLS is served") })
	plain := strings.Replace(server.URL, "https:", "http:", 1)
	conn := testkit.DialRaw(t, plain)
	testkit.SendRaw(t, conn, getRequest)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusBadRequest ||
		!strings.Contains(string(text), "https://") {
		t.Errorf("%s %q %v", res.Status, text, err)
	}
	other := testkit.DialRaw(t, plain)
	testkit.SendRaw(t, other, "SSH-2.0-OpenSSH\r\n")
	if text, _ := io.ReadAll(other); strings.Contains(string(text), "HTTP") {
		t.Errorf("another protocol is answered with %q", text)
	}
}
