package crawl

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A page that a host packs unasked is unpacked, or fails with a reason; its bytes are never read as text.
func TestPackedPages(t *testing.T) {
	const text = "<p>The kettle costs 28 euros."
	var framed, bare bytes.Buffer
	z := zlib.NewWriter(&framed)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	f, err := flate.NewWriter(&bare, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(f, text)
	_ = f.Close()
	for _, c := range []struct {
		name         string
		body         []byte
		want, reason string
	}{
		{"deflate", framed.Bytes(), text, ""},
		{"deflate", bare.Bytes(), text, ""},
		{"x-gzip", gzipText(text), text, ""},
		{"DEFLATE, x-gzip", gzipText(framed.String()), text, ""},
		{"identity", []byte(text), text, ""},
		{"UTF-8", []byte(text), text, ""},
		{"br", []byte("\x0b\x02\x80abc\x03"), "", "the host sends the page packed in a way that is not read: br"},
		{"deflate", []byte("\xff\xff\xff\xff"), "", "what the host sends cannot be unpacked"},
		{"x-gzip", []byte(text), "", "what the host sends cannot be unpacked"},
		{"deflate", packedZeros(t, 2<<20), "", "the reply is too large"},
		{"a, b, c, d, e", []byte(text), "", "the host sends the page packed too often"},
	} {
		ts := serve(t, "-- / --\n")
		ts.override = func(out http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/robots.txt" {
				return false
			}
			out.Header().Set("Content-Type", "text/html; charset=utf-8")
			out.Header().Set("Content-Encoding", c.name)
			_, _ = out.Write(c.body)
			return true
		}
		cr := ts.crawl(t, Site{Start: "/", Kind: Individual, Limits: Limits{PageBytes: 1 << 20}})
		if c.reason != "" {
			cr.expect(t, "/ failed "+c.reason+"\n")
		} else if got := strings.TrimSpace(string(cr.pages["/"].Body)); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// packedZeros returns n bytes that say nothing, packed.
func packedZeros(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
