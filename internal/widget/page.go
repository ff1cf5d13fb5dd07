// Package widget serves what browsers need for voice sessions: the library service-voice, for any page to load, and a
// demo page on which a person can talk to an agent. It has no rules about who may talk to whom: the page joins with a
// participant token, as every page does.
package widget

import (
	"bytes"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"

	"parley/web"
)

// Paths of the page and its files.
const (
	libraryPath  = "/sdk/service-voice.js"
	licensesPath = "/sdk/service-voice.licenses.txt"
	pagePath     = "/demo/voice"
	stylePath    = "/demo/voice.css"
	scriptPath   = "/demo/voice.js"
	sessionPath  = "/demo/voice/session"
)

// Page serves the library and the demo page.
type Page struct {
	html           *template.Template
	policy         string
	files          map[string]*staticFile
	sessionHandler atomic.Pointer[http.Handler] // nil for none
}

// New returns the page. Browsers join voice sessions at voiceURL (ws or wss), or at this server itself.
func New(voiceURL string) (*Page, error) {
	html, err := template.ParseFS(web.Files, "voice/demo/voice.html")
	if err != nil {
		return nil, fmt.Errorf("read the voice page: %w", err)
	}
	p := &Page{html: html, policy: contentSecurityPolicy(voiceURL), files: map[string]*staticFile{
		libraryPath:  {name: "built/service-voice.js", contentType: "text/javascript; charset=utf-8", isCrossOrigin: true},
		licensesPath: {name: "built/service-voice.licenses.txt", contentType: "text/plain; charset=utf-8"},
		stylePath:    {name: "voice/demo/voice.css", contentType: "text/css; charset=utf-8"},
		scriptPath:   {name: "voice/demo/voice.js", contentType: "text/javascript; charset=utf-8"},
	}}
	for _, f := range p.files {
		if err := f.load(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// contentSecurityPolicy lets the page load its own files and talk to this server and to the voice server, and nothing
// else.
func contentSecurityPolicy(voiceURL string) string {
	connect := "'self'"
	// policies know no IPv6
	if u, err := url.Parse(voiceURL); err == nil && u.Host != "" && !strings.ContainsAny(u.Host, ";, '\"[") {
		connect += " " + u.Scheme + "://" + u.Host
		// The browser's library asks by plain HTTP why it was refused.
		connect += " " + strings.Replace(u.Scheme, "ws", "http", 1) + "://" + u.Host
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src " + connect +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
}

// IsPagePath reports whether a path is the page's.
func (p *Page) IsPagePath(path string) bool {
	return path == pagePath || path == sessionPath || p.files[path] != nil
}

func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch f := p.files[r.URL.Path]; {
	case r.URL.Path == sessionPath:
		p.createSession(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD are known here.", http.StatusMethodNotAllowed)
	case f != nil:
		f.serve(w, r)
	default:
		p.showPage(w, r)
	}
}

// showPage writes the page. A client that may create a session sees how to begin one.
func (p *Page) showPage(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	if err := p.html.Execute(&b, struct{ Demo bool }{p.sessionHandler.Load() != nil && isLocalRequest(r)}); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Permissions-Policy", "microphone=(self), camera=(), geolocation=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes())
}

// EnableSessions lets the demo page create sessions with a handler that answers as REST v2 does. It is for `parley
// demo` alone: users of this machine may talk to its agent, and nobody else.
func (p *Page) EnableSessions(maker http.Handler) { p.sessionHandler.Store(&maker) }

// createSession creates a session for the page. Other clients get 404.
func (p *Page) createSession(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	maker := p.sessionHandler.Load()
	switch {
	case maker == nil || !isLocalRequest(r) || !isFromOwnPage(r):
		http.NotFound(w, r)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		http.Error(w, "Only POST is known here.", http.StatusMethodNotAllowed)
	default:
		(*maker).ServeHTTP(w, r)
	}
}

// isLocalRequest reports whether a request comes from this machine: from loopback, to a name of loopback (another name
// may be DNS rebinding by a foreign site), and through no proxy.
func isLocalRequest(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && isLoopbackName(r.Host)
}

func isLoopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// isFromOwnPage reports whether the demo page sent the request. Browsers set Origin, and pages cannot change it.
func isFromOwnPage(r *http.Request) bool {
	from, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && from.Host != "" && from.Host == r.Host
}
