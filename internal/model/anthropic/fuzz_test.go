package anthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/stream"
)

// replayTransport answers every request.
type replayTransport func() *http.Response

func (r replayTransport) RoundTrip(*http.Request) (*http.Response, error) { return r(), nil }

// The decoder accepts exactly the objects that encoding/json accepts, and no order of events makes it panic or exceed
// its bounds.
func FuzzBlocks(f *testing.F) {
	files, err := filepath.Glob("testdata/*.[sj]*")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("data: " +
		"{\"type\":\"content_block_start\",\"index\":-7,\"content_block\":{\"type\":\"tool_use\",\"input\":[]}}\n\n" +
		"data: {\"type\":3}\n")
	f.Fuzz(func(t *testing.T, body string) {
		var dec decoder
		for line := range strings.SplitSeq(body, "\n") {
			data := strings.TrimPrefix(line, "data:")
			var d stream.Delta
			ok := dec.decode(&d, []byte(data))
			valid := json.Valid([]byte(data)) && strings.HasPrefix(strings.TrimLeft(data, " \t\r\n"), "{")
			if ok && !valid || !ok && valid && strings.Count(data, "[")+strings.Count(data, "{") < 100 {
				t.Fatalf("accepts %v: %q", ok, data)
			}
		}
		m := &Model{Client: httpclient.Client{BaseURL: "http://provider.example",
			HTTP: &http.Client{Transport: replayTransport(func() *http.Response {
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}
			})}}}
		var last model.Chunk
		for chunk, err := range m.Stream(t.Context(), model.Request{}) {
			if err != nil {
				return
			}
			last = chunk
		}
		if last.Finish == nil {
			t.Fatalf("no finish: %+v", last)
		}
	})
}
