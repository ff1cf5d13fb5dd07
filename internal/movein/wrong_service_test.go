package movein_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
)

const (
	onePage   = `{"data":[%s],"pagination":{"cursor":null,"hasMore":false,"total":1}}`
	oneAgent  = `{"id":"5QHA6VB-DIAbBhxwqxfdi","name":"Ann","model":"gpt-99","temp":7,"styles":{"chat":3}}`
	emptyPage = `{"data":[],"pagination":{"cursor":null,"hasMore":false,"total":0}}`
)

// answerWith returns a handler that answers everything with a status and a text.
func answerWith(status int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// inList returns a handler with one agent without sources, whose conversations another handler answers.
func inList(conversations http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/agents"):
			fmt.Fprintf(w, onePage, oneAgent)
		case strings.HasSuffix(r.URL.Path, "/sources"):
			fmt.Fprint(w, emptyPage)
		default:
			conversations(w, r)
		}
	}
}

// cursors returns a handler of pages without an end.
func cursors(next func(cursor string) string, item string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":[%s],"pagination":{"cursor":%q,"hasMore":true}}`, item, next(r.URL.Query().Get("cursor")))
	}
}

var circle = map[string]string{"": "a", "a": "b", "b": "c", "c": "a"}

func askToWait(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "7200")
	w.WriteHeader(http.StatusTooManyRequests)
}

// endless answers with more bytes than are taken.
func endless(w http.ResponseWriter, _ *http.Request) {
	block := []byte(strings.Repeat(`{"data":[`, 1<<17))
	for range 80 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func TestWrongServicesAreToldClearly(t *testing.T) {
	mt := openMoveTest(t)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a web page":      {answerWith(200, "text/html", "<!doctype html><p>Hi"), "url: answers 200 with a web page"},
		"a lost web page": {answerWith(404, "text/html", "<p>Not found"), "url: answers 404 with a web page"},
		"other JSON":      {answerWith(200, "", `{"ok":true}`), "url: answers 200 with something that is no page"},
		"nothing":         {answerWith(200, "", ""), "url: answers 200 with nothing"},
		"depth": {answerWith(200, "application/json", `{"data":`+strings.Repeat("[", 1<<20)),
			"url: answers 200 with something that is no page"},
		"a wrong key": {answerWith(401, "application/json", `{"error":{"code":"AUTH_INVALID_API_KEY","message":"no `+
			mt.from.Key+`"}}`), "key: is refused by the service with 401 AUTH_INVALID_API_KEY: no ***"},
		"a plan without an interface": {answerWith(403, "application/json",
			`{"error":{"code":"SUBSCRIPTION_API_RESTRICTED_PLAN","message":"Pay."}}`),
			"key: is refused by the service with 403"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.2:1/", http.StatusFound)
		}, "url: leads to http://127.0.0.2:1/"},
		"failures":    {answerWith(500, "text/plain", "no"), "url: answers 500; nothing is lost"},
		"a long wait": {askToWait, "asks to wait for 2h0m0s"},
		"endless":     {endless, "url: sends a page of a list that is larger"},
		"a huge item": {inList(endless), "url: sends a page of a list that is larger"},
		"no agent id": {answerWith(200, "", fmt.Sprintf(onePage, `{"name":"x"}`)), "url: lists an agent without a usable id"},
		"one cursor":  {inList(cursors(func(string) string { return "a" }, "")), "url: sends a list that does not end"},
		"three cursors": {inList(cursors(func(c string) string { return circle[c] }, "")),
			"url: sends a list that does not end"},
		"new cursors": {inList(cursors(func(string) string { return parley.NewUUID() }, "")),
			"url: sends a list that does not end"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			mt := *mt
			mt.t = t
			err := mt.failingMoveIn(server.URL)
			text := fmt.Sprint(err, parley.AsError(err).Details)
			details := ""
			for field, text := range parley.AsError(err).Details {
				details += field + ": " + text
			}
			if !parley.IsCode(err, parley.CodeInvalidBody) || !strings.Contains(details, c.want) || len(details) > 1000 {
				t.Errorf("it fails with %s, want %q", text, c.want)
			}
			if strings.Contains(text, mt.from.Key) {
				t.Error("the failure tells the key:", text)
			}
		})
	}
}

// failingMoveIn takes steps until one fails.
func (mt *moveTest) failingMoveIn(url string) error {
	mt.t.Helper()
	for range 5000 {
		state, err := mt.step(mt.t.Context(), url, false)
		if err != nil {
			return err
		}
		if state.Done {
			mt.t.Fatalf("it succeeds: %+v", state)
		}
		mt.clock.Advance(time.Duration(state.WaitMillis) * time.Millisecond)
	}
	mt.t.Fatal("it goes on and on")
	return nil
}

// What cannot be taken over is named, and everything else is there.
func TestWhatIsWrongIsLeftOut(t *testing.T) {
	mt := openMoveTest(t)
	good := `{"id":"01900000-0000-7000-8000-00000000000a","title":null,"createdAt":1700000000.5,"updatedAt":1700000001,` +
		`"userId":null,"status":"paused","source":"Telepathy","embedOrigin":null,"later":{},"messages":[` +
		`{"id":"` + strings.Repeat("x", 5000) + `","role":"user","createdAt":1700000000,"parts":[{"type":"text",` +
		`"text":"nul \u0000 and more"},{"type":"hologram"}]},{"id":"m","role":"assistant","parts":[],"createdAt":"soon"}]}`
	list := []string{strings.Replace(good, `"createdAt":"soon"`, `"createdAt":1700000001`, 1), good, `3`, `{"id":7}`,
		`{"id":"01900000-0000-7000-8000-00000000000b","createdAt":-1}`,
		`{"id":"not a uuid","createdAt":1700000000,"updatedAt":1700000000,"messages":[]}`}
	server := httptest.NewServer(inList(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, onePage, strings.Join(list, ","))
	}))
	defer server.Close()
	state := mt.moveIn(server.URL)
	if state.Conversations != 2 || state.Agents != 1 {
		t.Errorf("%+v", state)
	}
	all := ""
	for _, l := range state.LeftOut {
		all += l.Kind + " " + l.Name + ": " + l.Reason + "\n"
	}
	for _, want := range []string{"setting model: ", "setting temp: ",
		"conversation 01900000-0000-7000-8000-00000000000b: has no usable time", "is not written as the interface says"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not said:\n%s", want, all)
		}
	}
	var page struct {
		Data []struct{ Source, Status string }
	}
	mt.to.Do(t, "GET", "/agents/5QHA6VB-DIAbBhxwqxfdi/conversations/export", mt.to.Key, nil).Decode(t, 200, &page)
	if len(page.Data) != 2 || page.Data[0].Source+page.Data[0].Status != "Unspecifiedongoing" {
		t.Errorf("%+v", page.Data)
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	mt := openMoveTest(t)
	for _, url := range []string{"shop.example", "ftp://shop.example", "https://", "https://a:b@shop.example",
		"https://shop.example/api/v2?key=1", "http://127.0.0.1:1", "://"} {
		if err := mt.failingMoveIn(url); !parley.IsCode(err, parley.CodeInvalidBody) ||
			parley.AsError(err).Details["url"] == "" {
			t.Errorf("%s fails with %v", url, err)
		}
	}
	_, err := admin.RunOn(t.Context(), mt.to.AdminService, admin.MoveIn, admin.MoveInRequest{AccountID: "x",
		URL: mt.from.URL, Key: mt.from.Key})
	if !parley.IsCode(err, parley.CodeAccountNotFound) {
		t.Error(err)
	}
}

// A run is in the audit log once, also where the list of agents is read from its beginning again.
func TestARunIsRecordedOnce(t *testing.T) {
	mt := openMoveTest(t)
	var isRefused atomic.Bool
	front := mt.newFront(func(w http.ResponseWriter, r *http.Request) bool {
		status, answer := http.StatusOK, `{"data":[],"pagination":{"cursor":"second","hasMore":true,"total":0}}`
		switch {
		case r.URL.Query().Get("cursor") == "":
		case isRefused.CompareAndSwap(false, true):
			mt.clock.Advance(time.Hour)
			status, answer = http.StatusBadRequest, `{"error":{"code":"VALIDATION_INVALID_BODY","message":"It is over."}}`
		default:
			answer = emptyPage
		}
		answerWith(status, "application/json", answer)(w, r)
		return true
	})
	for done := range 2 {
		mt.moveIn(front.URL)
		if n := mt.countRuns(mt.to, mt.to.Account); n != done+1 || !isRefused.Load() {
			t.Errorf("%d entries of %d runs", n, done+1)
		}
	}
}
