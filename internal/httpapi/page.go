package httpapi

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// PagePolicy says what a page of this server may do in a browser. All pages, the console and the public ones, share an
// origin: what a policy does not name is refused, so that a script that ran in a public page could not reach the
// console.
type PagePolicy struct {
	Sources     []string // what may be loaded or sent, such as "style-src 'self'"; nothing else may
	Permissions string   // the Permissions-Policy; empty allows no microphone, camera or place
	IsConsole   bool     // no page that has opened this one, or was opened by it, can reach its window
	IsFrame     bool     // pages of others show it, and what is said of the windows of a page says nothing of it
	HasNoOrigin bool     // shown in a sandbox: browsers warn of a header that speaks of its origin
}

const (
	noPermissions = "microphone=(), camera=(), geolocation=()"
	// transportSecurity has browsers use HTTPS alone for a year.
	transportSecurity = "max-age=31536000"
)

// closedDirectives are those of every page. A policy may name form-action and frame-ancestors itself.
var closedDirectives = []string{
	"worker-src 'none'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
}

// Set sets the headers of an answer of the page, errors included. isHTTPS has browsers use HTTPS alone from now on.
//
// Two pages of one origin whose Cross-Origin-Opener-Policy is the same can read each other's windows. So that of public
// pages is another one than the console's.
func (p PagePolicy) Set(h http.Header, isHTTPS bool) {
	h.Set("Content-Security-Policy", p.contentSecurity())
	switch {
	case p.IsConsole:
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	case !p.IsFrame:
		h.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	}
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !p.HasNoOrigin {
		h.Set("Origin-Agent-Cluster", "?1")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", noPermissions)
	if p.Permissions != "" {
		h.Set("Permissions-Policy", p.Permissions)
	}
	if isHTTPS {
		h.Set("Strict-Transport-Security", transportSecurity)
	}
}

func (p PagePolicy) contentSecurity() string {
	all := append([]string{"default-src 'none'"}, p.Sources...)
	for _, directive := range closedDirectives {
		name, _, _ := strings.Cut(directive, " ")
		isNamed := func(d string) bool { return strings.HasPrefix(d, name+" ") }
		if !slices.ContainsFunc(p.Sources, isNamed) {
			all = append(all, directive)
		}
	}
	return strings.Join(all, "; ")
}

// policyHost is a host that a Content-Security-Policy can name. It knows no IPv6 addresses.
var policyHost = regexp.MustCompile(`^[a-z0-9._-]+(:[0-9]{1,5})?$`)

// PolicyHost returns a host in the form in which policies name it, or the empty text if they cannot.
func PolicyHost(host string) string {
	if host = strings.ToLower(host); policyHost.MatchString(host) {
		return host
	}
	return ""
}

// IsHostOf reports whether a Host header names the host and port of a URL. Either may leave out the port of its scheme.
func IsHostOf(host string, u *url.URL) bool {
	port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	withoutPort := func(host string) string { return strings.TrimSuffix(strings.ToLower(host), port) }
	return withoutPort(host) == withoutPort(u.Host)
}

// Site is how browsers reach this server.
type Site struct {
	URL        string // as the operator has set it
	TrustProxy bool   // take scheme and address of the browser from what a proxy says of them
}

// IsHTTPS reports whether a browser has sent a request by HTTPS: to this server, or to a proxy that says so and is
// trusted. That the site's URL begins with https says nothing of one request.
func (s Site) IsHTTPS(r *http.Request) bool {
	if r.TLS != nil || !s.TrustProxy {
		return r.TLS != nil
	}
	return strings.EqualFold(lastValue(r.Header.Values("X-Forwarded-Proto")), "https")
}

// UsesHTTPS reports whether a browser that has sent a request shall come by HTTPS from now on. Browsers ignore it where
// they came without.
func (s Site) UsesHTTPS(r *http.Request) bool {
	return strings.HasPrefix(s.URL, "https://") || s.IsHTTPS(r)
}

// Hosts lists the hosts under which a browser may know this server: the request's, and that of the site's URL where it
// is another. Hosts that policies cannot name are left out.
func (s Site) Hosts(r *http.Request) (hosts []string) {
	hosts = append(hosts, PolicyHost(r.Host))
	if u, err := url.Parse(s.URL); err == nil {
		hosts = append(hosts, PolicyHost(u.Host))
	}
	hosts = slices.DeleteFunc(hosts, func(host string) bool { return host == "" })
	return slices.Compact(hosts)
}

// lastValue returns the last entry of a list that was sent in headers. A proxy writes behind what the client sent.
func lastValue(all []string) string {
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	return strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
}
