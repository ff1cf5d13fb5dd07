// Package docspage renders an OpenAPI document as a page for people.
//
// The page is rendered on the server, when it is first requested, from the document alone. It loads nothing: its
// style and script are inline, and its content security policy allows those two and no others.
package docspage

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"parley/internal/httpapi"
)

//go:embed page
var pageFiles embed.FS

// page is the rendered page.
type page struct {
	html   []byte
	policy httpapi.PagePolicy
}

// Handler returns the handler of the page that shows the document. base is the path of the API, for the examples of
// a document that names no server with a host.
func Handler(doc func() []byte, base string, site httpapi.Site) http.Handler {
	rendered := sync.OnceValues(func() (*page, error) { return renderPage(doc(), base) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := rendered()
		if err != nil {
			httpapi.PagePolicy{}.Set(w.Header(), site.UsesHTTPS(r))
			http.Error(w, "The page could not be made; /openapi.json says the same.", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		p.policy.Set(h, site.UsesHTTPS(r))
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", newETag(p.html))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.html))
	})
}

func newETag(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

func renderPage(doc []byte, base string) (*page, error) {
	var d openDocument
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	style, script, tmpl, err := readPageFiles()
	if err != nil {
		return nil, err
	}
	view := d.newPageView(base)
	view.Style, view.Script = template.CSS(style), template.JS(script) //nolint:gosec // files of ours, embedded
	var b bytes.Buffer
	if err := tmpl.Execute(&b, view); err != nil {
		return nil, fmt.Errorf("render the page: %w", err)
	}
	sources := []string{"style-src " + cspHash(style), "script-src " + cspHash(script), "img-src data:"}
	return &page{b.Bytes(), httpapi.PagePolicy{Sources: sources}}, nil
}

func readPageFiles() (style, script []byte, t *template.Template, err error) {
	if style, err = pageFiles.ReadFile("page/docs.css"); err != nil {
		return nil, nil, nil, err
	}
	if script, err = pageFiles.ReadFile("page/docs.js"); err != nil {
		return nil, nil, nil, err
	}
	t, err = template.New("docs.html").Funcs(template.FuncMap{"prose": renderMarkdown}).ParseFS(pageFiles,
		"page/docs.html")
	return style, script, t, err
}

// cspHash returns the source expression that allows an inline text.
func cspHash(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
