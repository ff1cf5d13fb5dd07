package sqldb

import (
	"strconv"
	"strings"
	"sync"
)

// rebinder replaces each ? by $1, $2, … and caches the results.
type rebinder struct {
	mu    sync.RWMutex
	texts map[string]string
}

const maxReboundQueries = 1024

func (r *rebinder) rebind(query string) string {
	r.mu.RLock()
	text, ok := r.texts[query]
	r.mu.RUnlock()
	if ok {
		return text
	}
	text = rebind(query)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil || len(r.texts) >= maxReboundQueries {
		r.texts = map[string]string{}
	}
	r.texts[query] = text
	return text
}

// rebind replaces each ? but those inside '…', "…" and comments.
func rebind(query string) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(query); {
		switch c := query[i]; {
		case c == '?':
			n++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(n))
			i++
		case c == '\'' || c == '"' || strings.HasPrefix(query[i:], "--"):
			end := i + quotedLength(query[i:])
			b.WriteString(query[i:end])
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// quotedLength returns the length of the quoted text or the comment that s begins with. A doubled quote counts as the
// end of one text and the beginning of the next, with the same result.
func quotedLength(s string) int {
	closing := s[:1]
	if closing == "-" {
		closing = "\n"
	}
	if i := strings.Index(s[1:], closing); i >= 0 {
		return i + 2
	}
	return len(s)
}
