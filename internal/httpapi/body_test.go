package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"parley"
	"parley/internal/listen"
)

type bareIn struct {
	Query string `query:"id"`
	Body  struct {
		ID string `json:"id,omitempty"`
	}
}

// An optional body is read if there is one.
func TestBodyMayBeMissing(t *testing.T) {
	f := New(Config{
		BasePath:    "/base",
		Admit:       func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil },
		RenderError: RenderEnvelope, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	Handle(f,
		TypedOperation[bareIn, letterOut]{Operation{Name: "drop", Method: "DELETE", Path: "/drop", BodyOptional: true},
			func(_ context.Context, _ *Call, in *bareIn) (*letterOut, error) {
				return &letterOut{Text: in.Query + "|" + in.Body.ID}, nil
			}})
	for _, c := range []struct {
		query, body string
		status      int
		message     string
	}{
		{"", "", 200, `"|"`}, {"?id=a", "", 200, `"a|"`}, {"?id=a", `{"id": "b"}`, 200, `"a|b"`}, {"", `{}`, 200,
			`"|"`}, {"", `{`, 400, "VALIDATION_INVALID_JSON"}, {"", `{"id": 1}`, 400, "must be a string"},
	} {
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "DELETE", "/base/drop"+c.query, strings.NewReader(c.body)))
		if got := w.Body.String(); w.Code != c.status || !strings.Contains(got, c.message) {
			t.Errorf("%s %s: %d %s", c.query, c.body, w.Code, got)
		}
	}
	doc, err := f.OpenAPI(Info{})
	var parsed struct {
		Paths map[string]map[string]struct{ RequestBody struct{ Required *bool } }
	}
	if err == nil {
		err = json.Unmarshal(doc, &parsed)
	}
	if required := parsed.Paths["/drop"]["delete"].RequestBody.Required; err != nil || required == nil || *required {
		t.Error("the document wants a body:", err)
	}
}

// A body that takes too long is refused, and the connection is closed. net/http has cancelled the request by then.
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
		if _, err := fmt.Fprintf(conn, "PUT /base/things/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key\r\n%s",
			part); err != nil {
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

type decodeTarget struct {
	Name  string `json:"name" max:"3"`
	Inner struct {
		N int `json:"n" min:"1"`
	} `json:"inner,omitempty"`
	List []struct {
		A Opt[string] `json:"a,omitzero"`
	} `json:"list,omitempty"`
	Any json.RawMessage `json:"any,omitempty"`
}

func TestDecodeIsStrictAtEveryDepth(t *testing.T) {
	for text, want := range map[string]map[string]string{
		`{"name":"abc","inner":{"n":1},"list":[{"a":"x"}],"any":{"x":1}}`: nil,
		`{"name":"abcd","nome":1,"inner":{"n":0,"m":2},"list":[{},{"b":1}]}`: {"name": "must have at most 3 characters",
			"nome": notAllowedMessage, "inner.n": "must be at least 1",
			"inner.m": notAllowedMessage, "list.1.b": notAllowedMessage},
		`{}`: {"name": "is required"},
	} {
		var d decodeTarget
		err := Decode(json.RawMessage(text), &d)
		if (err == nil) != (want == nil) {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil {
			continue
		}
		got := parley.AsError(err).Details
		if len(got) != len(want) {
			t.Errorf("%s: %v", text, got)
		}
		for path, message := range want {
			if got[path] != message {
				t.Errorf("%s: %s: %q", text, path, got[path])
			}
		}
	}
	for text, code := range map[string]parley.Code{`[]`: parley.CodeInvalidBody, `null`: parley.CodeInvalidBody,
		`{`: parley.CodeInvalidJSON} {
		if err := Decode(json.RawMessage(text), new(decodeTarget)); !parley.IsCode(err, code) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A body that is kept as a file is whole, or there is no file: one that is too large, or that is cut, leaves none.
func TestBodyIsSaved(t *testing.T) {
	dir := t.TempDir()
	var saved string
	f := New(Config{
		BasePath:    "/base",
		Admit:       func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil },
		RenderError: RenderEnvelope, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	Handle(f, TypedOperation[NoInput, letterOut]{Operation{Name: "keep", Method: "POST", Path: "/keep", RawBody: true},
		func(_ context.Context, c *Call, _ *NoInput) (*letterOut, error) {
			path, err := c.SaveBody(dir, 100_000)
			if err == nil {
				text, _ := os.ReadFile(path)
				saved, err = string(text), os.Remove(path)
			}
			return &letterOut{}, err
		}})
	cut := io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF))
	long := strings.Repeat("0123456789", 10_000)
	for _, c := range []struct {
		body   io.Reader
		status int
		saved  string
	}{
		{strings.NewReader(long), 200, long}, {strings.NewReader(""), 200, ""}, {strings.NewReader(long + "x"), 413, ""},
		{io.MultiReader(strings.NewReader(long), strings.NewReader("x")), 413, ""}, {cut, 400, ""},
	} {
		saved = ""
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/base/keep", c.body))
		if w.Code != c.status || saved != c.saved {
			t.Errorf("%d %s with %d bytes saved, want %d with %d", w.Code, w.Body, len(saved), c.status, len(c.saved))
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%d: it has left %v (%v)", c.status, left, err)
		}
	}
}
