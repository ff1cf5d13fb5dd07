package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
)

type thingIn struct {
	ID    string   `path:"id"`
	Limit int      `query:"limit" min:"1" max:"100" default:"20"`
	Kinds []string `query:"kind" item:"enum=a|b"`
	Body  thingBody
}

type thingBody struct {
	Name  string                          `json:"name" min:"1" max:"5"`
	Note  Opt[string]                     `json:"note,omitzero" nullable:"true"`
	Size  Opt[int]                        `json:"size,omitzero" min:"0" max:"9"`
	Mails []string                        `json:"mails,omitempty" max:"2" item:"format=email"`
	Inner Opt[inner]                      `json:"inner,omitzero"`
	Any   json.RawMessage                 `json:"any,omitempty"`
	Pick  Opt[Either[string, pickOne]]    `json:"pick,omitzero"`
	Two   []Either[catForm, dogForm]      `json:"two,omitempty"`
	Keep  Raw[inner]                      `json:"keep,omitempty"`
	Keys  Opt[map[string]json.RawMessage] `json:"keys,omitzero" keys:"x,y"`
}

type inner struct {
	Color string `json:"color" format:"color"`
	Mode  string `json:"mode" enum:"on,off" default:"on"`
}

type pickOne struct {
	N int `json:"n"`
}

type catForm struct {
	Type string `json:"type" enum:"cat"`
	Purr bool   `json:"purr"`
}

type dogForm struct {
	Type string `json:"type" enum:"dog"`
	Bark bool   `json:"bark"`
}

type thingOut struct {
	ID    string    `json:"id"`
	Limit int       `json:"limit"`
	Kinds []string  `json:"kinds"`
	Body  thingBody `json:"body"`
}

// newTestAPI serves one operation that returns its input, and some that fail.
func newTestAPI(t *testing.T, log io.Writer) *API {
	t.Helper()
	f := New(Config{
		BasePath: "/base",
		Admit: func(_ context.Context, r *http.Request, op *Operation) (Admission, error) {
			admission := Admission{Account: "acc", CallerKind: KeyCaller,
				Rate: Rate{Limit: 100, Remaining: 7, Reset: time.Unix(50, 1)}}
			switch {
			case op.Public || r.Header.Get("Authorization") == "Bearer key":
				return admission, nil
			case r.Header.Get("Authorization") == "Bearer busy":
				return admission, parley.NewError(parley.CodeTooManyRequests)
			}
			return admission, parley.NewError(parley.CodeMissingKey)
		},
		RenderError: RenderEnvelope,
		Now:         func() time.Time { return time.Unix(40, 0) },
		Logger:      slog.New(slog.NewJSONHandler(log, nil)),
	})
	Handle(f, TypedOperation[thingIn, thingOut]{Operation{Name: "putThing", Method: "PUT", Path: "/things/{id}",
		MaxBodyBytes: 1000}, func(_ context.Context, _ *Call, in *thingIn) (*thingOut, error) {
		return &thingOut{ID: in.ID, Limit: in.Limit, Kinds: in.Kinds, Body: in.Body}, nil
	}})
	Handle(f, TypedOperation[NoInput, thingOut]{Operation{Name: "fail", Method: "GET", Path: "/fail"},
		func(context.Context, *Call, *NoInput) (*thingOut, error) {
			return nil, fmt.Errorf("outer: %w", errors.New("secret inner cause"))
		}})
	Handle(f, TypedOperation[NoInput, thingOut]{Operation{Name: "panic", Method: "GET", Path: "/panic", Public: true},
		func(context.Context, *Call, *NoInput) (*thingOut, error) {
			panic("secret panic")
		}})
	Handle(f, TypedOperation[NoInput, thingOut]{Operation{Name: "wait", Method: "GET", Path: "/wait"},
		func(context.Context, *Call, *NoInput) (*thingOut, error) {
			return nil, &parley.Error{Code: parley.CodeUnderMaintenance, Message: "soon", RetryAfter: 1500 * time.Millisecond}
		}})
	Handle(f, TypedOperation[NoInput, thingOut]{Operation{Name: "stream", Method: "POST", Path: "/stream",
		Streaming: true}, func(_ context.Context, c *Call, _ *NoInput) (*thingOut, error) {
		s := c.StreamUIMessages()
		s.SendText(`{"delta":"`, "a\n\"b\" <é>\x01")
		if err := s.Send(map[string]string{"x": "<y>"}); err != nil {
			return nil, err
		}
		s.SendRaw([]byte("[DONE]"))
		return nil, s.Ping()
	}})
	return f
}

type reply struct {
	*http.Response
	body string
}

func (r reply) failure(t *testing.T) Failure {
	t.Helper()
	var e Envelope
	if err := json.Unmarshal([]byte(r.body), &e); err != nil {
		t.Fatalf("%d %q is no envelope: %v", r.StatusCode, r.body, err)
	}
	return e.Error
}

// sendRequest sends a request and checks what holds for every response.
func sendRequest(t *testing.T, f http.Handler, method, target, body string) reply {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer key")
	return serveRequest(t, f, r)
}

func serveRequest(t *testing.T, f http.Handler, r *http.Request) reply {
	t.Helper()
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	got := w.Result()
	remaining, reset := "7", "51"
	// by a limit without figures: the headers say that no request is left, for a second
	if got.StatusCode == http.StatusTooManyRequests {
		remaining, reset = "0", "41"
	}
	for name, want := range map[string]string{"X-RateLimit-Limit": "100", "X-RateLimit-Remaining": remaining,
		"X-RateLimit-Reset": reset, "Cache-Control": "no-store"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s %s: %s is %q, want %q", r.Method, r.URL, name, got.Header.Get(name), want)
		}
	}
	if !parley.IsUUID(got.Header.Get("X-Request-Id")) {
		t.Errorf("%s %s: no request id", r.Method, r.URL)
	}
	for name := range got.Header {
		if strings.HasPrefix(name, "Access-Control") {
			t.Errorf("%s %s: a CORS header", r.Method, r.URL)
		}
	}
	return reply{got, w.Body.String()}
}

func TestUnknownPathsGetTheErrorOfTheAPI(t *testing.T) {
	f := newTestAPI(t, io.Discard)
	for _, c := range []struct {
		method, target string
		status         int
		code           parley.Code
	}{
		{"GET", "/base/nothing", 404, parley.CodeNotFound},
		{"GET", "/base", 404, parley.CodeNotFound},
		{"GET", "/base/", 404, parley.CodeNotFound},
		{"GET", "/base//fail", 404, parley.CodeNotFound},
		{"GET", "/base/./fail", 404, parley.CodeNotFound},
		{"GET", "/base/x/../fail", 404, parley.CodeNotFound},
		{"GET", "/base/fail/", 404, parley.CodeNotFound},
		{"GET", "/base/fail%2F", 404, parley.CodeNotFound},
		{"GET", "/elsewhere", 404, parley.CodeNotFound},
		{"POST", "/base/fail", 405, parley.CodeMethodNotAllowed},
		{"OPTIONS", "/base/fail", 405, parley.CodeMethodNotAllowed},
		{"BREW", "/base/fail", 405, parley.CodeMethodNotAllowed},
		{"GET", "/base/fail", 500, parley.CodeInternal},
		{"GET", "/base/panic", 500, parley.CodeInternal},
		{"GET", "/base/wait", 503, parley.CodeUnderMaintenance},
	} {
		got := sendRequest(t, f, c.method, c.target, "")
		fail := got.failure(t)
		if got.StatusCode != c.status || fail.Code != c.code {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.target, got.StatusCode, fail.Code, c.status, c.code)
		}
		if strings.Contains(got.body, "secret") {
			t.Errorf("%s %s: the cause is sent: %s", c.method, c.target, got.body)
		}
		if allow := got.Header.Get("Allow"); (c.status == 405) != (allow == "GET, HEAD") {
			t.Errorf("%s %s: Allow %q", c.method, c.target, allow)
		}
		if wait := got.Header.Get("Retry-After"); (c.status == 503) != (wait == "2") {
			t.Errorf("%s %s: Retry-After %q", c.method, c.target, wait)
		}
	}
}

func TestErrorsHaveTheirHeaders(t *testing.T) {
	f := newTestAPI(t, io.Discard)
	r := httptest.NewRequest("GET", "/base/fail", nil)
	if got := serveRequest(t, f, r); got.StatusCode != 401 || got.failure(t).Code != parley.CodeMissingKey ||
		got.Header.Get("Www-Authenticate") == "" {
		t.Errorf("without a key: %d %s", got.StatusCode, got.body)
	}
	r.Header.Set("Authorization", "Bearer busy")
	if got := serveRequest(t, f, r); got.StatusCode != 429 || got.Header.Get("Retry-After") != "1" {
		t.Errorf("over the limit: %d, Retry-After %q", got.StatusCode, got.Header.Get("Retry-After"))
	}
}

func TestResponsesForbidContentSniffing(t *testing.T) {
	f := newTestAPI(t, io.Discard)
	for _, target := range []string{"/base/fail", "/base/nowhere", "/base//", "/base/panic"} {
		if got := sendRequest(t, f, "GET", target, "").Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options %q", target, got)
		}
	}
}

func TestBodies(t *testing.T) {
	f := newTestAPI(t, io.Discard)
	for _, c := range []struct {
		body    string
		status  int
		code    parley.Code
		details string // field=text, in order of field
	}{
		{`{"name":"n"}`, 200, "", ""},
		{`{"name":"n","unknown":[1,{"x":2}],"Name":5}`, 200, "", ""},
		{`{"name":"ééééé"}`, 200, "", ""},
		{`{"name":"n","size":5.0}`, 200, "", ""},
		{`{"name":"n","note":null,"pick":"x"}`, 200, "", ""},
		{`{"name":"n","pick":{"n":1},"two":[{"type":"dog","bark":true},{"type":"cat","purr":false}]}`, 200, "", ""},
		{``, 400, parley.CodeInvalidJSON, ""},
		{`{`, 400, parley.CodeInvalidJSON, ""},
		{`{"name":"n"} x`, 400, parley.CodeInvalidJSON, ""},
		{`{"name":"n","name":"m"}`, 400, parley.CodeInvalidJSON, ""},
		{`[]`, 400, parley.CodeInvalidBody, "body=must be an object"},
		{`5`, 400, parley.CodeInvalidBody, "body=must be an object"},
		{`null`, 400, parley.CodeInvalidBody, "body=must be an object"},
		{`{}`, 400, parley.CodeInvalidBody, "name=is required"},
		{`{"name":null}`, 400, parley.CodeInvalidBody, "name=must not be null"},
		{`{"name":5}`, 400, parley.CodeInvalidBody, "name=must be a string"},
		{`{"name":""}`, 400, parley.CodeInvalidBody, "name=must have at least 1 character"},
		{`{"name":"éééééé"}`, 400, parley.CodeInvalidBody, "name=must have at most 5 characters"},
		{`{"name":"n","size":1e400}`, 400, parley.CodeInvalidBody, "size=must be an integer"},
		{`{"name":"n","size":1.5}`, 400, parley.CodeInvalidBody, "size=must be an integer"},
		{`{"name":"n","size":10}`, 400, parley.CodeInvalidBody, "size=must be from 0 to 9"},
		{`{"name":"n","mails":["a@b.de","x",3]}`, 400, parley.CodeInvalidBody,
			"mails=must have at most 2 items; mails.1=must be an e-mail address; mails.2=must be a string"},
		{`{"name":5,"inner":{"color":"red","mode":"?"}}`, 400, parley.CodeInvalidBody,
			"inner.color=must be a color such as #1a2b3c; inner.mode=must be one of: on, off; name=must be a string"},
		{`{"name":"n","inner":null}`, 400, parley.CodeInvalidBody, "inner=must not be null"},
		{`{"name":"n","pick":5}`, 400, parley.CodeInvalidBody, "pick=must be a string or an object"},
		{`{"name":"n","two":[{"type":"cow"},{}]}`, 400, parley.CodeInvalidBody,
			"two.0.type=must be one of: cat, dog; two.1.type=must be one of: cat, dog"},
		{`{"name":"n","keys":{"z":1}}`, 400, parley.CodeInvalidBody, "keys.z=is not one of: x, y"},
		{`{"name":"` + strings.Repeat("x", 1000) + `"}`, 413, parley.CodeTooLarge, ""},
	} {
		got := sendRequest(t, f, "PUT", "/base/things/1", c.body)
		if got.StatusCode != c.status {
			t.Errorf("%s: %d %s", c.body, got.StatusCode, got.body)
			continue
		}
		if c.status == 200 {
			continue
		}
		fail := got.failure(t)
		if fail.Code != c.code || sortedDetails(fail.Details) != c.details {
			t.Errorf("%s:\ngot  %s %s\nwant %s %s", c.body, fail.Code, sortedDetails(fail.Details), c.code, c.details)
		}
	}
}

func TestBodyOfUnknownLengthIsBounded(t *testing.T) {
	r := httptest.NewRequest("PUT", "/base/things/1",
		io.MultiReader(strings.NewReader(`{"name":"`), strings.NewReader(strings.Repeat("x", 2000))))
	r.Header.Set("Authorization", "Bearer key")
	if got := serveRequest(t, newTestAPI(t, io.Discard), r); got.StatusCode != 413 {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
}

func TestBoundInputIsReturned(t *testing.T) {
	f := newTestAPI(t, io.Discard)
	got := sendRequest(t, f, "PUT", "/base/things/a%2Fb?limit=3&kind=a,b",
		`{"name":"a\u0000b","note":null,"inner":{"color":"#fff"},"any":{"z":[1, 2]},"keep":{"color":"#000","more":1}}`)
	want := `{"id":"a/b","limit":3,"kinds":["a","b"],"body":{"name":"ab","note":null,"inner":{"color":"#fff",` +
		`"mode":"on"},"any":{"z":[1,2]},"keep":{"color":"#000","mode":"on"}}}` + "\n"
	if got.body != want {
		t.Errorf("got  %swant %s", got.body, want)
	}
	if got.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Error(got.Header.Get("Content-Type"))
	}
}

func TestQueries(t *testing.T) {
	f := newTestAPI(t, io.Discard)
	for query, details := range map[string]string{
		"":                 "",
		"limit=100":        "",
		"limit=":           "",
		"other=1":          "",
		"limit=0":          "limit=must be from 1 to 100",
		"limit=101":        "limit=must be from 1 to 100",
		"limit=x":          "limit=must be an integer",
		"limit=1&limit=2":  "limit=must be given once",
		"kind=a,c":         "kind=must be one of: a, b",
		"kind=%ff":         "kind=must be one of: a, b",
		"limit=%zz":        "query=is not well-formed",
		"limit=5;kind=a":   "query=is not well-formed",
		"limit=999&kind=z": "kind=must be one of: a, b; limit=must be from 1 to 100",
	} {
		got := sendRequest(t, f, "PUT", "/base/things/1?"+query, `{"name":"n"}`)
		if details == "" && got.StatusCode == 200 {
			continue
		}
		if fail := got.failure(t); fail.Code != parley.CodeInvalidBody || sortedDetails(fail.Details) != details {
			t.Errorf("%s: %s %s, want %s", query, fail.Code, sortedDetails(fail.Details), details)
		}
	}
}

func TestHeadAnswersLikeGet(t *testing.T) {
	server := httptest.NewServer(newTestAPI(t, io.Discard))
	defer server.Close()
	resp, err := http.Head(server.URL + "/base/panic")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 500 || resp.Header.Get("X-Request-Id") == "" {
		t.Error(resp.Status)
	}
}

func TestStreamOfEvents(t *testing.T) {
	server := httptest.NewServer(newTestAPI(t, io.Discard))
	defer server.Close()
	req, _ := http.NewRequest("POST", server.URL+"/base/stream", strings.NewReader("ignored {"))
	req.Header.Set("Authorization", "Bearer key")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := "data: {\"delta\":\"a\\n\\\"b\\\" <é>\\u0001\"}\n\ndata: {\"x\":\"<y>\"}\n\ndata: [DONE]\n\n: ping\n\n"
	if string(body) != want {
		t.Errorf("got %q", body)
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store",
		"X-Accel-Buffering": "no", "X-Vercel-Ai-Ui-Message-Stream": "v1"} {
		if resp.Header.Get(name) != want {
			t.Errorf("%s: %q", name, resp.Header.Get(name))
		}
	}
}

func TestOneRecordPerRequest(t *testing.T) {
	var log bytes.Buffer
	f := newTestAPI(t, &log)
	got := sendRequest(t, f, "GET", "/base/fail", "")
	sendRequest(t, f, "GET", "/base/panic", "")
	sendRequest(t, f, "PUT", "/base/things/1", `{"name":"n"}`)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d records:\n%s", len(lines), &log)
	}
	for i, want := range []string{`"cause":"outer: secret inner cause"`, `"stack":"goroutine`, `"status":200`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("record %d lacks %s: %s", i, want, lines[i])
		}
	}
	for _, want := range []string{got.Header.Get("X-Request-Id"), `"account":"acc"`, `"route":"/base/fail"`,
		`"code":"INTERNAL_SERVER_ERROR"`, `"method":"GET"`} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("the record lacks %s: %s", want, lines[0])
		}
	}
}

// The record of a request names the kind of its caller and a pattern for its path, and holds nothing that the caller
// has sent: no key, no path, no query and no body.
func TestRecordHoldsNothingOfTheCaller(t *testing.T) {
	var log bytes.Buffer
	f := newTestAPI(t, &log)
	sendRequest(t, f, "PUT", "/base/things/secret-path?kind=a&secret=query", `{"name":"body"}`)
	var origin parley.Origin // as the handler knows it
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin = parley.OriginOf(r.Context())
		_, _ = io.WriteString(w, "page")
	})
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/pages/secret-path?secret=query", nil)
	r.Header.Set("Authorization", "Bearer secret key")
	LoggedHandler("pages", page, f.Now, f.Logger).ServeHTTP(w, r)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d records:\n%s", len(lines), &log)
	}
	for i, want := range []string{`"method":"PUT","route":"/base/things/{id}","status":200,"bytes":`,
		`"method":"GET","route":"pages","status":200,"bytes":4,`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("record %d lacks %s: %s", i, want, lines[i])
		}
	}
	if !strings.Contains(lines[0], `"caller":"key"`) || !strings.Contains(lines[1], w.Header().Get("X-Request-Id")) ||
		w.Header().Get("X-Request-Id") == "" || origin.RequestID != w.Header().Get("X-Request-Id") {
		t.Errorf("the caller or the id of the request is missing:\n%s", &log)
	}
	for _, secret := range []string{"secret", "query", "Bearer", `"body"`} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the records hold %s:\n%s", secret, &log)
		}
	}
}

func sortedDetails(details map[string]string) string {
	var list []string
	for _, name := range sortedKeys(details) {
		list = append(list, name+"="+details[name])
	}
	return strings.Join(list, "; ")
}

// deadlineRecorder is a writer that records its write deadline.
type deadlineRecorder struct {
	http.ResponseWriter
	set  int
	last time.Time
}

func (d *deadlineRecorder) SetWriteDeadline(at time.Time) error {
	d.set, d.last = d.set+1, at
	return nil
}

// TestDeadlinesAreClearedFromConnections checks that the next response on a connection does not fail by an old
// deadline.
func TestDeadlinesAreClearedFromConnections(t *testing.T) {
	f := newTestAPI(t, io.Discard)
	for target, body := range map[string]string{"POST /base/stream": "",
		"PUT /base/things/1": `{"name":"n","any":"` + strings.Repeat("x", 900) + `"}`} {
		method, path, _ := strings.Cut(target, " ")
		r := httptest.NewRequest(method, path+"?kind="+strings.Repeat("a,", 1000), strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer key")
		w := &deadlineRecorder{ResponseWriter: httptest.NewRecorder()}
		f.ServeHTTP(w, r)
		if w.set < 2 || !w.last.IsZero() {
			t.Errorf("%s: %d deadlines, the last %v", target, w.set, w.last)
		}
	}
}
