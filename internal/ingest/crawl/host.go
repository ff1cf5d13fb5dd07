package crawl

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// idnaProfile maps international names as browsers do (UTS 46, not transitional).
var idnaProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckHyphens(false), idna.StrictDomainName(false))

// longestHost is how many bytes a name may have before it is mapped: each of the 253 that it may have then stands for one character at
// most. The work to map a name grows with its square.
const longestHost = 253 * utf8.UTFMax

// canonicalHost returns HOST or HOST:PORT. The parser that decides and the client that connects must agree on it, so whatever some
// program may read as a number of a host (127.1, 0x7f000001) and is not written as one is refused.
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

// siteKey is what the addresses of one site share: the host with its port; whether www. stands before it and whether it is
// spoken to in the clear makes no difference.
func siteKey(u *url.URL) string { return strings.TrimPrefix(u.Host, "www.") }
