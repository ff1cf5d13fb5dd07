package crawl

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

const (
	maxLinks        = 5000    // that are taken from one page
	maxElementBytes = 1 << 20 // bytes of one tag or text; scanning ends at a longer one
)

// pageScan is what a page says to crawlers.
type pageScan struct {
	directives
	links     []*url.URL
	canonical *url.URL // nil if it names none, or several
}

// scanner reads the tags of a page. References are resolved at the end, because <base> counts for all of them.
type scanner struct {
	token      string
	refs       []string
	base       string
	canonicals []string
	directives directives
}

// scanPage reads a page in UTF-8 that came from an address. A link with rel=nofollow is none.
func scanPage(body []byte, at *url.URL, token string) pageScan {
	s := scanner{token: token}
	z := html.NewTokenizer(bytes.NewReader(body))
	z.SetMaxBuf(maxElementBytes)
	for {
		switch z.Next() {
		case html.ErrorToken: // the end, or too long an element
			return s.result(at)
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if element := string(name); more && relevantElements[element] {
				s.addElement(element, attributes(z))
			}
		default:
		}
	}
}

// relevantElements are the elements that lead somewhere or speak to crawlers.
var relevantElements = map[string]bool{"a": true, "area": true, "frame": true, "link": true, "base": true, "meta": true}

// attributes returns those of a tag; of several of one name the first counts.
func attributes(z *html.Tokenizer) map[string]string {
	list := map[string]string{}
	for {
		key, value, more := z.TagAttr()
		if _, known := list[string(key)]; !known && len(key) > 0 {
			list[string(key)] = string(value)
		}
		if !more {
			return list
		}
	}
}

func (s *scanner) addElement(name string, attrs map[string]string) {
	rel := strings.Fields(strings.ToLower(attrs["rel"]))
	switch name {
	case "a", "area":
		s.addRef(attrs["href"], rel)
	case "frame":
		s.addRef(attrs["src"], nil)
	case "base":
		if s.base == "" {
			s.base = attrs["href"]
		}
	case "link":
		switch {
		case slices.Contains(rel, "canonical") && attrs["href"] != "":
			s.canonicals = append(s.canonicals, attrs["href"])
		case slices.Contains(rel, "next"), slices.Contains(rel, "prev"):
			s.addRef(attrs["href"], rel)
		}
	case "meta":
		s.addMeta(attrs)
	}
}

func (s *scanner) addRef(href string, rel []string) {
	if href = strings.TrimSpace(href); href != "" && href[0] != '#' && len(s.refs) < maxLinks &&
		!slices.Contains(rel, "nofollow") {
		s.refs = append(s.refs, href)
	}
}

// refreshPattern finds the address in <meta http-equiv="refresh" content="0; url='/new'">.
var refreshPattern = regexp.MustCompile(`(?i)^[^;,]*[;,]?\s*url\s*=\s*["']?([^"']+)`)

func (s *scanner) addMeta(attrs map[string]string) {
	name := strings.TrimSpace(attrs["name"])
	if strings.EqualFold(name, "robots") || strings.EqualFold(name, s.token) {
		s.directives.parseMeta(attrs["content"])
	}
	if strings.EqualFold(attrs["http-equiv"], "refresh") {
		if m := refreshPattern.FindStringSubmatch(attrs["content"]); m != nil {
			s.addRef(m[1], nil)
		}
	}
}

func (s *scanner) result(at *url.URL) pageScan {
	base := at
	if s.base != "" {
		if u, err := Canonical(at, s.base); err == nil {
			base = u
		}
	}
	out := pageScan{directives: s.directives}
	for _, ref := range s.refs {
		if u, err := Canonical(base, ref); err == nil {
			out.links = append(out.links, u)
		}
	}
	for _, ref := range s.canonicals {
		u, err := Canonical(base, ref)
		if err != nil || out.canonical != nil && u.String() != out.canonical.String() {
			out.canonical = nil // who contradicts himself has said nothing
			break
		}
		out.canonical = u
	}
	return out
}

// directives are what a page itself asks of crawlers, in its header X-Robots-Tag or its meta elements.
type directives struct {
	noIndex  bool // its text is not to be read into an agent
	noFollow bool // its links are not to be followed
}

// parseHeader reads X-Robots-Tag. A value may begin with the name of the crawler it is meant for.
func (d *directives) parseHeader(h http.Header, token string) {
	for _, value := range h.Values("X-Robots-Tag") {
		applies := true
		for part := range strings.SplitSeq(value, ",") {
			if name, rest, ok := strings.Cut(part, ":"); ok && !takesValue(name) {
				applies, part = strings.EqualFold(strings.TrimSpace(name), token), rest
			}
			if applies {
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

// takesValue reports whether a name before a colon is a directive, rather than the name of a crawler.
func takesValue(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return name == "unavailable_after" || strings.HasPrefix(name, "max-")
}
