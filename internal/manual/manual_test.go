package manual

import (
	"flag"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/docs"
	"parley/internal/httpapi"
)

var update = flag.Bool("update", false, "rewrite the golden page")

func get(t *testing.T, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, r)
	return w
}

var pages = New("1.2.3", httpapi.Site{URL: "http://parley.example"})

// paths lists all pages.
func paths() []string {
	all := []string{Path}
	for _, g := range contents {
		for _, name := range g.names {
			all = append(all, chapterPath(name))
		}
	}
	return all
}

func TestContentsHaveEveryPageOnce(t *testing.T) {
	files, err := fs.Glob(docs.Manual, "manual/*.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"performance", "quality"}
	for _, file := range files {
		want = append(want, strings.TrimSuffix(path.Base(file), ".md"))
	}
	var got []string
	for _, g := range contents {
		got = append(got, g.names...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the table of contents has\n%v, the folders\n%v", got, want)
	}
}

// page is what a test reads of a page.
type page struct {
	ids   map[string]bool
	links []string // and forms
	loads []string // what a browser would ask for by itself
	bad   []string // what the policy forbids
}

func readPage(t *testing.T, body string) *page {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	p := &page{ids: map[string]bool{}}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" || n.Data == "style" || n.Data == "img" || n.Data == "iframe" {
			p.bad = append(p.bad, n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" && p.ids[a.Val]:
				t.Errorf("the id %s is there twice", a.Val)
			case a.Key == "id":
				p.ids[a.Val] = true
			case n.Data == "link" && a.Key == "href":
				p.loads = append(p.loads, a.Val)
			case a.Key == "href", a.Key == "action":
				p.links = append(p.links, a.Val)
			case a.Key == "style", a.Key == "src", strings.HasPrefix(a.Key, "on"):
				p.bad = append(p.bad, a.Key)
			}
		}
	}
	return p
}

func TestEveryLinkAndAnchorLeadsSomewhere(t *testing.T) {
	all := map[string]*page{}
	for _, path := range paths() {
		w := get(t, path)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, w.Code)
		}
		all[path] = readPage(t, w.Body.String())
		if strings.Contains(w.Body.String(), "raw HTML omitted") {
			t.Errorf("%s has HTML", path)
		}
	}
	outside := []string{"/console/", "/docs"}
	for from, p := range all {
		for _, link := range p.links {
			if strings.HasPrefix(link, "https://") || slices.Contains(outside, link) {
				continue
			}
			target, id, _ := strings.Cut(link, "#")
			if target == "" {
				target = from
			}
			if to := all[target]; to == nil || id != "" && !to.ids[id] {
				t.Errorf("%s: the link to %s leads nowhere", from, link)
			}
		}
		for _, load := range p.loads {
			if load != "data:," && get(t, load).Code != http.StatusOK {
				t.Errorf("%s loads %s", from, load)
			}
		}
		if len(p.bad) > 0 {
			t.Errorf("%s has %v", from, p.bad)
		}
	}
}

// TestEveryHeadingIsReachable checks that each heading of the files has an anchor that the page itself lists.
func TestEveryHeadingIsReachable(t *testing.T) {
	e, err := pages.load()
	if err != nil {
		t.Fatal(err)
	}
	heading, fence := regexp.MustCompile("^#{2,6} "), "```"
	for _, c := range e.chapters {
		source, err := docs.Manual.ReadFile("manual/" + c.Name + ".md")
		if err != nil {
			source, err = docs.Measured.ReadFile(c.Name + ".md")
		}
		if err != nil {
			t.Fatal(err)
		}
		inCode, count := false, 0
		for line := range strings.Lines(string(source)) {
			if strings.HasPrefix(strings.TrimSpace(line), fence) {
				inCode = !inCode
			} else if !inCode && heading.MatchString(line) {
				count++
			}
		}
		p := readPage(t, get(t, c.Path()).Body.String())
		anchors := 0
		for id := range p.ids {
			if slices.Contains(p.links, "#"+id) && id != "content" {
				anchors++
			}
		}
		if c.Title == "" || anchors != count || len(c.sections) != count+1 {
			t.Errorf("%s: %q, %d headings, %d anchors, %d sections", c.Name, c.Title, count, anchors, len(c.sections))
		}
	}
}

const contentSecurity = "default-src 'none'; style-src 'self'; img-src data:; " +
	"form-action http://example.com/docs/manual http://parley.example/docs/manual; worker-src 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func TestHeaders(t *testing.T) {
	e, err := pages.load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path        string
		status      int
		contentType string
		cache       string
	}{
		{Path, 200, contentTypeHTML, "no-cache"},
		{Path + "/sources", 200, contentTypeHTML, "no-cache"},
		{Path + "/sources.md", 303, contentTypeHTML, "no-cache"},
		{Path + "/", 303, contentTypeHTML, "no-cache"},
		{Path + "?q=backup", 200, contentTypeHTML, "no-cache"},
		{Path + "/nothing", 404, contentTypeHTML, "no-cache"},
		{Path + "/a/b", 404, contentTypeHTML, "no-cache"},
		{e.style, 200, contentTypeCSS, immutable},
	} {
		w := get(t, c.path)
		h := w.Result().Header
		if w.Code != c.status || h.Get("Content-Type") != c.contentType || h.Get("Cache-Control") != c.cache {
			t.Errorf("%s: %d %v", c.path, w.Code, h)
		}
		if h.Get("Content-Security-Policy") != contentSecurity || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cross-Origin-Opener-Policy") != "same-origin-allow-popups" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", c.path, h)
		}
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, Path, nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	w = get(t, Path+"/sources", "Accept-Encoding", "gzip")
	again := get(t, Path+"/sources", "Accept-Encoding", "gzip", "If-None-Match", w.Header().Get("ETag"))
	if again.Code != http.StatusNotModified {
		t.Errorf("asked again: %d", again.Code)
	}
}

func TestSearch(t *testing.T) {
	e, err := pages.load()
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"playground":                 Path + "/playground",
		"How do I upload a file?":    Path + "/sources#how-do-i-upload-a-file",
		"PARLEY_SETUP_TOKEN":         Path + "/signing-in#how-does-the-first-person-get-in",
		"robots.txt":                 Path + "/sources#does-parley-respect-robotstxt",
		"who may do what":            Path + "/console#who-may-do-what-in-the-console",
		"passkeys and recovery code": Path + "/signing-in#what-are-passkeys-and-recovery-codes",
		"zzzz":                       "",
		"":                           "",
	} {
		hits := e.search(query)
		if want == "" && len(hits) == 0 {
			continue
		}
		if len(hits) == 0 || !slices.ContainsFunc(hits[:min(3, len(hits))], func(h hit) bool { return h.Path() == want }) {
			t.Errorf("%q: %+v", query, hits)
		}
	}
}

func TestWhatIsTypedIsText(t *testing.T) {
	const typed = `"><script>alert(1)</script>`
	for _, path := range []string{Path + "?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
		Path + "/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E"} {
		body := get(t, path).Body.String()
		if strings.Contains(body, "<script") || len(readPage(t, body).bad) > 0 {
			t.Errorf("%s: %s", path, body)
		}
		if !strings.Contains(html.UnescapeString(body), typed) {
			t.Errorf("%s: it is not shown", path)
		}
	}
	if body := get(t, Path+"?q="+strings.Repeat("%C3%A4", 500)).Body.String(); strings.Count(body, "ä") > 300 {
		t.Error("a long text is repeated as a whole")
	}
}

func TestGoldenPage(t *testing.T) {
	const file = "testdata/search.html"
	got := get(t, Path+"/search").Body.String()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	style := regexp.MustCompile(`manual-[\w-]{8}\.css`)
	if style.ReplaceAllString(got, "") != style.ReplaceAllString(string(want), "") {
		t.Errorf("%s is not what is served: run the test with -update and read the difference", file)
	}
}
