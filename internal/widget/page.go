// Package widget serves what the browsers of visitors load: the loaders, the chat frame and the help page with their
// files; and for voice sessions the library service-voice, for any page to load, with a demo page on which a person can
// talk to an agent. It has no rules about who may talk to whom: the pages call the chat API, and join voice sessions
// with participant tokens, as every page does.
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

	"parley/internal/httpapi"
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
	voice          *url.URL // where browsers join; nil for this server
	site           httpapi.Site
	files          map[string]*httpapi.StaticFile
	sessionHandler atomic.Pointer[http.Handler] // nil for none
}

// New returns the page. Browsers join voice sessions at voiceURL (ws or wss), or at this server itself.
func New(voiceURL string, site httpapi.Site) (*Page, error) {
	html, err := template.ParseFS(web.Files, "voice/demo/voice.html")
	if err != nil {
		return nil, fmt.Errorf("read the voice page: %w", err)
	}
	p := &Page{html: html, voice: voiceAddress(voiceURL), site: site, files: map[string]*httpapi.StaticFile{}}
	for _, f := range []struct{ path, name, contentType string }{
		{libraryPath, "built/service-voice.js", "text/javascript; charset=utf-8"},
		{licensesPath, "built/service-voice.licenses.txt", "text/plain; charset=utf-8"},
		{stylePath, "voice/demo/voice.css", "text/css; charset=utf-8"},
		{scriptPath, "voice/demo/voice.js", "text/javascript; charset=utf-8"},
	} {
		content, err := web.Files.ReadFile(f.name)
		if err != nil {
			return nil, fmt.Errorf("read the voice page: %w", err)
		}
		p.files[f.path] = httpapi.NewStaticFile(f.contentType, fileCaching, content)
	}
	return p, nil
}

// fileCaching has browsers ask each hour whether a file has changed; its name does not change with its text.
const fileCaching = "public, max-age=3600"

// policy lets the page load its own files, ask for a session, and join one.
func (p *Page) policy(r *http.Request) httpapi.PagePolicy {
	connect := directive("connect-src", p.connectSources(r))
	return httpapi.PagePolicy{
		Sources:     []string{"script-src 'self'", "style-src 'self'", "img-src data:", connect},
		Permissions: voicePermissions,
	}
}

// connectSources names the paths that the page may reach.
func (p *Page) connectSources(r *http.Request) (sources []string) {
	for _, host := range p.site.Hosts(r) {
		sources = append(sources, "http://"+host+sessionPath)
		if p.voice == nil {
			sources = append(sources, voiceSources(nil, []string{host})...)
		}
	}
	if p.voice != nil {
		sources = append(sources, voiceSources(p.voice, nil)...)
	}
	return sources
}

// IsPagePath reports whether a path is the page's.
func (p *Page) IsPagePath(path string) bool {
	return path == pagePath || path == sessionPath || p.files[path] != nil
}

func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, pagePath) {
		p.policy(r).Set(w.Header(), p.site.UsesHTTPS(r))
	}
	switch f := p.files[r.URL.Path]; {
	case r.URL.Path == sessionPath:
		p.createSession(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD are known here.", http.StatusMethodNotAllowed)
	case r.URL.Path == libraryPath:
		// It is the same for everybody and contains no secret, so the page of any site may read and check it.
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		f.ServeHTTP(w, r)
	case f != nil:
		f.ServeHTTP(w, r)
	case isLoopbackIPv6(r):
		http.Redirect(w, r, localAddress(r), http.StatusTemporaryRedirect)
	default:
		p.showPage(w, r)
	}
}

// showPage writes the page. A client that may create a session sees how to begin one.
func (p *Page) showPage(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	if err := p.html.Execute(&b, struct{ Demo bool }{p.sessionHandler.Load() != nil && httpapi.IsLocal(r)}); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
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
	case maker == nil || !httpapi.IsLocal(r) || !isFromOwnPage(r):
		http.NotFound(w, r)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		http.Error(w, "Only POST is known here.", http.StatusMethodNotAllowed)
	default:
		(*maker).ServeHTTP(w, r)
	}
}

// isLoopbackIPv6 reports whether a page was opened at [::1], which policies cannot name, so it could ask for nothing.
func isLoopbackIPv6(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.Host)
	if err != nil {
		ip, _ := netip.ParseAddr(strings.Trim(r.Host, "[]"))
		at = netip.AddrPortFrom(ip, 0)
	}
	return at.Addr().Is6() && at.Addr().IsLoopback()
}

// localAddress is the page's address at a name of loopback.
func localAddress(r *http.Request) string {
	address := url.URL{Scheme: "http", Host: "localhost", Path: pagePath}
	if r.TLS != nil {
		address.Scheme = "https"
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		address.Host = net.JoinHostPort("localhost", port)
	}
	return address.String()
}

// isFromOwnPage reports whether the demo page sent the request. Browsers set Origin, and pages cannot change it.
func isFromOwnPage(r *http.Request) bool {
	from, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && from.Host != "" && from.Host == r.Host
}
