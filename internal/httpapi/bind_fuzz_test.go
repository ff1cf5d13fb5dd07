package httpapi

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzBody: whatever a stranger sends, the reply is one of those that are documented.
func FuzzBody(f *testing.F) {
	for _, s := range []string{`{"name":"n","two":[{"type":"dog","bark":true}],"keep":{"color":"#fff"}}`,
		`{"name":1e999,"size":-0.0}`, `[{}]`, `{"keys":{"x":null}}`} {
		f.Add(s)
	}
	served := newTestAPI(&testing.T{}, io.Discard)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("PUT", "/base/things/1", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer key")
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
