package helpdesk

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"parley"
)

// ServedFile is a file as it is handed out.
type ServedFile struct {
	Bytes  []byte
	Header http.Header // type, disposition and what keeps a browser from running it
}

// safeTypes are served as what they are; everything else is bytes.
var safeTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/plain; charset=utf-8"}

func fileHeaders(f *parley.Attachment) http.Header {
	kind := f.MediaType
	if !slices.Contains(safeTypes, kind) {
		kind = "application/octet-stream"
	}
	h := http.Header{}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+asciiName(f.Name)+`"; filename*=UTF-8''`+percentEncode(f.Name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
	return h
}

// asciiName is a name for clients that read no other: what is not plain in it becomes an underscore.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || strings.ContainsRune(`"\%;`, r) {
			return '_'
		}
		return r
	}, name)
}

// percentEncode encodes a name as RFC 8187 wants it: all but its attr-char.
func percentEncode(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
