package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"
)

// StaticFile is a file of a page that never changes while the program runs.
type StaticFile struct {
	contentType  string
	cacheControl string
	content      []byte
	gzipped      func() []byte
	etag         string // of content
}

// NewStaticFile returns a file. It is compressed when a client first asks for that.
func NewStaticFile(contentType, cacheControl string, content []byte) *StaticFile {
	return &StaticFile{contentType: contentType, cacheControl: cacheControl, content: content,
		gzipped: sync.OnceValue(func() []byte { return compress(content) }), etag: contentHash(content)}
}

func contentHash(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func compress(text []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that exists
	_, _ = z.Write(text)                                  // into memory
	_ = z.Close()
	return b.Bytes()
}

// ServeHTTP writes the file, compressed where the client takes that.
func (f *StaticFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Vary", "Accept-Encoding")
	text, tag := f.content, f.etag
	if AcceptsGzip(r) {
		text, tag = f.gzipped(), f.etag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// AcceptsGzip reports whether the request's Accept-Encoding allows gzip.
func AcceptsGzip(r *http.Request) bool {
	for _, offer := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(offer, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(weight, "q=0.") != "" || weight == ""
		}
	}
	return false
}
