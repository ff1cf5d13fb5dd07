package crawl

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
)

const (
	maxSitemapBytes = 50 << 20 // bytes of a sitemap, unpacked; the protocol's own limit
	maxEntries      = 50_000   // of one sitemap; the protocol's own limit
	maxNesting      = 16       // of its elements
)

var (
	errNotSitemap      = errors.New("it is not a sitemap")
	errSitemapTooLarge = errors.New("the sitemap is too large")
	errEntities        = errors.New("the sitemap declares entities")
)

// Entries is what a sitemap lists, as written: pages, or further sitemaps if it is an index.
type Entries struct {
	Pages, Sitemaps []string
}

// ReadSitemap reads a sitemap or an index of sitemaps, in XML or as lines of text, packed with gzip or not. What follows the
// first 50,000 entries is passed over. Documents that declare entities are refused, and so is what unpacks to more than 50 MB.
func ReadSitemap(body []byte) (Entries, error) {
	body, err := gunzip(body)
	if err != nil {
		return Entries{}, err
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if bytes.HasPrefix(text, []byte("<")) {
		return readXML(text)
	}
	return readLines(text)
}

func gunzip(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, errNotSitemap
	}
	body, err = io.ReadAll(io.LimitReader(z, maxSitemapBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the sitemap cannot be unpacked: %w", err)
	case len(body) > maxSitemapBytes:
		return nil, errSitemapTooLarge
	}
	return body, nil
}

func readLines(text []byte) (Entries, error) {
	var e Entries
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		if _, err := Canonical(nil, line); err != nil {
			continue
		}
		if e.Pages = append(e.Pages, line); len(e.Pages) == maxEntries {
			break
		}
	}
	if len(e.Pages) == 0 {
		return e, errNotSitemap
	}
	return e, nil
}

// sitemapReader walks through the elements of a sitemap.
type sitemapReader struct {
	hasRoot bool     // the outermost element is one of a sitemap
	path    []string // the elements around, by local name
	loc     strings.Builder
	entries Entries
}

func readXML(text []byte) (Entries, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false // many write & as it is
	d.CharsetReader = decodedOnce()
	var m sitemapReader
	for len(m.entries.Pages)+len(m.entries.Sitemaps) < maxEntries {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !m.hasRoot {
			return Entries{}, errNotSitemap
		}
		if err != nil {
			return m.entries, fmt.Errorf("the sitemap is broken: %w", err)
		}
		if err := m.readToken(token); err != nil {
			return Entries{}, err
		}
	}
	if !m.hasRoot {
		return Entries{}, errNotSitemap
	}
	return m.entries, nil
}

// Where the address of an entry stands.
var pagePath, mapPath = []string{"urlset", "url", "loc"}, []string{"sitemapindex", "sitemap", "loc"}

// decodedOnce decodes a document from the encoding that its first declaration names. A document has one; each further one would
// put a reader around all that were there before.
func decodedOnce() func(label string, input io.Reader) (io.Reader, error) {
	declared := false
	return func(label string, input io.Reader) (io.Reader, error) {
		if declared {
			return input, nil
		}
		declared = true
		return charset.NewReaderLabel(label, input)
	}
}

func (m *sitemapReader) readToken(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		if bytes.Contains(bytes.ToUpper(t), []byte("ENTITY")) {
			return errEntities
		}
	case xml.StartElement:
		if len(m.path) == 0 && t.Name.Local != "urlset" && t.Name.Local != "sitemapindex" {
			return errNotSitemap
		}
		if len(m.path) == maxNesting {
			return errNotSitemap
		}
		m.hasRoot = true
		m.path = append(m.path, t.Name.Local)
		m.loc.Reset()
	case xml.CharData:
		if m.loc.Len() <= maxURLBytes {
			m.loc.Write(t)
		}
	case xml.EndElement:
		m.endElement()
	}
	return nil
}

// endElement takes what an entry's own loc held; images and videos of an entry have one too, further in.
func (m *sitemapReader) endElement() {
	loc := strings.TrimSpace(m.loc.String())
	switch {
	case slices.Equal(m.path, pagePath):
		m.entries.Pages = append(m.entries.Pages, loc)
	case slices.Equal(m.path, mapPath):
		m.entries.Sitemaps = append(m.entries.Sitemaps, loc)
	}
	m.path = m.path[:max(len(m.path)-1, 0)]
	m.loc.Reset()
}
