package widget_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"parley/internal/server"
	"parley/internal/testkit"
	"parley/web"
)

// entryFiles returns the addresses of the files that the chat begins with.
func entryFiles(t *testing.T) (script, style string) {
	t.Helper()
	text, err := fs.ReadFile(web.Widget, "built/widget/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var names map[string]string
	if err := json.Unmarshal(text, &names); err != nil {
		t.Fatal(err)
	}
	return "/__cb/" + names["chat.js"], "/__cb/" + names["chat.css"]
}

const (
	loaderCaching = "public, max-age=300, stale-while-revalidate=86400"
	hashCaching   = "public, max-age=31536000, immutable"
)

// Pages of any site may load the files, and so may a frame that is shut off from its origin.
func TestFilesMayBeLoadedByEverySite(t *testing.T) {
	f := newFixture(t)
	script, style := entryFiles(t)
	for _, c := range []struct {
		path, contentType, caching string
	}{
		{"/embed.min.js", "text/javascript; charset=utf-8", loaderCaching},
		{"/center-stage-embed.min.js", "text/javascript; charset=utf-8", loaderCaching},
		{"/side-panel-embed.min.js", "text/javascript; charset=utf-8", loaderCaching},
		{"/search-embed.min.js", "text/javascript; charset=utf-8", loaderCaching},
		{script, "text/javascript; charset=utf-8", hashCaching},
		{style, "text/css; charset=utf-8", hashCaching},
		{"/__cb/boot/" + f.open + ".js", "text/javascript; charset=utf-8", "private, no-cache"},
	} {
		r := f.get(c.path, "Accept-Encoding", "gzip", "Origin", "null")
		h := r.Header
		if r.StatusCode != http.StatusOK || h.Get("Content-Type") != c.contentType || h.Get("Cache-Control") != c.caching ||
			h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "" {
			t.Errorf("%s: %d %v", c.path, r.StatusCode, h)
		}
		again := f.get(c.path, "Accept-Encoding", "gzip", "Origin", "null", "If-None-Match", h.Get("ETag"))
		if again.StatusCode != http.StatusNotModified || readBody(t, again.Body) != "" {
			t.Errorf("%s, asked again: %d", c.path, again.StatusCode)
		}
		head := f.do(http.MethodHead, "http://parley.example"+c.path)
		if head.StatusCode != http.StatusOK || readBody(t, head.Body) != "" && !strings.HasPrefix(c.path, "/__cb/boot") {
			t.Errorf("HEAD %s: %d", c.path, head.StatusCode)
		}
		if refused := f.do(http.MethodPost, "http://parley.example"+c.path); refused.StatusCode != 405 {
			t.Errorf("POST %s: %d", c.path, refused.StatusCode)
		}
	}
	for _, path := range []string{"/__cb/", "/__cb/x.js", "/__cb/embed.min.js", "/__cb/manifest.json", "/__cb/picture/x",
		"/__cb/picture/" + f.open + "/icon/", "/__cb/..%2Fembed.go"} {
		if r := f.get(path); r.StatusCode != http.StatusNotFound || r.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", path, r.StatusCode, r.Header)
		}
	}
}

// A browser may still have the loader of another build, which knows its module by another name: its chat opens.
func TestLoadersOfOtherBuildsFindTheirModule(t *testing.T) {
	f := newFixture(t)
	for _, module := range []string{"window", "center"} {
		r := f.get("/__cb/" + module + "-00000000.js")
		h := r.Header
		if text := readBody(t, r.Body); r.StatusCode != http.StatusOK || h.Get("Cache-Control") != "no-cache" ||
			h.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(text, "as begin}") {
			t.Errorf("%s: %d %v %.200s", module, r.StatusCode, h, text)
		}
	}
	for _, name := range []string{"window-0000000.js", "window-00000000.css", "form-00000000.js"} {
		if r := f.get("/__cb/" + name); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
}

// A browser that has a page with its policy does not load it again.
func TestPagesAreLoadedOnce(t *testing.T) {
	f := newFixture(t)
	script, style := entryFiles(t)
	for path, mode := range map[string]string{
		"/chatbot-iframe/" + f.open:                  "iframe",
		"/chatbot-iframe/" + f.open + "?mode=bubble": "bubble",
		"/chatbot-iframe/" + f.open + "?mode=stage":  "stage",
		"/chatbot-iframe/" + f.open + "?mode=help":   "iframe",
		"/" + f.open + "/help":                       "help",
	} {
		r := f.get(path)
		page := readBody(t, r.Body)
		for _, part := range []string{`<body data-mode="` + mode + `"><div id="root"></div>`,
			`<script type="application/json" id="config">{"agentId":"` + f.open + `"`} {
			if !strings.Contains(page, part) {
				t.Errorf("%s lacks %s: %s", path, part, page)
			}
		}
		if mode != "help" && (!strings.Contains(page, `<script type="module" src="`+script+`">`) ||
			!strings.Contains(page, `<link rel="stylesheet" href="`+style+`">`)) {
			t.Errorf("%s: %s", path, page)
		}
		if again := f.get(path, "If-None-Match", "\"x\", W/"+r.Header.Get("ETag")); again.StatusCode != 304 ||
			again.Header.Get("Content-Security-Policy") != r.Header.Get("Content-Security-Policy") {
			t.Errorf("%s: %d %v", path, again.StatusCode, again.Header)
		}
		other := f.do(http.MethodGet, "http://other.example"+path, "If-None-Match", r.Header.Get("ETag"))
		if other.StatusCode != http.StatusOK {
			t.Errorf("%s with another policy: %d", path, other.StatusCode)
		}
	}
}

func TestPagesBeginInTheLanguageThatIsAskedFor(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct{ query, accept, want string }{
		{"", "", `lang="en" dir="ltr"`},
		{"", "de-AT, en;q=0.5", `lang="de" dir="ltr"`},
		{"?lang=he", "de", `lang="he" dir="rtl"`},
		{"?lang=%3C", "ar-EG", `lang="ar" dir="rtl"`},
		{"?lang=pt", "", `lang="pt-BR" dir="ltr"`},
		{"?lang=zh-CN", "", `lang="zh-Hans" dir="ltr"`},
		{"?lang=%22%3E%3Cscript", "x;;q=9,\xff", `lang="en" dir="ltr"`},
	} {
		page := readBody(t, f.get("/chatbot-iframe/"+f.open+c.query, "Accept-Language", c.accept).Body)
		if !strings.Contains(page, "<html "+c.want+">") {
			t.Errorf("%+v: %s", c, page)
		}
	}
}

// A dark chat is dark from its beginning, before its script has run.
func TestDarkChatBeginsDark(t *testing.T) {
	f := newFixture(t)
	styles := `{"styles":{"chat":{"theme":"dark"},"centerStage":{"theme":"light"}}}`
	if r := f.server.Do(f, http.MethodPut, "/agents/"+f.open+"/styles", f.server.Key, styles); r.Status != 200 {
		t.Fatalf("%s", r.Body)
	}
	for path, isDark := range map[string]bool{
		"/chatbot-iframe/" + f.open:                  true,
		"/chatbot-iframe/" + f.open + "?mode=bubble": true,
		"/chatbot-iframe/" + f.open + "?mode=stage":  false,
		"/" + f.open + "/help":                       true,
		"/chatbot-iframe/" + f.shop:                  false,
	} {
		page := readBody(t, f.get(path).Body)
		if strings.Contains(page, `<html lang="en" dir="ltr" data-theme="dark">`) != isDark {
			t.Errorf("%s: %s", path, page)
		}
	}
}

// The paths of the pages take nothing from others, and none is on the host of the console.
func TestPagesTakeNoPathOfOthers(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"/help", "/help/x", "/short/help", "/" + f.open, "/" + f.open + "/helper",
		"/" + f.open + "x/help", "/api/v2/" + f.open + "/help", "/chatbot-iframe", "/embed.min.js/", "/__cb"} {
		r := f.get(path)
		if body := readBody(t, r.Body); r.StatusCode != http.StatusNotFound || !strings.Contains(body, `"NOT_FOUND"`) {
			t.Errorf("%s: %d %s", path, r.StatusCode, body)
		}
	}
	g := newFixture(t, testkit.WithConfig(func(c *server.Config) { c.ConsoleURL = "https://desk.example" }))
	script, _ := entryFiles(t)
	for _, path := range []string{"/embed.min.js", script, "/__cb/boot/" + g.open + ".js", "/chatbot-iframe/" + g.open,
		"/" + g.open + "/help", "/help/" + g.open} {
		if r := g.do(http.MethodGet, "https://desk.example"+path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s on the console's host: %d", path, r.StatusCode)
		}
		if r := g.get(path); r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	if r := g.get("/console/"); r.StatusCode != http.StatusNotFound {
		t.Errorf("the console on another host: %d", r.StatusCode)
	}
}
