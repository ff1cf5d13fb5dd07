package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/stream"
)

const deltaEvent = `{"id":"chatcmpl-B1","object":"chat.completion.chunk","created":1760000000,"model":"gpt-5.2",` +
	`"choices":` +
	`[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}`

// The decoder accepts exactly the objects that encoding/json accepts, and reads the same text.
func FuzzDelta(f *testing.F) {
	for _, s := range []string{
		deltaEvent, `{}`, `{"choices":[]}`, `{"choices":[{"delta":{"content":"a\ud83d\ude00\n\"\u00e9"}}]}`,
		`{"a":[1,-2.5e+3,true,null,{}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"x","function":{"name":"n","arguments":"{}"}}]}}]}`,
		`{"a":01}`, `[`, `{"a"}`, `{"error":{"message":"no"}}`, `{"usage":{"prompt_tokens":3,"completion_tokens":1e2}}`,
		`{"choices":{"delta":3}}`, "{\"a\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d stream.Delta
		ok := decodeDelta(&d, data)
		valid := json.Valid(data) && strings.HasPrefix(strings.TrimLeft(string(data), " \t\r\n"), "{")
		if ok && !valid {
			t.Fatalf("accepts %q", data)
		}
		if !ok && valid && strings.Count(string(data), "[")+strings.Count(string(data), "{") < 100 {
			t.Fatalf("refuses %q", data)
		}
	})
}

func FuzzDeltaText(f *testing.F) {
	f.Add("plain")
	f.Add("a\"b\\c\n\u2028é😀\x00")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "?")
		}
		quoted, _ := json.Marshal(text)
		var d stream.Delta
		if !decodeDelta(&d, []byte(`{"choices":[{"delta":{"content":`+string(quoted)+`}}]}`)) || string(d.Text) != text {
			t.Fatalf("reads %q of %q", d.Text, text)
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	line := []byte(deltaEvent)
	var d stream.Delta
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		d.Text = d.Text[:0]
		if !decodeDelta(&d, line) {
			b.Fatal("refused")
		}
	}
}

// roundTripper answers every request.
type roundTripper func() *http.Response

func (r roundTripper) RoundTrip(*http.Request) (*http.Response, error) { return r(), nil }

// BenchmarkAnswer measures reading an answer, without a network.
func BenchmarkAnswer(b *testing.B) {
	stream := strings.Repeat("data: "+deltaEvent+"\n\n", 32) + "data: [DONE]\n\n"
	m := &Model{Client: httpclient.Client{BaseURL: "http://provider.example",
		HTTP: &http.Client{Transport: roundTripper(func() *http.Response {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(stream))}
		})}}}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Stream(b.Context(), model.Request{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// A whole call over loopback, including the stub.
func BenchmarkCall(b *testing.B) {
	stream := []byte(strings.Repeat("data: "+deltaEvent+"\n\n", 32) + "data: [DONE]\n\n")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(stream)
	}))
	defer web.Close()
	m := &Model{Client: httpclient.Client{BaseURL: web.URL}}
	defer m.Close()
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Stream(b.Context(), model.Request{Messages: []model.Message{{Role: "user", Text: "How?"}}}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
