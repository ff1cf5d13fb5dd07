package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/listen"
)

// A body that takes too long is refused, and the connection ends. net/http has cancelled the request by then.
func TestBodyThatTakesTooLong(t *testing.T) {
	defer func(d time.Duration) { bodyTimeout = d }(bodyTimeout)
	bodyTimeout = 50 * time.Millisecond
	table := listen.NewConnTable(listen.Limits{})
	server := httptest.NewUnstartedServer(newTestAPI(t, io.Discard))
	server.Listener = table.Listener(server.Listener)
	table.Configure(server.Config)
	server.Start()
	defer server.Close()
	for _, part := range []string{"Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := fmt.Fprintf(conn, "PUT /base/things/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key\r\n%s", part); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(conn)
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "took too long") || err != nil {
			t.Errorf("%d %s %v", resp.StatusCode, body, err)
		}
		if _, err := r.ReadByte(); err != io.EOF {
			t.Errorf("after the answer: %v", err)
		}
	}
}
