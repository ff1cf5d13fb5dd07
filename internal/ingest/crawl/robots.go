package crawl

import (
	"strconv"
	"strings"
	"time"
)

const (
	maxRobots     = 500 << 10 // bytes that are read of a robots.txt; RFC 9309 asks for as many
	maxRobotsLine = 2083 * 8  // bytes; what is longer is cut
	maxSitemaps   = 100       // lines that name one
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

// ParseRobots reads a robots.txt for the crawler of that product token. What cannot be understood is passed over, and so is what
// follows the first 500 KiB.
func ParseRobots(text []byte, token string) *Robots {
	p := robotsParser{token: token, robots: &Robots{}}
	for line := range strings.FieldsFuncSeq(withoutBOM(string(text[:min(len(text), maxRobots)])), func(r rune) bool { return r == '\n' || r == '\r' }) {
		p.line(line[:min(len(line), maxRobotsLine)])
	}
	chosen := p.everybody
	if p.named {
		chosen = p.mine
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

// robotsGroup is all that is said to a crawler, from however many groups of lines.
type robotsGroup struct {
	rules []robotsRule
	delay time.Duration
}

type robotsParser struct {
	token           string
	robots          *Robots
	mine, everybody robotsGroup
	named           bool // a group names this crawler, if only to say nothing
	toMe, toAll     bool // whom the group at hand speaks to
	ruled           bool // it has had a rule, so that the next User-agent begins another
}

func (p *robotsParser) line(line string) {
	line, _, _ = strings.Cut(line, "#")
	key, value := splitLine(strings.TrimSpace(line))
	switch key {
	case "user-agent", "useragent", "user agent":
		p.agent(value)
	case "allow":
		p.rule(value, true)
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		p.rule(value, false)
	case "crawl-delay":
		p.delay(value)
	case "sitemap", "site-map":
		if value != "" && len(p.robots.Sitemaps) < maxSitemaps {
			p.robots.Sitemaps = append(p.robots.Sitemaps, value)
		}
	}
}

// splitLine forgives a missing colon where the line is two words.
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

func (p *robotsParser) agent(value string) {
	if p.ruled {
		p.toMe, p.toAll, p.ruled = false, false, false
	}
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		p.toAll = true
		return
	}
	if strings.EqualFold(productToken(value), p.token) && p.token != "" {
		p.toMe, p.named = true, true
	}
}

// productToken is the name a crawler goes by: Parley of "Parley/1.0 (+https://parley.example)".
func productToken(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if end < 0 {
		return agent
	}
	return agent[:end]
}

func (p *robotsParser) rule(value string, allow bool) {
	p.ruled = true
	if value == "" {
		return // Disallow without a path forbids nothing
	}
	p.speak(func(g *robotsGroup) {
		g.rules = append(g.rules, robotsRule{normalPattern(value), allow})
		if slash := strings.LastIndexByte(value, '/'); allow && slash >= 0 && strings.HasPrefix(value[slash:], "/index.htm") {
			g.rules = append(g.rules, robotsRule{normalPattern(value[:slash]) + "/$", true}) // as Google does: the folder's own page
		}
	})
}

func (p *robotsParser) delay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err == nil && seconds > 0 {
		d := time.Duration(min(seconds, 86400) * float64(time.Second))
		p.speak(func(g *robotsGroup) { g.delay = max(g.delay, d) })
	}
}

func (p *robotsParser) speak(to func(*robotsGroup)) {
	if p.toMe {
		to(&p.mine)
	}
	if p.toAll {
		to(&p.everybody)
	}
}
