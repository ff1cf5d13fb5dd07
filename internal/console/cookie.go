package console

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"parley/internal/access"
	"parley/internal/httpapi"
)

// The cookie that holds the token of a session. Browsers take a name that begins with __Secure- by HTTPS alone.
const (
	secureCookie = "__Secure-parley"
	plainCookie  = "parley"
)

// bindingCookie goes with secureCookie and is worth nothing alone. Browsers take a name that begins with __Host- from
// this host alone, while another host of the same domain can set the other cookie, and so sign people in as somebody
// else or lock them out.
const bindingCookie = "__Host-parley-binding"

func (a *API) cookieName(r *http.Request) string {
	if a.isHTTPS(r) {
		return secureCookie
	}
	return plainCookie
}

// bindingOf returns the value of the binding cookie that goes with a token, of which it tells nothing.
func bindingOf(token string) string { return access.Hash("binding " + token)[:32] }

// isBound reports whether this host has set the cookie with the token. By plain HTTP nobody can tell.
func (a *API) isBound(r *http.Request, token string) bool {
	if !a.isHTTPS(r) {
		return true
	}
	c, err := r.Cookie(bindingCookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(bindingOf(token))) == 1
}

// setCookie sends the browser the token of a session.
func (a *API) setCookie(c *httpapi.Call, opened *access.OpenedSession) {
	if len(c.Request.CookiesNamed(a.cookieName(c.Request))) > 1 {
		a.dropForeignCookies(c)
	}
	a.writeCookies(c.Header(), c.Request, opened.Token, opened.Person.Session.ExpiresAt.Sub(a.Now()))
}

// dropCookie has the browser forget the token.
func (a *API) dropCookie(c *httpapi.Call) { a.writeCookies(c.Header(), c.Request, "", -time.Second) }

// dropForeignCookies has the browser forget the cookies that other hosts of the domain have set for this one.
func (a *API) dropForeignCookies(c *httpapi.Call) {
	for _, domain := range parentDomains(c.Request.Host) {
		foreign := a.newCookie(c.Request, "", -time.Second)
		foreign.Domain = domain
		c.Header().Add("Set-Cookie", foreign.String())
	}
}

// parentDomains returns the domains of a Host header for which another host could set cookies: its own name and those
// above it with a dot.
func parentDomains(host string) (list []string) {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return nil
	}
	for strings.Contains(name, ".") {
		list = append(list, name)
		_, name, _ = strings.Cut(name, ".")
	}
	return list
}

// writeCookies sends the cookies of a session.
func (a *API) writeCookies(h http.Header, r *http.Request, token string, lifetime time.Duration) {
	session := a.newCookie(r, token, lifetime)
	h.Add("Set-Cookie", session.String())
	if !a.isHTTPS(r) {
		return
	}
	binding := a.newCookie(r, "", lifetime)
	binding.Name, binding.Path = bindingCookie, "/" // as its name demands
	if token != "" {
		binding.Value = bindingOf(token)
	}
	h.Add("Set-Cookie", binding.String())
}

// newCookie keeps the cookie from scripts, from other sites and from the public pages of this one.
func (a *API) newCookie(r *http.Request, token string, lifetime time.Duration) http.Cookie {
	return http.Cookie{
		Name:     a.cookieName(r),
		Value:    token,
		Path:     strings.TrimSuffix(basePath, "/"),
		MaxAge:   int(lifetime.Seconds()),
		HttpOnly: true,
		Secure:   a.isHTTPS(r),
		SameSite: http.SameSiteStrictMode,
	}
}
