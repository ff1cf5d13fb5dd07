package crawl

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// xmlEncoding is how XHTML may name its encoding.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]{1,100}?encoding=["']([A-Za-z0-9._:-]{1,40})["']`)

// toUTF8 decodes a text by its byte order mark, else by what the header says, else by what the page itself says. A text
// that says nothing is UTF-8 if it can be, and Windows-1252 otherwise, as in browsers. Bytes that mean nothing become
// U+FFFD.
func toUTF8(body []byte, contentType string, markup bool) []byte {
	sample := body
	if !markup {
		sample = body[:min(len(body), 3)] // the mark; in a plain text, <meta> is text
	}
	encoding, name, certain := charset.DetermineEncoding(sample, contentType)
	if !certain && markup {
		if m := xmlEncoding.FindSubmatch(body[:min(len(body), 1024)]); m != nil {
			if e, n := charset.Lookup(string(m[1])); e != nil && !strings.HasPrefix(n, "utf-16") {
				encoding, name = e, n
			}
		}
	}
	guessed := !certain && name == "windows-1252"
	if name != "utf-8" && (!guessed || !utf8.Valid(body)) {
		if decoded, err := encoding.NewDecoder().Bytes(body); err == nil {
			body = decoded
		}
	}
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}
