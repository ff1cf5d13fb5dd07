package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// discardWriter is a response writer that does almost nothing.
type discardWriter struct{ h http.Header }

func (w *discardWriter) Header() http.Header         { return w.h }
func (w *discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w *discardWriter) WriteHeader(int)             {}

func BenchmarkAPI(b *testing.B) {
	f := newTestAPI(&testing.T{}, io.Discard)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("PUT", "/base/things/5QHA6VB-DIAbBhxwqxfdi?limit=3",
			strings.NewReader(`{"name":"n","note":"how do I export my photos?","size":3}`))
		r.Header.Set("Authorization", "Bearer key")
		f.ServeHTTP(&discardWriter{http.Header{}}, r)
	}
}

func BenchmarkStreamText(b *testing.B) {
	c := &Call{rec: &recorder{ResponseWriter: &discardWriter{http.Header{}}}}
	s := c.StreamUIMessages()
	b.ReportAllocs()
	for b.Loop() {
		s.SendText(`{"type":"text-delta","id":"t1","delta":"`, " some words of an answer")
		if err := s.Flush(); err == nil {
			b.Fatal("a writer without a flusher was flushed")
		}
	}
}
