package crawl

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
)

const addBatchSize = 200 // links that are added at a time

// addPageLinks adds links to the frontier, as they are like: those of the site that may be pages, no traps, and not yet
// too many. What the patterns leave out is only counted.
func (r *crawlRun) addPageLinks(ctx context.Context, links []*url.URL, template Link) error {
	var list []Link
	seen := map[string]bool{}
	for _, u := range links {
		link := template
		link.URL = u.String()
		if seen[link.URL] || !r.isInside(u) || !mayBePage(u) {
			continue
		}
		seen[link.URL] = true
		switch {
		case !r.isWanted(u):
			link.ExcludeReason = excludedByPattern
		case r.Kind == WholeSite && r.isTrapped(u): // a sitemap lists what there is
			continue
		}
		list = append(list, link)
	}
	return r.addLinks(ctx, list)
}

// addLinks stops silently where the frontier is full: it holds ten times what may be included.
func (r *crawlRun) addLinks(ctx context.Context, links []Link) error {
	for len(links) > 0 {
		n := min(addBatchSize, len(links), r.Limits.maxKnown()-r.knownCount())
		if n <= 0 {
			return nil
		}
		added, err := r.frontier.AddLinks(ctx, links[:n])
		if err != nil {
			return err
		}
		r.mu.Lock()
		r.counts.Waiting += added.Waiting
		r.counts.Excluded += added.Excluded
		r.mu.Unlock()
		links = links[n:]
	}
	return nil
}

func (r *crawlRun) knownCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.Total()
}

func (r *crawlRun) isTrapped(u *url.URL) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.traps.isTrap(u)
}

// nonPageExtensions are endings of what is never a page. What has none of them is asked for its type.
var nonPageExtensions = strings.Fields(`.7z .aac .apk .avi .avif .bin .bmp .bz2 .css .csv .deb .dmg .doc .docx .eot
	.epub .exe .flac .gif .gz .ico .iso .jar .jpeg .jpg .js .json .m4a .m4v .mid .mkv .mov .mp3 .mp4 .mpeg .mpg .msi
	.odp .ods .odt .ogg .ogv .otf .png .ppt .pptx .ps .rar .rpm .rss .svg .swf .tar .tgz .tif .tiff .ttf .wav .webm
	.webp .woff .woff2 .xls .xlsx .xml .xz .zip`)

func mayBePage(u *url.URL) bool {
	return !slices.Contains(nonPageExtensions, strings.ToLower(path.Ext(u.Path)))
}

const (
	maxSegments = 30  // of a path
	maxRepeats  = 3   // of one segment in a path
	maxVariants = 300 // addresses of one shape with more than one thing to vary
)

// trapDetector counts addresses by their shape. Calendars, filters and sort orders make endless addresses that differ
// in numbers and parameters only; articles that are numbered, or told apart by one parameter, are not held to that
// bound.
type trapDetector map[string]int

// isTrap reports whether an address looks like one of endlessly many, and counts it if not.
func (t trapDetector) isTrap(u *url.URL) bool {
	if hasRepeatedSegments(u.EscapedPath()) {
		return true
	}
	shape, free := urlShape(u)
	if free < 2 {
		return false
	}
	if t[shape] >= maxVariants {
		return true
	}
	t[shape]++
	return false
}

// hasRepeatedSegments finds paths that relative links have wound up: /a/b/a/b/a/b/a/b.
func hasRepeatedSegments(path string) bool {
	times := map[string]int{}
	segments := strings.Split(path, "/")
	for _, s := range segments {
		if times[s]++; s != "" && times[s] > maxRepeats {
			return true
		}
	}
	return len(segments) > maxSegments
}

// urlShape returns an address with 0 for each number of its path and without the values of its parameters, and how many
// things vary in it.
func urlShape(u *url.URL) (shape string, free int) {
	var b strings.Builder
	free = writeShape(&b, u.EscapedPath())
	if u.RawQuery == "" {
		return b.String(), free
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		var of strings.Builder
		free += max(1, writeShape(&of, value))
		b.WriteString("&" + name)
	}
	return b.String(), free
}

// writeShape writes a text with 0 for each run of digits, and counts them.
func writeShape(b *strings.Builder, text string) (runs int) {
	within := false
	for _, c := range []byte(text) {
		digit := '0' <= c && c <= '9'
		if digit && !within {
			runs++
			b.WriteByte('0')
		}
		if !digit {
			b.WriteByte(c)
		}
		within = digit
	}
	return runs
}
