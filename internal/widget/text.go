package widget

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"parley/internal/httpapi"
)

// minGzipBytes is how long a text must be for its compression to pay.
const minGzipBytes = 1000

// writeText writes a text that was made for a request, or that the browser has it already. varying is what the tag of
// the text stands for besides.
func writeText(w http.ResponseWriter, r *http.Request, status int, text []byte, varying string) {
	h := w.Header()
	if len(text) >= minGzipBytes && httpapi.AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		text = compress(text)
	}
	if status == http.StatusOK {
		sum := sha256.Sum256(append([]byte(varying+"\x00"), text...))
		tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		h.Set("ETag", tag)
		if isKnown(r, tag) {
			h.Del("Content-Encoding")
			status, text = http.StatusNotModified, nil
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// isKnown reports whether the browser has what a tag stands for.
func isKnown(r *http.Request, tag string) bool {
	for each := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(each), "W/") == tag {
			return true
		}
	}
	return false
}

func compress(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text) // into memory
	_ = z.Close()
	return b.Bytes()
}
