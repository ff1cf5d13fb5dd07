package crawl

import (
	"net/http"
	"strings"
)

// directives are what a page itself asks of crawlers, in its header X-Robots-Tag or its meta elements.
type directives struct {
	noIndex  bool // its text is not to be read into an agent
	noFollow bool // its links are not to be followed
}

// parseHeader reads X-Robots-Tag. A value may begin with the name of the crawler it is meant for.
func (d *directives) parseHeader(h http.Header, token string) {
	for _, value := range h.Values("X-Robots-Tag") {
		mine := true
		for part := range strings.SplitSeq(value, ",") {
			if name, rest, ok := strings.Cut(part, ":"); ok && !takesValue(name) {
				mine, part = strings.EqualFold(strings.TrimSpace(name), token), rest
			}
			if mine {
				d.add(part)
			}
		}
	}
}

// parseMeta reads the content of <meta name="robots"> or of one that names this crawler.
func (d *directives) parseMeta(content string) {
	for _, word := range strings.FieldsFunc(content, func(r rune) bool { return r == ',' || r <= ' ' }) {
		d.add(word)
	}
}

func (d *directives) add(word string) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "noindex":
		d.noIndex = true
	case "nofollow":
		d.noFollow = true
	case "none":
		d.noIndex, d.noFollow = true, true
	}
}

// takesValue tells the directives with a colon from names of crawlers.
func takesValue(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return name == "unavailable_after" || strings.HasPrefix(name, "max-")
}
