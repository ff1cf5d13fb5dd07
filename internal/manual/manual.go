// Package manual serves the operator's manual of this version as pages for browsers, which load nothing from elsewhere
// and run no script.
package manual

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"parley/internal/httpapi"
)

// Path is where the manual begins. The chapters are below it.
const Path = "/docs/manual"

//go:embed page
var pageFiles embed.FS

// Pages serves the manual.
type Pages struct {
	version string
	site    httpapi.Site
	load    func() (*edition, error)
}

// New returns the pages of the manual of a version. They are read and rendered when somebody asks for them.
func New(version string, site httpapi.Site) *Pages {
	p := &Pages{version: version, site: site}
	p.load = sync.OnceValues(func() (*edition, error) { return newEdition(version) })
	return p
}

// Serves reports whether a path is the manual's.
func Serves(path string) bool {
	return path == Path || strings.HasPrefix(path, Path+"/") || path == LLMsPath
}

func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	p.policy(r).Set(h, p.site.UsesHTTPS(r))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD are known here.", http.StatusMethodNotAllowed)
		return
	}
	e, err := p.load()
	if err != nil {
		http.Error(w, "The manual could not be shown.", http.StatusInternalServerError)
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, Path), "/")
	switch {
	case name == "" && r.URL.Path != Path:
		redirect(w, r, Path)
	case name == "" && r.URL.Query().Has("q"):
		h.Set("Cache-Control", "no-cache")
		e.writePage(w, http.StatusOK, e.newSearchView(r.URL.Query().Get("q")))
	case e.files[name] != nil:
		e.files[name]().ServeHTTP(w, r)
	case e.files[strings.TrimSuffix(name, ".md")] != nil:
		redirect(w, r, chapterPath(strings.TrimSuffix(name, ".md")))
	default:
		h.Set("Cache-Control", "no-cache")
		e.writePage(w, http.StatusNotFound, e.newMissingView(name))
	}
}

// redirect leads to another page of the manual.
func redirect(w http.ResponseWriter, r *http.Request, path string) {
	w.Header().Set("Cache-Control", "no-cache")
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// policy lets a page load its style and nothing else, and send its search to the manual.
func (p *Pages) policy(r *http.Request) httpapi.PagePolicy {
	formAction := "form-action"
	for _, host := range p.site.Hosts(r) {
		formAction += " http://" + host + Path // which stands for https as well
	}
	if formAction == "form-action" {
		formAction += " 'self'" // the host is an address of IPv6
	}
	return httpapi.PagePolicy{Sources: []string{"style-src 'self'", "img-src data:", formAction}}
}

const (
	contentTypeHTML = "text/html; charset=utf-8"
	contentTypeCSS  = "text/css; charset=utf-8"
	immutable       = "public, max-age=31536000, immutable"
)

// edition is the whole manual.
type edition struct {
	version  string
	style    string // the path of the style, which changes with its content
	chapters []*chapter
	byName   map[string]*chapter
	page     *template.Template
	files    map[string]func() *httpapi.StaticFile // by name; each is made when it is first asked for
}

func newEdition(version string) (*edition, error) {
	chapters, err := readChapters()
	if err != nil {
		return nil, err
	}
	tmpl, err := template.ParseFS(pageFiles, "page/manual.html")
	if err != nil {
		return nil, fmt.Errorf("read the manual's page: %w", err)
	}
	style, err := pageFiles.ReadFile("page/manual.css")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	styleName := "manual-" + base64.RawURLEncoding.EncodeToString(sum[:6]) + ".css"
	e := &edition{version: version, style: chapterPath(styleName), chapters: chapters, page: tmpl,
		byName: map[string]*chapter{}, files: map[string]func() *httpapi.StaticFile{}}
	e.files[styleName] = sync.OnceValue(func() *httpapi.StaticFile {
		return httpapi.NewStaticFile(contentTypeCSS, immutable, style)
	})
	e.files[llmsName] = sync.OnceValue(e.newLLMsFile)
	e.addPage("", func() *pageView { return e.newIndexView() })
	for at, c := range chapters {
		e.byName[c.Name] = c
		e.addPage(c.Name, func() *pageView { return e.newChapterView(at) })
	}
	return e, nil
}

// addPage has a page made when it is first asked for.
func (e *edition) addPage(name string, view func() *pageView) {
	e.files[name] = sync.OnceValue(func() *httpapi.StaticFile {
		return httpapi.NewStaticFile(contentTypeHTML, "no-cache", e.render(view()))
	})
}

func chapterPath(name string) string { return Path + "/" + name }
