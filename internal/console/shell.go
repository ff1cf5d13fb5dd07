// Package console serves the console, in which the people of a company run their agents: the page with its files, which
// hold no data and are the same for everybody.
package console

import (
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"parley/internal/httpapi"
	"parley/web"
)

// Paths of the console. What is below apiPath is not the shell's.
const (
	basePath   = "/console/"
	assetsPath = basePath + "assets/"
	apiPath    = basePath + "api"
)

const (
	builtFolder = "built/console"
	indexName   = "index.html"
)

// Shell serves the page and its files.
type Shell struct {
	site   httpapi.Site
	policy httpapi.PagePolicy
	files  map[string]func() *httpapi.StaticFile // by their names below basePath
}

// NewShell returns the shell of a console that is reached at a site. pagesURL is the address of the server where it is
// another one than the console's: there are the chats that the console shows.
func NewShell(site httpapi.Site, pagesURL string) (*Shell, error) {
	files, err := loadAssets()
	if err != nil {
		return nil, fmt.Errorf("read the console: %w", err)
	}
	return &Shell{site: site, policy: pagePolicy(pagesURL), files: files}, nil
}

// Serves reports whether a request is the shell's: for the console, or from a browser for the server's root.
func (s *Shell) Serves(r *http.Request) bool {
	p := r.URL.Path
	if p == "/" {
		return isRead(r) && acceptsHTML(r)
	}
	isAPI := p == apiPath || strings.HasPrefix(p, apiPath+"/")
	return p == strings.TrimSuffix(basePath, "/") || strings.HasPrefix(p, basePath) && !isAPI
}

func (s *Shell) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	s.policy.Set(h, s.site.UsesHTTPS(r))
	switch p := r.URL.Path; {
	case !isRead(r):
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD are known here.", http.StatusMethodNotAllowed)
	case !strings.HasPrefix(p, basePath):
		s.redirect(w, r)
	case s.files[indexName] == nil:
		http.Error(w, "This build of Parley has no console.", http.StatusNotFound)
	case s.files[strings.TrimPrefix(p, basePath)] != nil:
		s.files[strings.TrimPrefix(p, basePath)]().ServeHTTP(w, r)
	case strings.HasPrefix(p, assetsPath):
		h.Set("Cache-Control", "no-cache") // a page of another version asks for it
		http.Error(w, "There is no such file.", http.StatusNotFound)
	default:
		s.files[indexName]().ServeHTTP(w, r)
	}
}

// redirect leads to the console. At the root the answer depends on what the client accepts.
func (s *Shell) redirect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Cache-Control", "no-cache")
	http.Redirect(w, r, basePath, http.StatusSeeOther)
}

func isRead(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// acceptsHTML reports whether the client asks for HTML by name, as browsers do. Clients of the API accept anything or
// JSON.
func acceptsHTML(r *http.Request) bool {
	for _, accept := range r.Header.Values("Accept") {
		for offer := range strings.SplitSeq(accept, ",") {
			name, _, _ := strings.Cut(offer, ";")
			if strings.EqualFold(strings.TrimSpace(name), "text/html") {
				return true
			}
		}
	}
	return false
}

// contentTypes are those of the files that a build has.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// loadAssets finds the files, once in a process. Each is read and compressed when it is first asked for.
var loadAssets = sync.OnceValues(func() (map[string]func() *httpapi.StaticFile, error) {
	files := map[string]func() *httpapi.StaticFile{}
	err := fs.WalkDir(web.Console, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below := strings.TrimPrefix(name, builtFolder+"/")
		if contentTypes[path.Ext(name)] == "" {
			return fmt.Errorf("%s: the content type is not known", name)
		}
		files[below] = sync.OnceValue(func() *httpapi.StaticFile {
			content, _ := fs.ReadFile(web.Console, name) // the program holds it
			return newAsset(below, content)
		})
		return nil
	})
	return files, err
})

func newAsset(name string, content []byte) *httpapi.StaticFile {
	cacheControl := "no-cache"
	if strings.HasPrefix(basePath+name, assetsPath) {
		cacheControl = "public, max-age=31536000, immutable" // its name has a hash of it
	}
	return httpapi.NewStaticFile(contentTypes[path.Ext(name)], cacheControl, content)
}
