package crawl

import (
	"net/url"
	"strings"
)

// Allows reports whether the address may be fetched: the longest pattern that matches path and query decides, and of two as
// long the one that allows. robots.txt itself may always be.
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

// robotsMarks stand in patterns and in what they are matched with as they are; # cannot occur in either.
const robotsMarks = queryMarks + "[]"

// normalPattern brings a pattern to the form of the addresses it is matched with: RFC 9309, 2.2.2, compares them so.
func normalPattern(value string) string { return normalEscapes(value, robotsMarks) }

// patternMatches matches from the beginning; * stands for any characters, and $ at the end for the end.
func patternMatches(pattern, target string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(target, parts[0])
	if !ok {
		return false
	}
	if len(parts) == 1 {
		return !whole || rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	if whole {
		return strings.HasSuffix(rest, parts[last])
	}
	return strings.Contains(rest, parts[last])
}
