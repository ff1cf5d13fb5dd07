package sqldb

import (
	"strconv"
	"strings"
	"sync"
)

// TextCache holds the texts of statements by what they are made from. The zero value is ready to use.
type TextCache struct {
	mu    sync.RWMutex
	texts map[string]string
}

// Find returns the text of a key, and whether it is there.
func (c *TextCache) Find(key string) (text string, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	text, ok = c.texts[key]
	return text, ok
}

// Add adds a text. If there are limit of them, it drops them first.
func (c *TextCache) Add(key, text string, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil || len(c.texts) >= limit {
		c.texts = map[string]string{}
	}
	c.texts[key] = text
}

// rebinder replaces each ? by $1, $2, … and caches the results.
type rebinder struct{ cache TextCache }

const maxReboundQueries = 1024

func (r *rebinder) rebind(query string) string {
	text, ok := r.cache.Find(query)
	if !ok {
		text = rebind(query)
		r.cache.Add(query, text, maxReboundQueries)
	}
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
