package actions_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/vault"
)

// receivedRequest is a request that a service received.
type receivedRequest struct {
	line, body string
	header     http.Header
}

// startService starts a server that responds with answer and records its requests.
func startService(t testing.TB, answer http.HandlerFunc) (address string, last func() receivedRequest) {
	t.Helper()
	all := make(chan receivedRequest, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all <- receivedRequest{r.Method + " " + r.RequestURI, readAll(r.Body), r.Header}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() receivedRequest {
		select {
		case h := <-all:
			return h
		default:
			return receivedRequest{}
		}
	}
}

func respondWith(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const jsonType = "application/json"

func TestRequestsFollowTheirDefinition(t *testing.T) {
	b := newSQLiteToolbox(t)
	address, last := startService(t, respondWith(200, jsonType, `{"ok":true}`))
	b.putAction(parley.ActionHTTP, "order", `{"method":"PUT","url":"`+address+
		`/orders/{id}/x?a={note}&k=${KEY}","headers":{"Authorization":"Bearer ${KEY}","X-Note":"{note}"},
		"query":{"q":"n {note}","gone":"{maybe}"},"body":{"id":"{id}","count":"{count}","text":"{note} and ${KEY}",`+
		`"list":["{maybe}"],"left":"{maybe}"}}`,
		map[string]string{"KEY": "s&cret/1"}, textInput("id", true), textInput("note", false),
		textInput("maybe", false), parley.ActionInput{Name: "count", Type: "integer"})
	b.wantData("order", `{"id":"a/../b?c#d","note":"\"x\" ${KEY} {id} &","count":"3"}`, `{"ok":true}`)
	got := last()
	if want := "PUT " +
		"/orders/a%2F..%2Fb%3Fc%23d/x?a=%22x%22+%24%7BKEY%7D+%7Bid%7D+%26" +
		"&k=s%26cret%2F1&q=n+%22x%22+%24%7BKEY%7D+%7Bid%7D+%26"; got.line != want {
		t.Errorf("got  %s\nwant %s", got.line, want)
	}
	if want := `{"count":3,"id":"a/../b?c#d","list":[null],"text":"\"x\" ${KEY} {id} \u0026 and ` +
		`s\u0026cret/1"}`; got.body != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
	if h := got.header; h.Get("Authorization") != "Bearer s&cret/1" || h.Get("X-Note") != `"x" ${KEY} {id} &` ||
		h.Get("Content-Type") != jsonType {
		t.Error(h)
	}
	for _, segment := range []string{"..", "."} {
		b.wantError("order", `{"id":"`+segment+`"}`, "cannot stand in the path")
	}
	b.wantError("order", `{"id":"x","note":"a\r\nX-Evil: 1"}`, "header X-Note")
	b.wantError("order", `{"id":"x","count":"many"}`, "count must be an integer")
	if got := last(); got.line != "" {
		t.Error("sent all the same:", got.line)
	}
}

func TestRepliesForTheModel(t *testing.T) {
	b := newSQLiteToolbox(t)
	for i, c := range []struct {
		answer       http.HandlerFunc
		config, want string // want begins with ! for an error
	}{
		{respondWith(200, jsonType, ` {"a":1.50,"b":[{"c":"x","d":1}]} `), ``, `{"a":1.50,"b":[{"c":"x","d":1}]}`},
		{respondWith(200, "text/plain", `{"a":1}`), ``, `{"a":1}`},
		{respondWith(200, jsonType, `{"a":1,"b":[{"c":"x","d":1}]}`), `,"response":["b[].c"]`, `{"b":[{"c":"x"}]}`},
		{respondWith(200, jsonType, `{"a":1}`), `,"response":["z"]`, `{}`},
		{respondWith(201, "text/html", "<p>hi</p>\x00\xff"), ``, `{"text":"\u003cp\u003ehi\u003c/p\u003e` + "\uFFFD" + `"}`},
		{respondWith(200, "text/html", "<p>hi</p>"), `,"response":["z"]`, `!the service's reply is not JSON`},
		{respondWith(200, jsonType, `{"a":`), ``, `{"text":"{\"a\":"}`},
		{respondWith(204, jsonType, ``), ``, ``},
		{respondWith(404, jsonType, `{"error":{"message":"no  such\norder"},"trace":"x"}`), ``,
			`!the service answered 404 (Not Found): no such order`},
		{respondWith(500, jsonType, `{"message":"internal 10.0.0.7"}`), `,"response":["status"]`,
			`!the service answered 500 (Internal Server Error)`},
		{respondWith(503, "text/html", `<h1>down</h1>`), ``, `!the service answered 503 (Service Unavailable)`},
		{respondWith(304, jsonType, ``), ``, `!the service answered 304 (Not Modified)`},
		{respondWith(200, jsonType, `{"a":"`+strings.Repeat("x", 17<<10)+`"}`), ``,
			`!the service's reply is larger than 16 kB: pick`},
		{respondWith(200, jsonType, `{"a":"`+strings.Repeat("x", 17<<10)+`","b":1}`), `,"response":["b"]`, `{"b":1}`},
		{respondWith(200, jsonType, `{"a":"`+strings.Repeat("x", 3<<20)+`","b":1}`), `,"response":["b"]`,
			`!the service's reply is too large`},
		{respondWith(200, jsonType, `{"said":"my s&cret/1 and s%26cret%2F1","s&cret/1":[1]}`), ``,
			`{"***":[1],"said":"my *** and ***"}`},
		{respondWith(200, "text/plain", `k=s&cret/1`), ``, `{"text":"k=***"}`},
		{respondWith(401, jsonType, `{"error":"bad key s&cret/1"}`), ``,
			`!the service answered 401 (Unauthorized): bad key ***`},
	} {
		address, _ := startService(t, c.answer)
		name := fmt.Sprint("t", i)
		b.putAction(parley.ActionHTTP, name, `{"url":"`+address+`/?k=${KEY}"`+c.config+`}`,
			map[string]string{"KEY": "s&cret/1"})
		if reason, isError := strings.CutPrefix(c.want, "!"); isError {
			b.wantError(name, `{}`, reason)
		} else {
			b.wantData(name, `{}`, c.want)
		}
	}
	if strings.Contains(b.log.String(), "cret") {
		t.Error(b.log)
	}
}

func TestUnreachableServices(t *testing.T) {
	b := newSQLiteToolbox(t)
	b.putAction(parley.ActionHTTP, "metadata", `{"url":"http://169.254.169.254/latest?k=${KEY}"}`,
		map[string]string{"KEY": "s3cret"})
	b.putAction(parley.ActionHTTP, "gone", `{"url":"http://127.0.0.1:1/?k=${KEY}"}`,
		map[string]string{"KEY": "s3cret"})
	b.wantError("metadata", `{}`, "the service could not be reached") // the reason is not shown to the customer
	b.wantError("gone", `{}`, "the service could not be reached")
	release := make(chan struct{})
	address, _ := startService(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	b.putAction(parley.ActionHTTP, "slow", `{"url":"`+address+`","timeout":0.1}`, nil)
	b.wantError("slow", `{}`, "the service took too long")
	for _, tool := range b.loadTools() {
		if tool.Name == "slow" && tool.Timeout < 200*time.Millisecond {
			t.Error("the turn times out before the action fails:", tool.Timeout)
		}
	}
	if strings.Contains(b.log.String(), "s3cret") || !strings.Contains(b.log.String(), "level=WARN") {
		t.Error(b.log)
	}
}

func TestUnreadableSecrets(t *testing.T) {
	b := newSQLiteToolbox(t)
	address, last := startService(t, respondWith(200, jsonType, `{}`))
	b.putAction(parley.ActionHTTP, "sealed", `{"url":"`+address+`/?k=${KEY}"}`, map[string]string{"KEY": "s3cret"})
	b.putAction(parley.ActionHTTP, "lacking", `{"url":"`+address+`/?k=${KEY}&l=${OTHER}"}`,
		map[string]string{"KEY": "s3cret"})
	b.wantError("lacking", `{}`, "the secret OTHER was not given")
	stored, err := b.DB.Actions(b, b.account.AgentRef(b.agent))
	b.Must(err)
	if raw, _ := json.Marshal(stored); strings.Contains(string(raw), "s3cret") {
		t.Errorf("stored in the clear: %s", raw)
	}
	b.Vault, err = vault.New("another key of sixteen bytes")
	b.Must(err)
	b.wantError("sealed", `{}`, "the secret cannot be opened with this PARLEY_SECRET_KEY")
	b.Vault, err = vault.New("")
	b.Must(err)
	b.wantError("sealed", `{}`, "the server has no PARLEY_SECRET_KEY")
	if _, err := actions.SealSecrets(b.Vault, b.account, map[string]string{"A": "b"}); !parley.IsCode(err,
		parley.CodeInvalidBody) {
		t.Error(err)
	}
	if got := last(); got.line != "" {
		t.Error("sent without its secret:", got.line)
	}
}

func TestWebSearch(t *testing.T) {
	b := newSQLiteToolbox(t)
	results := `{"results":[{"title":"A\n b","url":"https://docs.example.com/a","content":"one"},{"title":"evil",` +
		`"url":"https://docs.example.com.evil.example/"},
		{"title":"script","url":"javascript:alert(1)"},{"title":"B","url":"http://x.docs.example.com/b","content":"two"},` +
		`{"title":"C","url":"https://c.example/"},
		{"title":"D","url":"https://d.example/"},{"title":"E","url":"https://e.example/"},{"title":"F",` +
		`"url":"https://f.example/"}]}`
	address, last := startService(t, respondWith(200, jsonType, results))
	var err error
	b.Search, err = actions.NewWebSearch(address + "/search?language=en")
	b.Must(err)
	b.putAction(parley.ActionWebSearch, "docs", `{"sites":["docs.example.com","other.example"]}`, nil)
	b.putAction(parley.ActionWebSearch, "web", `{}`, nil)
	b.wantData("docs", `{"query":"how & why"}`,
		`{"results":[{"title":"A b","url":"https://docs.example.com/a","snippet":"one"},{"title":"B",`+
			`"url":"http://x.docs.example.com/b","snippet":"two"}]}`)
	if got, want := last().line,
		"GET /search?format=json&language=en&q=how+%26+why+%28site%3Adocs.example.com+"+
			"OR+site%3Aother.example%29"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var found struct{ Results []actions.SearchResult }
	if out := b.callTool("web", `{"query":"x"}`); json.Unmarshal(out.Data, &found) != nil || len(found.Results) != 5 {
		t.Errorf("%+v", out)
	}
	b.wantError("web", `{}`, "query is required")
	broken, _ := startService(t, respondWith(200, "text/html", "<html>"))
	b.Search, err = actions.NewWebSearch(broken)
	b.Must(err)
	b.putAction(parley.ActionWebSearch, "web", `{}`, nil)
	b.wantError("web", `{"query":"x"}`, "the service could not be reached")
	for _, bad := range []string{"searxng", "ftp://a.example/", "http://u:p@a.example/", "http://"} {
		if _, err := actions.NewWebSearch(bad); err == nil {
			t.Errorf("%q is taken for an engine", bad)
		}
	}
}
