package v2_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"parley/internal/api/v2"
)

func getDocsPage(t *testing.T) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	v2.New(v2.Config{BaseURL: "https://parley.example"}).ServeHTTP(w,
		httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/docs", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

// TestDocsPageShowsEveryOperation: what the document says stands on the page.
func TestDocsPageShowsEveryOperation(t *testing.T) {
	resp, page := getDocsPage(t)
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	var doc struct {
		Paths      map[string]map[string]documentedOperation
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(fetchDocument(t), &doc); err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths {
		for method, op := range item {
			for _, want := range []string{`<article id="` + op.OperationID + `"`, `href="#` + op.OperationID + `"`,
				"<code>" + path + "</code>", strings.ToUpper(method)} {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %s", want)
				}
			}
		}
	}
	for name := range doc.Components.Schemas {
		if !strings.Contains(page, `<article id="shape-`+name+`"`) {
			t.Errorf("the page lacks the shape %s", name)
		}
	}
}

// TestDocsPageStandsAlone: it loads nothing, links lead to what is on it, and only its own script may run.
func TestDocsPageStandsAlone(t *testing.T) {
	resp, page := getDocsPage(t)
	policy := resp.Header.Get("Content-Security-Policy")
	for _, tag := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d times %s", len(found), tag)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not allow the %s (%s)", policy, tag, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	for _, m := range regexp.MustCompile(` (?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		id, inside := strings.CutPrefix(m[1], "#")
		switch {
		case inside && !strings.Contains(page, ` id="`+id+`"`):
			t.Errorf("the link to #%s leads nowhere", id)
		case !inside && m[1] != "/openapi.json" && m[1] != "data:,":
			t.Errorf("the page asks for %s", m[1])
		}
	}
	if m := regexp.MustCompile(` (?:style|on\w+)="`).FindString(page); m != "" {
		t.Errorf("the page has an attribute that its policy forbids: %s", m)
	}
}

// TestDocsPageIsKeptByBrowsers: an unchanged page is not sent again.
func TestDocsPageIsKeptByBrowsers(t *testing.T) {
	resp, _ := getDocsPage(t)
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/docs", nil)
	r.Header.Set("If-None-Match", resp.Header.Get("ETag"))
	w := httptest.NewRecorder()
	v2.New(v2.Config{BaseURL: "https://parley.example"}).ServeHTTP(w, r)
	if w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
	}
}

// TestDocsPageShowsUploads: an operation that takes files shows both of its bodies, each with a request.
func TestDocsPageShowsUploads(t *testing.T) {
	_, page := getDocsPage(t)
	for _, id := range []string{"createSource", "updateSource"} {
		_, rest, _ := strings.Cut(page, `<article id="`+id+`"`)
		article, _, _ := strings.Cut(rest, "</article>")
		for _, want := range []string{"<small>application/json</small>", "<small>multipart/form-data</small>",
			"<code>file</code>", "-F name=Handbook -F file=@handbook.pdf", " -d &#39;{"} {
			if !strings.Contains(article, want) {
				t.Errorf("%s lacks %q", id, want)
			}
		}
	}
}
