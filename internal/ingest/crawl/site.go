package crawl

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Kind says which pages of a site are read.
type Kind string

// The kinds.
const (
	Individual Kind = "individual" // the one page
	WholeSite  Kind = "crawl"      // the start, and what it leads to on the same site
	Sitemap    Kind = "sitemap"    // what a sitemap lists; the start is the sitemap, or a page of a site that has one
)

// Site is what is to be read. Include and Exclude are regular expressions (RE2) which match anywhere in path and query
// (/docs/a?b=c), as encoded in the address or decoded; one that begins with http matches the whole address. A page is
// wanted if no Exclude matches and, where there are any, some Include does. They do not concern an Individual page. The
// start of a Whole site is read for its links even if it is not wanted.
type Site struct {
	Start            string
	Kind             Kind
	Include, Exclude []string
	Slow             bool // one request at a time, and a pause after each
	Limits           Limits
}

// Limits bound what is read of a site. Zero fields take their defaults.
type Limits struct {
	Pages     int   // that are included; 5,000
	Depth     int   // clicks from the start; 20
	PageBytes int64 // of one page; 5 MB
	Bytes     int64 // of all pages; 1 GB
}

func (l Limits) withDefaults() Limits {
	return Limits{Pages: cmp.Or(l.Pages, 5000), Depth: cmp.Or(l.Depth, 20), PageBytes: cmp.Or(l.PageBytes, 5<<20),
		Bytes: cmp.Or(l.Bytes, 1<<30)}
}

func (l Limits) maxKnown() int { return 10*l.Pages + 1000 }

const (
	maxPatterns     = 100
	maxPatternBytes = 1000 // bytes
)

// Validate returns what is wrong with a site, by the name of the field in the interface, with the place in a
// list behind a dot. It is empty if nothing is.
func Validate(site Site) map[string]string {
	_, faults := site.compile()
	return faults
}

// crawlPlan is a site, ready to be read.
type crawlPlan struct {
	Site
	start            *url.URL
	include, exclude []pattern
}

func (s Site) compile() (*crawlPlan, map[string]string) {
	s.Limits = s.Limits.withDefaults()
	p, faults := &crawlPlan{Site: s}, map[string]string{}
	var err error
	if p.start, err = Canonical(nil, s.Start); err != nil {
		faults["url"] = "is not an address that can be read: " + err.Error()
	}
	if s.Kind != Individual && s.Kind != WholeSite && s.Kind != Sitemap {
		faults["linkType"] = "must be one of individual, crawl, sitemap"
	}
	p.include = compile(faults, "includeOnlyPaths", s.Include)
	p.exclude = compile(faults, "excludePaths", s.Exclude)
	return p, faults
}

func (p *crawlPlan) seed() []Link {
	link := Link{URL: p.start.String()}
	if p.Kind == Sitemap {
		link.Role = SitemapRole
	}
	return []Link{link}
}

type pattern struct {
	*regexp.Regexp
	matchesWholeURL bool // it is written for whole addresses
}

func compile(faults map[string]string, field string, texts []string) []pattern {
	if len(texts) > maxPatterns {
		faults[field] = fmt.Sprintf("must hold at most %d patterns", maxPatterns)
		return nil
	}
	var list []pattern
	for i, text := range texts {
		at := fmt.Sprintf("%s.%d", field, i)
		if text == "" || len(text) > maxPatternBytes {
			faults[at] = fmt.Sprintf("must have from 1 to %d bytes", maxPatternBytes)
			continue
		}
		re, err := regexp.Compile(text)
		if err != nil {
			faults[at] = "is not a regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			continue
		}
		list = append(list, pattern{re, strings.HasPrefix(strings.TrimPrefix(text, "^"), "http")})
	}
	return list
}

func (p pattern) matches(u *url.URL) bool {
	text := u.RequestURI()
	if p.matchesWholeURL {
		text = u.String()
	}
	if p.MatchString(text) {
		return true
	}
	plain, err := url.PathUnescape(text)
	return err == nil && plain != text && p.MatchString(plain)
}

func (p *crawlPlan) isWanted(u *url.URL) bool {
	if p.Kind == Individual {
		return true
	}
	matches := func(p pattern) bool { return p.matches(u) }
	return !slices.ContainsFunc(p.exclude, matches) && (len(p.include) == 0 || slices.ContainsFunc(p.include, matches))
}

// Verdict is what the settings of a site say of an address.
type Verdict string

// The verdicts.
const (
	VerdictRead       Verdict = "read"
	VerdictLeftOut    Verdict = "leftOut"   // the patterns leave it out
	VerdictOtherSite  Verdict = "otherSite" // it belongs to another site
	VerdictNoAddress  Verdict = "noAddress" // it is no address that can be read
	VerdictStartAlone Verdict = "startOnly" // the start, which is read for its links alone
)

// Judge returns the verdict on each address, which may be relative to the start. The second result is as that of
// Validate; if there is a fault nothing is judged.
func (s Site) Judge(addresses []string) ([]Verdict, map[string]string) {
	plan, faults := s.compile()
	if len(faults) > 0 {
		return nil, faults
	}
	verdicts := make([]Verdict, len(addresses))
	for i, address := range addresses {
		verdicts[i] = plan.judge(address)
	}
	return verdicts, nil
}

func (p *crawlPlan) judge(address string) Verdict {
	u, err := Canonical(p.start, address)
	switch {
	case err != nil:
		return VerdictNoAddress
	case !p.isInside(u):
		return VerdictOtherSite
	case p.isWanted(u):
		return VerdictRead
	case p.Kind == WholeSite && u.String() == p.start.String():
		return VerdictStartAlone
	default:
		return VerdictLeftOut
	}
}

// isInside reports whether an address belongs to the site. A page that was named by itself may move anywhere.
func (p *crawlPlan) isInside(u *url.URL) bool {
	return p.Kind == Individual || siteKey(u) == siteKey(p.start)
}
