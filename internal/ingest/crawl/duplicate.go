package crawl

import (
	"crypto/sha256"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// indexName is the name of a page that most hosts answer with for the folder itself.
var indexName = regexp.MustCompile(`(?i)/(?:index|default)\.(?:html?|php|aspx?|jsp)$`)

// refererParams are parameters that say from where a visitor came; unlike tracking parameters they may choose a page.
var refererParams = []string{"ref", "referrer", "referer", "source", "src", "via"}

// similarKey returns what addresses share that hosts often answer with the same page: they differ in the scheme, in
// www., in a slash or the name of an index at the end, or in a parameter that says from where a visitor came.
func similarKey(u *url.URL) string {
	path := strings.TrimRight(indexName.ReplaceAllString(u.EscapedPath(), "/"), "/")
	var parts []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(strings.ToLower(part), "="); !slices.Contains(refererParams, name) {
			parts = append(parts, part)
		}
	}
	return siteKey(u) + path + "?" + strings.Join(parts, "&")
}

// readPages are the pages of a run, to tell those that are one page under several similar addresses.
type readPages struct {
	byBytes   map[[sha256.Size]byte]string // address by similarKey and bytes
	unchanged map[string]unchangedPage     // by similarKey
}

// unchangedPage is a page that the host says is as it was.
type unchangedPage struct {
	url string
	Validators
}

// noteUnchanged remembers a page whose bytes were not sent again.
func (r *crawlRun) noteUnchanged(link Link, u *url.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readPages.unchanged == nil {
		r.readPages.unchanged = map[string]unchangedPage{}
	}
	r.readPages.unchanged[similarKey(u)] = unchangedPage{link.URL, link.Validators}
}

// samePage returns the similar address under which this run has read the same bytes; empty for the first one.
func (r *crawlRun) samePage(link Link, u *url.URL, page Page) (address string) {
	if r.Kind == Individual {
		return ""
	}
	key := similarKey(u)
	sum := sha256.Sum256(slices.Concat([]byte(key), []byte{0}, page.Body))
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, known := r.readPages.unchanged[key]; known && first.url != link.URL && first.Validators == page.Validators {
		return first.url
	}
	if first, known := r.readPages.byBytes[sum]; known {
		return first
	}
	if r.readPages.byBytes == nil {
		r.readPages.byBytes = map[[sha256.Size]byte]string{}
	}
	r.readPages.byBytes[sum] = link.URL
	return ""
}
