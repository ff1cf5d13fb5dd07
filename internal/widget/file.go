package widget

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley/web"
)

// staticFile is a file that never changes while the program runs.
type staticFile struct {
	name          string // in web.Files
	contentType   string // its content type
	isCrossOrigin bool   // pages of other sites may load it
	content       []byte
	etag          string // of the text
	gzipped       func() []byte
}

func (f *staticFile) load() error {
	text, err := web.Files.ReadFile(f.name)
	if err != nil {
		return fmt.Errorf("read the voice page: %w", err)
	}
	sum := sha256.Sum256(text)
	f.content, f.etag = text, base64.RawURLEncoding.EncodeToString(sum[:12])
	f.gzipped = sync.OnceValue(func() []byte { return compress(text) })
	return nil
}

// compress compresses the text. It runs once, at the first request for it.
func compress(text []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that exists
	_, _ = z.Write(text)                                  // into memory
	_ = z.Close()
	return b.Bytes()
}

// serve writes the file. Browsers cache it, and ask each hour whether it has changed; its name does not change with its
// text.
func (f *staticFile) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Vary", "Accept-Encoding")
	if f.isCrossOrigin {
		// It is the same for everybody and contains no secret, so the page of any site may read and check it.
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	text, tag := f.content, f.etag
	if acceptsGzip(r) {
		text, tag = f.gzipped(), f.etag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// acceptsGzip reports whether the request's Accept-Encoding allows gzip.
func acceptsGzip(r *http.Request) bool {
	for _, offer := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(offer, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(weight, "q=0.") != "" || weight == ""
		}
	}
	return false
}
