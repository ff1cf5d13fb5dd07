package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
)

type strictIn struct{ Body strictBody }

type strictBody struct {
	Name string   `json:"name" min:"1"`
	Any  Opt[int] `json:"any,omitzero"`
}

type looseIn struct{ Body named }

type named struct {
	Name string `json:"name" min:"1"`
}

// newPostAPI serves a POST whose requests with a key are passed to once, and one that may run again.
func newPostAPI(once func(context.Context, *Call, IdempotentRequest) (any, error)) *API {
	f := New(Config{BasePath: "/base", RunOnce: once, RenderError: RenderEnvelope, Now: func() time.Time {
		return time.Unix(40, 0)
	},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Admit:  func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil }})
	Handle(f, TypedOperation[strictIn,
		named]{Operation{Name: "post", Method: "POST", Path: "/once/{id...}", StrictBody: true},
		func(_ context.Context, _ *Call, in *strictIn) (*named, error) { return &named{in.Body.Name}, nil }})
	echo := func(_ context.Context, _ *Call, in *looseIn) (*named, error) { return &in.Body, nil }
	Handle(f, TypedOperation[looseIn, named]{Operation{Name: "again", Method: "POST", Path: "/again", Repeatable: true},
		echo})
	Handle(f, TypedOperation[looseIn, named]{Operation{Name: "put", Method: "PUT", Path: "/put"}, echo})
	return f
}

func sendPost(f *API, method, path, body string, keys ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/base"+path, strings.NewReader(body))
	for _, k := range keys {
		r.Header.Add(IdempotencyKey, k)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func TestStrictBodyNamesUnknownFields(t *testing.T) {
	f := newPostAPI(nil)
	w := sendPost(f, "POST", "/once/", `{"name":"a","more":1,"ANY":2,"any":3}`)
	var e Envelope
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatal(err)
	}
	if w.Code != 400 || e.Error.Code != parley.CodeInvalidBody || len(e.Error.Details) != 2 ||
		e.Error.Details["more"] != notAllowedMessage || e.Error.Details["ANY"] != notAllowedMessage {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := sendPost(f, "POST", "/once/", `{"name":"a"}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := sendPost(f, "PUT", "/put", `{"name":"a","more":1}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPostsWithAKeyRunOnce(t *testing.T) {
	var requests []IdempotentRequest
	f := newPostAPI(func(ctx context.Context, _ *Call, o IdempotentRequest) (any, error) {
		requests = append(requests, o)
		return o.Run(ctx)
	})
	for _, r := range [][]string{{"POST", "/once/a", "k"}, {"POST", "/once/a", "k"}, {"POST", "/once/b", "k"},
		{"POST", "/once/a", "K"}, {"POST", "/again", "k"}, {"PUT", "/put", "k k"}} {
		if w := sendPost(f, r[0], r[1], `{"name":"a"}`, r[2]); w.Code != 200 || w.Body.String() != "{\"name\":\"a\"}\n" {
			t.Errorf("%v: %d %s", r, w.Code, w.Body)
		}
	}
	sendPost(f, "POST", "/once/a", `{"name":"b"}`, "k")
	sendPost(f, "POST", "/once/a", `{"name":"b"}`)
	if len(requests) != 5 {
		t.Fatalf("called %d times", len(requests))
	}
	a, other := requests[0], requests[4]
	if requests[1].Key != a.Key || requests[1].Hash != a.Hash || requests[2].Key == a.Key || requests[3].Key == a.Key ||
		other.Key != a.Key || other.Hash == a.Hash || len(a.Key) != 64 {
		t.Errorf("%+v", requests)
	}
	if in, ok := a.Input.(*strictIn); !ok || in.Body.Name != "a" {
		t.Errorf("%+v", a.Input)
	}
}

func TestInvalidIdempotencyKeys(t *testing.T) {
	f := newPostAPI(func(context.Context, *Call, IdempotentRequest) (any, error) { t.Error("asked"); return nil, nil })
	for _, keys := range [][]string{{""}, {" "}, {"a b"}, {"ü"}, {"\x7f"}, {strings.Repeat("x", 256)}, {"a", "a"}} {
		for _, path := range []string{"/once/a", "/again"} {
			w := sendPost(f, "POST", path, `{"name":"a"}`, keys...)
			if w.Code != 400 || !strings.Contains(w.Body.String(), `"details":{"Idempotency-Key":"must be`) {
				t.Errorf("%q: %d %s", keys, w.Code, w.Body)
			}
		}
	}
}

func TestDocumentDescribesKeysAndStrictBodies(t *testing.T) {
	doc, err := newPostAPI(func(context.Context, *Call, IdempotentRequest) (any, error) {
		return nil, nil
	}).OpenAPI(Info{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := newPostAPI(nil).OpenAPI(Info{})
	if err != nil || strings.Contains(string(without), IdempotencyKey) {
		t.Error("an API without such keys describes them", err)
	}
	for text, times := range map[string]int{`"name": "Idempotency-Key"`: 2, `"additionalProperties": false`: 1,
		"IDEMPOTENCY_KEY_REUSED": 3} {
		if n := strings.Count(string(doc), text); n < times || text[0] == '"' && n != times {
			t.Errorf("%s: %d times", text, n)
		}
	}
}
