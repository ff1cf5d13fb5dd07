package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/bench/internal/harness"
	"parley/bench/internal/report"
)

// What Vite builds: a first script with the table of the files that each page needs.
var built = fstest.MapFS{
	"index.html": {Data: []byte(`<script src="/console/assets/index-11111111.js"></script>
<link rel="modulepreload" href="/console/assets/shared-22222222.js"><link href="/console/assets/index-33333333.css">`)},
	"assets/index-11111111.js": {Data: []byte("const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[" +
		`"assets/me-44444444.js","assets/shared-22222222.js","assets/table-55555555.js","assets/me-66666666.css"` +
		"])))=>i.map(i=>d[i]);ce(()=>import(`./me-44444444.js`),__vite__mapDeps([0,1,2,3]));" +
		`ce(()=>import("./core.de-77777777.js"),[]);ce(()=>import("./me.de-99999999.js"),[])`)},
	"assets/shared-22222222.js":  {Data: []byte(noise(1, 3000))},
	"assets/index-33333333.css":  {Data: []byte("a{}")},
	"assets/me-44444444.js":      {Data: []byte(noise(2, 2000))},
	"assets/table-55555555.js":   {Data: []byte(noise(3, 4000))},
	"assets/me-66666666.css":     {Data: []byte("b{}")},
	"assets/core.de-77777777.js": {Data: []byte(noise(4, 1000))},
	"assets/me.de-99999999.js":   {Data: []byte(noise(6, 500))},
	"assets/icon-88888888.svg":   {Data: []byte(noise(5, 9000))},
}

// noise is a text that cannot be compressed to less than half.
func noise(seed uint32, size int) string {
	var b strings.Builder
	for range size {
		seed = seed*1664525 + 1013904223
		b.WriteByte(byte(' ' + seed>>24%90))
	}
	return b.String()
}

// A page counts with the files that it shares with others, but without those of the first page.
func TestWeightOfAPageHasWhatItShares(t *testing.T) {
	f, err := readFront(built, []string{"src/locales/de.json", "src/locales/en.json"})
	if err != nil {
		t.Fatal(err)
	}
	page, size := f.heaviestPage()
	want := f.sizes["me-44444444.js"] + f.sizes["table-55555555.js"] + f.sizes["me-66666666.css"]
	if page != "me" || size != want || len(f.pages) != 1 {
		t.Errorf("%s has %v kB, want %v; pages: %v", page, size, want, f.pages)
	}
	texts := f.sizes["core.de-77777777.js"] + f.sizes["me.de-99999999.js"]
	if language, size := f.heaviestCatalog(); language != "de" || size != texts || size < 0.75 {
		t.Errorf("%s has %v kB", language, size)
	}
	if got := len(f.initial); got != 3 {
		t.Errorf("%d first files, want 3", got)
	}
	if _, isCode := f.sizes["icon-88888888.svg"]; isCode {
		t.Error("a picture counts as code")
	}
}

func TestWeightOfNothingIsAnError(t *testing.T) {
	if _, err := readFront(fstest.MapFS{"index.html": {Data: []byte("<html>")}}, nil); err == nil {
		t.Error("a front end without files was measured")
	}
}

// The pages and the server have one origin, since the server refuses requests of another.
func TestBaselineHandsRequestsOn(t *testing.T) {
	var host, path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, path = r.Host, r.URL.Path
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	h, err := newBaseline(at)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(h)
	defer front.Close()
	for path, want := range map[string]string{"/console/bare/": "bare.js", "/console/bare/bare.js": "text-delta",
		"/console/api/v1/session": "{}"} {
		reply, err := http.Get(front.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil || reply.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s %.200s %v", path, reply.Status, body, err)
		}
	}
	if want := strings.TrimPrefix(front.URL, "http://"); host != want || path != "/console/api/v1/session" {
		t.Errorf("the server was asked for %s of %s, want %s", path, host, want)
	}
}

// A script that brought no figure must not pass as one that took no time.
func TestNoFigureIsAMiss(t *testing.T) {
	limit := report.AtMost(300, "ms")
	none := &figures{Baseline: map[string][]float64{"row": {1}}}
	for _, row := range []report.Row{none.comparedRow("rows", "row", .5, &limit),
		none.singleRow("rows", "row", .5, &limit)} {
		if row.Pass == nil || *row.Pass || row.Note == "" {
			t.Errorf("%+v", row)
		}
	}
	some := &figures{Baseline: map[string][]float64{"row": {100, 80}},
		Console: map[string][]float64{"row": {290, 160, 310}}}
	if row := some.comparedRow("rows", "row", .5, &limit); !*row.Pass || *row.Parley != 290 || *row.Baseline != 80 {
		t.Errorf("%+v", row)
	}
	if row := some.comparedRow("rows", "row", .95, &limit); *row.Pass {
		t.Errorf("%+v", row)
	}
}

func TestWorstNamesIt(t *testing.T) {
	if value, name := worst([]float64{1, 3, 2}, []string{"a", "b", "c"}); value != 3 || name != "b" {
		t.Error(value, name)
	}
	if value, name := worst(nil, nil); value != 0 || name != "" {
		t.Error(value, name)
	}
}

// What needs a program that is not there says so, and what must be asked for is not taken without.
func TestPartsThatAreLeftOut(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("PARLEY_CHROMIUM", "")
	w := &webRun{Run: &harness.Run{}, console: t.TempDir()}
	reasons := map[string]string{}
	for _, p := range parts {
		reasons[p.name] = w.lackFor(p)
		if w.isWanted(p) == (p.name == "install") {
			t.Errorf("%s is wanted: %v", p.name, w.isWanted(p))
		}
	}
	if reasons["weight"] != "" || reasons["sign-in"] != "no node on the PATH" ||
		reasons["install"] != "no npm on the PATH" {
		t.Error(reasons)
	}
}

// What the measure of the inbox shows is there: so many conversations, the first of them long, and only the newest are
// those of people.
func TestInboxHasWhatIsMeasured(t *testing.T) {
	f := inboxFill{account: "account", agent: "agent", now: time.Unix(1_800_000_000, 0)}
	for _, i := range []int{0, 1, takenRows - 1, takenRows} {
		f.addConversation(i)
	}
	if got := len(f.conversations) / conversationColumns; got != 4 || len(f.conversations)%conversationColumns != 0 {
		t.Errorf("%d conversations", got)
	}
	if got, want := len(f.messages), (threadMessages+3*2)*messageColumns; got != want {
		t.Errorf("%d values of messages, want %d", got, want)
	}
	if len(f.taken) != 3 {
		t.Errorf("%d conversations are those of people, want 3", len(f.taken))
	}
}
