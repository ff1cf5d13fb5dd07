package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"parley/internal/api/mcp"
	v1 "parley/internal/api/v1"
	v2 "parley/internal/api/v2"
	"parley/internal/server"
	"parley/internal/testkit"
)

// requestOnce sends a raw request and returns the one answer, after which the server closes the connection.
func requestOnce(t *testing.T, s *testkit.Server, text string) testkit.Reply {
	t.Helper()
	conn := testkit.DialRaw(t, s.URL)
	testkit.SendRaw(t, conn, text)
	got := testkit.ReadReplies(t, conn)
	if len(got) != 1 {
		t.Fatalf("%d answers to %.200q", len(got), text)
	}
	return got[0]
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// documentedRoutes returns method and path of every operation of the APIs.
func documentedRoutes(t *testing.T) []string {
	t.Helper()
	own, err := v2.Document("", "")
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := v1.Document("")
	if err != nil {
		t.Fatal(err)
	}
	list := []string{"POST " + mcp.Path, "POST /demo/voice", "GET /demo/voice", "GET /rtc", "GET /sdk/service-voice.js",
		"GET /nowhere", "BREW " + v2.Base + "/agents", "GET /openapi.json", "GET /docs"}
	for base, text := range map[string][]byte{v2.Base: own, v1.Base: earlier} {
		var doc struct {
			Paths map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		for path, methods := range doc.Paths {
			for method := range methods {
				list = append(list, strings.ToUpper(method)+" "+base+pathParameter.ReplaceAllString(path, "x"))
			}
		}
	}
	return list
}

// A request without a key is answered at once on every route and the connection closed, although its body never
// arrives.
func TestRequestsWithoutKeyAreRefusedBeforeTheirBody(t *testing.T) {
	s := testkit.Open(t)
	for _, route := range documentedRoutes(t) {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			for _, announced := range []string{"Content-Length: 1000", "Content-Length: 1000\r\nExpect: 100-continue",
				"Content-Length: 99999999",
				"Transfer-Encoding: chunked", "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000"} {
				got := requestOnce(t, s, route+" HTTP/1.1\r\nHost: localhost\r\n"+announced+"\r\n\r\n")
				open := got.Status == http.StatusOK && strings.HasPrefix(route, "GET ")
				if !open && got.Status/100 != 4 || len(got.Body) == 0 {
					t.Errorf("%s: %d %.200s", announced, got.Status, got.Body)
				}
			}
		})
	}
}

// The refusal of an authenticated request does not wait for the body either.
func TestRefusalsDoNotWaitForTheBody(t *testing.T) {
	s := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.RateLimit = 2 }))
	post := "POST /api/v2/agents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.Key + "\r\n"
	for _, want := range []int{http.StatusRequestEntityTooLarge, http.StatusRequestEntityTooLarge,
		http.StatusTooManyRequests} {
		got := requestOnce(t, s, post+"Content-Length: 99999999\r\n\r\n{")
		if got.Status != want || got.Header.Get("Connection") != "close" && got.Header.Get("Content-Length") == "" {
			t.Errorf("%d %s, want %d", got.Status, got.Body, want)
		}
	}
}

// A client that sends its whole body after it was refused still gets its answer.
func TestRefusedWhileStillSending(t *testing.T) {
	s := testkit.Open(t)
	for _, size := range []int{1 << 10, 200 << 10, 3 << 20} {
		text := fmt.Sprintf("POST /api/v2/agents HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", size,
			strings.Repeat("x", size))
		if got := requestOnce(t, s, text); got.Status != http.StatusUnauthorized {
			t.Errorf("%d bytes: %d %s", size, got.Status, got.Body)
		}
	}
}

// A body that ends early because the client has closed its half is refused, and nothing of it is stored.
func TestBodyThatEndsEarly(t *testing.T) {
	s := testkit.Open(t)
	for _, body := range []string{"Content-Length: 100\r\n\r\n" + `{"name":"A"}`,
		"Transfer-Encoding: chunked\r\n\r\nc\r\n" + `{"name":"A"}` + "\r\n"} {
		conn := testkit.DialRaw(t, s.URL)
		testkit.SendRaw(t, conn,
			"POST /api/v2/agents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+s.Key+"\r\n"+body)
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got := testkit.ReadReplies(t, conn); len(got) != 1 || got[0].Status != http.StatusBadRequest ||
			!strings.Contains(string(got[0].Body), "ended early") {
			t.Errorf("%+v", got)
		}
	}
	var page struct{ Data []any }
	if s.Do(t, "GET", "/agents", s.Key, nil).Decode(t, http.StatusOK, &page); len(page.Data) != 0 {
		t.Error(page)
	}
}

// A body of two lengths is refused with the error of each API.
func TestRequestsWithTwoLengthsAreRefused(t *testing.T) {
	s := testkit.Open(t)
	for path, want := range map[string]string{
		"/api/v2/agents": `"code":"`, "/api/v1/chat": `"message":"`, mcp.Path: `"code":"`,
		"/demo/voice": "Content-Length", "/rtc": "Content-Length",
	} {
		body := `{"name":"A"}`
		text := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: "+
			"%d\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
			path, s.Key, len(body), len(body), body)
		if got := requestOnce(t, s, text); got.Status != http.StatusBadRequest ||
			!strings.Contains(string(got.Body), want) || !strings.Contains(string(got.Body), "not both") {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}

// While all connections are busy, health checks are answered on one of the spare ones, and
// everything else refused.
func TestHealthIsAnsweredWhileAllConnectionsAreBusy(t *testing.T) {
	const limit = 3
	s := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.MaxConnections = limit }))
	key := "Authorization: Bearer " + s.Key + "\r\n"
	for range limit {
		conn := testkit.DialRaw(t, s.URL)
		testkit.SendRaw(t, conn, "POST /api/v2/agents HTTP/1.1\r\nHost: localhost\r\n"+key+
			"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n")
		if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		if got := requestOnce(t, s, "GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\n\r\n"); got.Status != http.StatusOK {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		got := requestOnce(t, s, "GET /api/v2/me HTTP/1.1\r\nHost: localhost\r\n"+key+"\r\n")
		if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" ||
			!strings.Contains(string(got.Body), "SERVICE_UNDER_MAINTENANCE") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
}

// Ten times as many silent connections as the limit allows do not block other clients.
func TestSilentConnections(t *testing.T) {
	const limit = 20
	s := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.MaxConnections = limit }))
	for i := range 10 * limit {
		conn := testkit.DialRaw(t, s.URL)
		switch i % 3 {
		case 1:
			testkit.SendRaw(t, conn, "GET /api/v2/agents HTTP/1.1\r\nHost: ")
		case 2:
			testkit.SendRaw(t, conn, "POST /api/v2/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
		}
	}
	if got := s.Do(t, "GET", "/me", s.Key, nil); got.Status != http.StatusOK || s.Connections.OpenConns() > limit {
		t.Errorf("%d, %d connections", got.Status, s.Connections.OpenConns())
	}
}

// Browsers must not guess the type of any answer, also of the documents, the demo page and signalling.
func TestBrowsersMayNotGuessTheContentType(t *testing.T) {
	s := testkit.Open(t)
	for _, path := range []string{
		"/openapi.json", "/docs", "/docs/manual", "/docs/manual/nothing", "/console/", "/api/v2/health", "/api/v1/nothing",
		"/nothing", "/demo/voice", "/rtc", mcp.Path, v1.DocumentPath,
	} {
		got := requestOnce(t, s, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if value := got.Header.Get("X-Content-Type-Options"); value != "nosniff" {
			t.Errorf("%s: %d, X-Content-Type-Options %q", path, got.Status, value)
		}
	}
}
