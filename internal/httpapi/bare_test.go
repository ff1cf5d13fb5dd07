package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

type bareIn struct {
	Query string `query:"id"`
	Body  struct {
		ID string `json:"id,omitempty"`
	}
}

// A body that may be missing is read where it is there.
func TestBodyMayBeMissing(t *testing.T) {
	f := New(Config{
		BasePath:    "/base",
		Admit:       func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil },
		RenderError: RenderEnvelope, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	Handle(f, TypedOperation[bareIn, letterOut]{Operation{Name: "drop", Method: "DELETE", Path: "/drop", BodyOptional: true},
		func(_ context.Context, _ *Call, in *bareIn) (*letterOut, error) {
			return &letterOut{Text: in.Query + "|" + in.Body.ID}, nil
		}})
	for _, c := range []struct {
		query, body string
		status      int
		says        string
	}{
		{"", "", 200, `"|"`}, {"?id=a", "", 200, `"a|"`}, {"?id=a", `{"id": "b"}`, 200, `"a|b"`}, {"", `{}`, 200, `"|"`}, {"", `{`, 400, "VALIDATION_INVALID_JSON"}, {"", `{"id": 1}`, 400, "must be a string"},
	} {
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "DELETE", "/base/drop"+c.query, strings.NewReader(c.body)))
		if got := w.Body.String(); w.Code != c.status || !strings.Contains(got, c.says) {
			t.Errorf("%s %s: %d %s", c.query, c.body, w.Code, got)
		}
	}
	doc, err := f.OpenAPI(Info{})
	var told struct {
		Paths map[string]map[string]struct{ RequestBody struct{ Required *bool } }
	}
	if err == nil {
		err = json.Unmarshal(doc, &told)
	}
	if required := told.Paths["/drop"]["delete"].RequestBody.Required; err != nil || required == nil || *required {
		t.Error("the document wants a body:", err)
	}
}
