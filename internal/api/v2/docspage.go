package v2

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
)

// The page for people at /docs is made from the OpenAPI document alone, on the server, when it is first asked for. It loads
// nothing: style and script stand in it, and its policy allows those two and no others.

//go:embed page
var pageFiles embed.FS

// getDocsPage is the rendered page and what may run in it.
type docsPage struct {
	html   []byte
	policy string
}

// newDocsHandler returns the handler of the page that shows the document doc.
func newDocsHandler(doc func() []byte) http.Handler {
	page := sync.OnceValues(func() (*docsPage, error) { return renderPage(doc()) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := page()
		if err != nil {
			http.Error(w, "The page could not be made; /openapi.json says the same.", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", p.policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", newETag(p.html))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.html))
	})
}

func newETag(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

func renderPage(doc []byte) (*docsPage, error) {
	var d openDocument
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	style, script, t, err := readPageFiles()
	if err != nil {
		return nil, err
	}
	view := d.newPageView()
	view.Style, view.Script = template.CSS(style), template.JS(script) //nolint:gosec // files of ours, embedded
	var b bytes.Buffer
	if err := t.Execute(&b, view); err != nil {
		return nil, fmt.Errorf("render the page: %w", err)
	}
	policy := "default-src 'none'; style-src " + cspHash(style) + "; script-src " + cspHash(script) +
		"; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return &docsPage{b.Bytes(), policy}, nil
}

func readPageFiles() (style, script []byte, t *template.Template, err error) {
	if style, err = pageFiles.ReadFile("page/docs.css"); err != nil {
		return nil, nil, nil, err
	}
	if script, err = pageFiles.ReadFile("page/docs.js"); err != nil {
		return nil, nil, nil, err
	}
	t, err = template.New("docs.html").Funcs(template.FuncMap{"prose": renderMarkdown}).ParseFS(pageFiles, "page/docs.html")
	return style, script, t, err
}

// cspHash names an inline text for the policy.
func cspHash(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
