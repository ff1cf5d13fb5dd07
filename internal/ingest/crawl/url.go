package crawl

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const maxURLBytes = 2048 // bytes of an address in canonical form

var (
	errNotHTTP     = errors.New("it is not an http:// or https:// address")
	errInvalidHost = errors.New("it names no valid host")
	errUserInfo    = errors.New("it holds a user name or a password")
	errURLTooLong  = errors.New("it is too long")
)

// Canonical returns an address in the one form by which the crawler knows and fetches it: scheme and host in lower
// case, an international name as its ASCII form, no default port, no dot segments, percent-encoding in its normal form,
// no fragment, no tracking parameters and no session ids. A reference is read relative to base, which may be nil; it
// may be written as loosely as browsers accept it. Canonical of a canonical address is that address.
func Canonical(base *url.URL, ref string) (*url.URL, error) {
	u, err := url.Parse(cleanReference(ref))
	if err != nil {
		return nil, errNotHTTP // the parser's error would quote it
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if u.Opaque != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errNotHTTP
	}
	if u.User != nil {
		return nil, errUserInfo
	}
	host, err := canonicalHost(u)
	if err != nil {
		return nil, err
	}
	text := u.Scheme + "://" + host + canonicalPath(u.EscapedPath())
	if query := canonicalQuery(u.RawQuery); query != "" {
		text += "?" + query
	}
	if len(text) > maxURLBytes {
		return nil, errURLTooLong
	}
	return url.Parse(text)
}

// cleanReference corrects what browsers correct: white space around and line ends within, backslashes for slashes, and
// a percent sign that encodes nothing.
func cleanReference(ref string) string {
	ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
	ref = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(ref)
	ref, _, _ = strings.Cut(ref, "#")
	where, query, asks := strings.Cut(ref, "?")
	where = strings.ReplaceAll(where, `\`, "/")
	if strings.HasPrefix(where, "///") {
		where = "//" + strings.TrimLeft(where, "/")
	}
	if asks {
		where += "?" + query
	}
	var b strings.Builder
	for i := range len(where) {
		b.WriteByte(where[i])
		if where[i] == '%' && !isEscape(where[i:]) {
			b.WriteString("25")
		}
	}
	return b.String()
}

var sessionIDPattern = regexp.MustCompile(`(?i);jsessionid=[^/;]*`)

// canonicalPath takes an escaped path. Dots count as such however they are written.
func canonicalPath(path string) string {
	path = sessionIDPattern.ReplaceAllString(normalEscapes(path, pathMarks), "")
	var segments []string
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		switch part {
		case ".":
		case "..":
			segments = segments[:max(len(segments)-1, 0)]
		default:
			segments = append(segments, part)
			continue
		}
		if i == len(parts)-1 {
			segments = append(segments, "")
		}
	}
	return "/" + strings.Join(segments, "/")
}

// trackingParams are parameters that tell where a visitor came from and nothing about the page.
var trackingParams = []string{"gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid",
	"igshid", "mc_cid", "mc_eid", "_ga", "_gl"}

// sessionParams are parameters that name a visit: every page has another address with each. sid and s are such where
// they are long.
var sessionParams = []string{"phpsessid", "jsessionid", "sessionid", "session_id", "oscsid", "zenid", "cfid", "cftoken"}

func canonicalQuery(query string) string {
	var parts []string
	for part := range strings.SplitSeq(normalEscapes(query, queryMarks), "&") {
		name, value, _ := strings.Cut(strings.ToLower(part), "=")
		if part != "" && !strings.HasPrefix(name, "utm_") && !slices.Contains(trackingParams, name) &&
			!isSessionParam(name, value) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "&")
}

func isSessionParam(name, value string) bool {
	return slices.Contains(sessionParams, name) || strings.HasPrefix(name, "aspsessionid") ||
		(name == "sid" || name == "s") && longHexPattern.MatchString(value)
}

// longHexPattern is what nobody chose: hexadecimal digits, as hashes are written.
var longHexPattern = regexp.MustCompile(`^[0-9a-f]{24,}$`)

// Marks that may be in a path or a query as they are. They are not decoded either: there they may mean something
// else.
const (
	pathMarks  = "/!$&'()*+,;=:@"
	queryMarks = pathMarks + "?"
)

// normalEscapes decodes what needs no encoding, encodes what does, and writes the rest with upper-case digits (RFC
// 3986, 6.2.2).
func normalEscapes(s, marks string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, coded := s[i], isEscape(s[i:])
		if coded {
			n, _ := strconv.ParseUint(s[i+1:i+3], 16, 8) // two digits, as isEscape has seen
			c = byte(n)
			i += 2
		}
		if unreserved(c) || !coded && strings.IndexByte(marks, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}

func isEscape(s string) bool { return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// idnaProfile maps international names as browsers do (UTS 46, not transitional).
var idnaProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckHyphens(false),
	idna.StrictDomainName(false))

// longestHost is how many bytes a name may have before it is mapped: each of the 253 that it may have then stands for
// one character at most. The work to map a name grows with its square.
const longestHost = 253 * utf8.UTFMax

// canonicalHost returns HOST or HOST:PORT. The parser that decides and the client that connects must agree on it, so
// whatever some program may read as a number of a host (127.1, 0x7f000001) and is not written as one is refused.
func canonicalHost(u *url.URL) (string, error) {
	host, err := asciiHost(u)
	if err != nil {
		return "", err
	}
	port := u.Port()
	if port == "" {
		return host, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", errInvalidHost
	}
	if u.Scheme == "http" && n == 80 || u.Scheme == "https" && n == 443 {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(n, 10), nil
}

func asciiHost(u *url.URL) (string, error) {
	if strings.HasPrefix(u.Host, "[") {
		a, err := netip.ParseAddr(u.Hostname())
		if err != nil || !a.Is6() || a.Zone() != "" {
			return "", errInvalidHost
		}
		return "[" + a.String() + "]", nil
	}
	host := strings.ToLower(u.Hostname())
	if len(host) > longestHost {
		return "", errInvalidHost
	}
	if !isASCIIHost(host) {
		mapped, err := idnaProfile.ToASCII(host)
		if err != nil || !utf8.ValidString(host) {
			return "", errInvalidHost
		}
		host = mapped
	}
	host = strings.TrimSuffix(host, ".")
	if a, err := netip.ParseAddr(host); err == nil && a.Is4() {
		return a.String(), nil
	}
	if !isDomainName(host) {
		return "", errInvalidHost
	}
	return host, nil
}

// isASCIIHost reports whether a name has nothing international in it.
func isASCIIHost(host string) bool {
	return !strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) && !strings.Contains(host, "xn--")
}

func isDomainName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, isInvalidLabelRune) {
			return false
		}
	}
	return !isNumeric(labels[len(labels)-1])
}

func isInvalidLabelRune(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

func isNumeric(label string) bool {
	_, err := strconv.ParseUint(label, 0, 64)
	return err == nil || strings.Trim(label, "0123456789") == "" || strings.HasPrefix(label, "0x")
}

// siteKey returns what the addresses of one site share: the host with its port; whether www. is before it and
// whether it is spoken to in the clear makes no difference.
func siteKey(u *url.URL) string { return strings.TrimPrefix(u.Host, "www.") }
