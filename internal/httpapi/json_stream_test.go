package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
)

type hugeRecord struct {
	Data []string `json:"data"`
}

// streamJSON serves one operation that writes n pieces of a kilobyte and then returns fail.
func streamJSON(t *testing.T, n int, failure error) (*http.Response, string, string, error) {
	t.Helper()
	var record strings.Builder
	f := New(Config{BasePath: "/x", Now: time.Now, RenderError: RenderEnvelope,
		Logger: slog.New(slog.NewTextHandler(&record, nil)),
		Admit:  func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil }})
	Handle(f,
		TypedOperation[NoInput, hugeRecord]{Operation: Operation{Name: "many", Method: http.MethodGet, Path: "/many"},
			Handler: func(_ context.Context, c *Call, _ *NoInput) (*hugeRecord, error) {
				out := c.StreamJSON()
				out.Text(`{"data":[`)
				for i := range n {
					if i > 0 {
						out.Text(",")
					}
					if err := out.Value(strings.Repeat("<", 1000)); err != nil {
						return nil, out.End(err)
					}
				}
				out.Text(`]}`)
				return nil, out.End(failure)
			}})
	server := httptest.NewServer(f)
	res, err := server.Client().Get(server.URL + "/x/many")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	server.Close() // waits for the record
	return res, string(body), record.String(), err
}

func TestStreamedReply(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 500} {
		res, body, record, err := streamJSON(t, n, nil)
		var got hugeRecord
		if err != nil || json.Unmarshal([]byte(body), &got) != nil || len(got.Data) != n || res.StatusCode != 200 {
			t.Errorf("%d pieces: %v, %d bytes", n, err, len(body))
		}
		if whole := res.ContentLength >= 0; whole != (n <= 32) ||
			res.Header.Get("Content-Type") != "application/json; charset=utf-8" || res.Header.Get("X-Request-Id") == "" {
			t.Errorf("%d pieces: length %d, headers %v", n, res.ContentLength, res.Header)
		}
		if !strings.Contains(record, "status=200") || strings.Contains(record, "cause=") {
			t.Errorf("%d pieces: %s", n, record)
		}
	}
}

func TestStreamedReplyFails(t *testing.T) {
	res, body, record, err := streamJSON(t, 3, parley.WrapError(parley.CodeUnderMaintenance, errors.New("disk")))
	if err != nil || res.StatusCode != 503 || !strings.Contains(body, `"SERVICE_UNDER_MAINTENANCE"`) ||
		strings.Contains(body, "<") || res.Header.Get("Retry-After") == "" {
		t.Errorf("before the first byte: %d %v %s", res.StatusCode, err, body)
	}
	if !strings.Contains(record, "disk") {
		t.Error(record)
	}
	res, body, record, err = streamJSON(t, 100, errors.New("the database went away"))
	if err == nil || res.StatusCode != 200 || json.Valid([]byte(body)) {
		t.Errorf("after it: %d %v, %d bytes", res.StatusCode, err, len(body))
	}
	if !strings.Contains(record, "the database went away") || strings.Contains(record, "stack=") {
		t.Error(record)
	}
}
