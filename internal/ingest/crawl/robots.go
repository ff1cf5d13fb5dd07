package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/internal/outbound"
)

const (
	maxRobotsBytes = 500 << 10 // bytes that are read of a robots.txt; RFC 9309 asks for as many
	maxRobotsLine  = 2083 * 8  // bytes; what is longer is cut
	maxSitemaps    = 100       // lines that name one
)

// Robots is what a robots.txt (RFC 9309) says to one crawler. The zero value allows everything.
type Robots struct {
	Delay    time.Duration // between two requests, by Crawl-delay; 0 if it says nothing
	Sitemaps []string      // as written
	rules    []robotsRule
}

type robotsRule struct {
	pattern string // in normal form
	allow   bool
}

// ParseRobots reads a robots.txt for the crawler of that product token. What cannot be understood is passed over, and
// so is what follows the first 500 KiB.
func ParseRobots(text []byte, token string) *Robots {
	p := robotsParser{token: token, robots: &Robots{}}
	for line := range strings.FieldsFuncSeq(withoutBOM(string(text[:min(len(text), maxRobotsBytes)])),
		func(r rune) bool { return r == '\n' || r == '\r' }) {
		p.parseLine(line[:min(len(line), maxRobotsLine)])
	}
	chosen := p.defaultGroup
	if p.hasOwnGroup {
		chosen = p.ownGroup
	}
	p.robots.rules, p.robots.Delay = chosen.rules, chosen.delay
	return p.robots
}

// withoutBOM also drops a byte order mark that has been cut short.
func withoutBOM(text string) string {
	const bom = "\xEF\xBB\xBF"
	n := 0
	for n < len(bom) && n < len(text) && text[n] == bom[n] {
		n++
	}
	return text[n:]
}

// robotsGroup holds all rules for a crawler, from however many groups of lines.
type robotsGroup struct {
	rules []robotsRule
	delay time.Duration
}

type robotsParser struct {
	token                     string
	robots                    *Robots
	ownGroup, defaultGroup    robotsGroup
	hasOwnGroup               bool // a group names this crawler, if only to say nothing
	appliesToUs, appliesToAll bool // whom the group at hand speaks to
	sawRule                   bool // it has had a rule, so that the next User-agent begins another
}

func (p *robotsParser) parseLine(line string) {
	line, _, _ = strings.Cut(line, "#")
	key, value := splitLine(strings.TrimSpace(line))
	switch key {
	case "user-agent", "useragent", "user agent":
		p.parseAgent(value)
	case "allow":
		p.addRule(value, true)
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		p.addRule(value, false)
	case "crawl-delay":
		p.setDelay(value)
	case "sitemap", "site-map":
		if value != "" && len(p.robots.Sitemaps) < maxSitemaps {
			p.robots.Sitemaps = append(p.robots.Sitemaps, value)
		}
	}
}

// splitLine splits a line at its colon, which may be missing where the line is two words.
func splitLine(line string) (key, value string) {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		words := strings.Fields(line)
		if len(words) != 2 {
			return "", ""
		}
		key, value = words[0], words[1]
	}
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
}

func (p *robotsParser) parseAgent(value string) {
	if p.sawRule {
		p.appliesToUs, p.appliesToAll, p.sawRule = false, false, false
	}
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		p.appliesToAll = true
		return
	}
	if strings.EqualFold(productToken(value), p.token) && p.token != "" {
		p.appliesToUs, p.hasOwnGroup = true, true
	}
}

// productToken returns the name a crawler goes by: Parley of "Parley/1.0 (+https://parley.example)".
func productToken(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if end < 0 {
		return agent
	}
	return agent[:end]
}

func (p *robotsParser) addRule(value string, allow bool) {
	p.sawRule = true
	if value == "" {
		return // Disallow without a path forbids nothing
	}
	p.updateGroups(func(g *robotsGroup) {
		g.rules = append(g.rules, robotsRule{normalPattern(value), allow})
		if slash := strings.LastIndexByte(value, '/'); allow && slash >= 0 && strings.HasPrefix(value[slash:], "/index.htm") {
			// as Google does: the folder's own page
			g.rules = append(g.rules, robotsRule{normalPattern(value[:slash]) + "/$", true})
		}
	})
}

func (p *robotsParser) setDelay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err == nil && seconds > 0 {
		d := time.Duration(min(seconds, 86400) * float64(time.Second))
		p.updateGroups(func(g *robotsGroup) { g.delay = max(g.delay, d) })
	}
}

func (p *robotsParser) updateGroups(to func(*robotsGroup)) {
	if p.appliesToUs {
		to(&p.ownGroup)
	}
	if p.appliesToAll {
		to(&p.defaultGroup)
	}
}

// Allows reports whether the address may be fetched: the longest pattern that matches path and query decides, and of
// two as long the one that allows. robots.txt itself may always be.
func (r *Robots) Allows(u *url.URL) bool {
	if u.Path == "/robots.txt" {
		return true
	}
	target := normalEscapes(u.EscapedPath(), robotsMarks)
	if u.RawQuery != "" || u.ForceQuery {
		target += "?" + normalEscapes(u.RawQuery, robotsMarks)
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	longest, allowed := -1, true
	for _, rule := range r.rules {
		n := len(rule.pattern)
		if n < longest || n == longest && (allowed || !rule.allow) || !patternMatches(rule.pattern, target) {
			continue
		}
		longest, allowed = n, rule.allow
	}
	return allowed
}

// robotsMarks are in patterns and in what they are matched with as they are; # cannot occur in either.
const robotsMarks = queryMarks + "[]"

// normalPattern brings a pattern to the form of the addresses it is matched with: RFC 9309, 2.2.2, compares them so.
func normalPattern(value string) string { return normalEscapes(value, robotsMarks) }

// patternMatches matches from the beginning; * stands for any characters, and $ at the end for the end.
func patternMatches(pattern, target string) bool {
	pattern, isAnchored := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(target, parts[0])
	if !ok {
		return false
	}
	if len(parts) == 1 {
		return !isAnchored || rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	if isAnchored {
		return strings.HasSuffix(rest, parts[last])
	}
	return strings.Contains(rest, parts[last])
}

const (
	robotsTTL        = 24 * time.Hour   // as RFC 9309 allows
	robotsFailureTTL = 10 * time.Minute // that it could not be had
)

// robotsCache keeps what each origin's robots.txt says.
type robotsCache struct {
	mu      sync.Mutex
	entries map[string]*robotsEntry
}

type robotsEntry struct {
	lock    chan struct{} // held by who reads or fetches
	expires time.Time
	robots  *Robots
	err     error
}

// robotsFor returns what an address's host asks of this crawler. A robots.txt that is not there (4xx, or redirects
// without an end) allows everything; one that cannot be had forbids everything for now, which is an error.
func (c *Crawler) robotsFor(ctx context.Context, u *url.URL) (*Robots, error) {
	e := c.robots.entry(u.Scheme + "://" + u.Host)
	select {
	case e.lock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.lock }()
	if c.Now().Before(e.expires) {
		return e.robots, e.err
	}
	robots, err := c.fetchRobots(ctx, u)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.robots, e.err, e.expires = robots, err, c.Now().Add(robotsTTL)
	if err != nil {
		e.expires = c.Now().Add(robotsFailureTTL)
	}
	return robots, err
}

func (rc *robotsCache) entry(origin string) *robotsEntry {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.entries == nil || len(rc.entries) > maxIdleHosts {
		rc.entries = map[string]*robotsEntry{}
	}
	e := rc.entries[origin]
	if e == nil {
		e = &robotsEntry{lock: make(chan struct{}, 1)}
		rc.entries[origin] = e
	}
	return e
}

func (c *Crawler) fetchRobots(ctx context.Context, u *url.URL) (*Robots, error) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	reply, err := c.fetchWithRetry(ctx, at, Validators{}, 0,
		outbound.Limits{MaxBytes: maxRobotsBytes, Truncate: true}, nil)
	var e *outbound.Error
	switch {
	case errors.As(err, &e) && e.Kind == outbound.KindTooManyRedirects:
		return &Robots{}, nil
	case err != nil:
		return nil, err
	case reply.Status == http.StatusTooManyRequests || reply.Status >= 500:
		return nil, &outbound.Error{Kind: outbound.KindFailed,
			Reason: fmt.Sprintf("the host answered %d when it was asked for robots.txt", reply.Status)}
	case reply.Status >= 300:
		return &Robots{}, nil
	}
	return ParseRobots(reply.Body, productToken(c.UserAgent)), nil
}
