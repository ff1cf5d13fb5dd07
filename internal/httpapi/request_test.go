package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

type itemRef struct {
	Box    string `path:"box" json:"-"`
	Number int64  `path:"number" json:"-"`
}

type itemChange struct {
	itemRef
	Words []string    `query:"words" json:"-"`
	Live  bool        `query:"live" json:"-"`
	Limit int         `query:"limit" json:"-" default:"50" min:"1"`
	Name  *string     `json:"name,omitempty"`
	Price Opt[int]    `json:"price,omitzero" nullable:"true"`
	At    *time.Time  `json:"at,omitempty"`
	Data  []byte      `json:"data,omitempty"`
	Deep  untaggedRow `json:"deep"`
}

type untaggedRow struct {
	ID   string
	Size int64
}

// TestRequestIsBoundToTheInput sends inputs as a client does, and checks that the handler gets the same.
func TestRequestIsBoundToTheInput(t *testing.T) {
	var got itemChange
	op := TypedOperation[itemChange, struct{}]{
		Operation: Operation{Name: "changeItem", Method: http.MethodPatch, Path: "/boxes/{box}/items/{number}"},
		Handler: func(_ context.Context, _ *Call, in *itemChange) (*struct{}, error) {
			got = *in
			return &struct{}{}, nil
		},
	}
	api := New(Config{
		Keyless:     true,
		Admit:       func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil },
		RenderError: RenderEnvelope,
		Now:         time.Now,
		Logger:      slog.New(slog.DiscardHandler),
	})
	Handle(api, op)
	name, at := "a \"name\"", time.Date(2026, 1, 31, 12, 0, 0, 5e6, time.UTC)
	for _, in := range []itemChange{
		{itemRef: itemRef{"a/b c%2F", 7}, Limit: 50},
		{itemRef: itemRef{"..", 0}, Words: []string{"one", "two"}, Live: true, Limit: 3, Price: Some(5)},
		{itemRef: itemRef{"ü", 1}, Limit: 1, Name: &name, At: &at, Data: []byte{0, 255},
			Price: Opt[int]{Present: true, Null: true}},
		{itemRef: itemRef{".", 1}, Limit: 1, Deep: untaggedRow{"id", 1 << 40}},
	} {
		r, err := NewRequest(t.Context(), "http://parley", &op.Operation, &in)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%+v: %d %s", in, w.Code, w.Body)
		}
		if diff := cmp.Diff(in, got, cmp.AllowUnexported(itemChange{})); diff != "" {
			t.Error(diff)
		}
		if w.Header().Get("X-Request-Id") == "" || w.Header().Get("X-RateLimit-Limit") != "" {
			t.Errorf("headers: %v", w.Header())
		}
	}
}

// An empty path parameter is an id that does not exist, and not another path.
func TestRequestWithAnEmptySegment(t *testing.T) {
	op := Operation{Method: http.MethodGet, Path: "/boxes/{box}/items/{number}"}
	r, err := NewRequest(t.Context(), "", &op, &itemRef{Number: 1})
	if err != nil || r.URL.EscapedPath() != "/boxes/%00/items/1" || sanitizeID("\x00") != "\uFFFD" {
		t.Errorf("%v %v", r.URL, err)
	}
}

func TestKeylessOperationsNeedNoKey(t *testing.T) {
	api := New(Config{Keyless: true, RenderError: RenderEnvelope})
	Handle(api, TypedOperation[NoInput,
		untaggedRow]{Operation: Operation{Name: "x", Method: http.MethodGet, Path: "/x", Permission: "x:read"}})
	want := []parley.Code{parley.CodeInternal, parley.CodeUnderMaintenance}
	if diff := cmp.Diff(want, api.endpoints[0].Codes()); diff != "" {
		t.Error(diff)
	}
}
