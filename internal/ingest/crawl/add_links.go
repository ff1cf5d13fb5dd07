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
func (r *crawlRun) addPageLinks(ctx context.Context, links []*url.URL, like Link) error {
	var list []Link
	seen := map[string]bool{}
	for _, u := range links {
		link := like
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
