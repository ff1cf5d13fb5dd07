package v2_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

// hostileStrings returns texts that have brought other programs down: the Big List of Naughty Strings, where it
// lies beside the checkout, and some of ours.
func hostileStrings(t *testing.T) []string {
	t.Helper()
	list := []string{"\x00", "a\x00b", "\x00\x00 ", "\u2028", "\ufffd", "\U0010ffff", strings.Repeat("é", 100),
		strings.Repeat("漢", 101), strings.Repeat("x", 128), strings.Repeat("x", 129)}
	folder, ok := check.FindSharedDir(t, "naughty-strings")
	if !ok {
		t.Log("the Big List of Naughty Strings is not here")
		return list
	}
	text, err := os.ReadFile(filepath.Join(folder, "blns.json"))
	check.Must(t, err)
	var known []string
	check.Must(t, json.Unmarshal(text, &known))
	return append(list, known...)
}

// TestHostileStringsAreKeptOrRefused checks that whatever text a client sends is stored as it is, but for U+0000, or
// refused by name.
func TestHostileStringsAreKeptOrRefused(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	plain := createAgent(t, srv)
	for i, s := range hostileStrings(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			n := hostileTextTest{t, srv, s, strings.ReplaceAll(s, "\x00", "")}
			n.testMessage(plain)
			n.testUser(plain)
			agent := n.testName()
			n.testInstructions(agent)
			n.testSourceName(agent)
			n.testSourceContent(agent)
			n.testID(agent)
			if t.Failed() {
				t.Logf("the text is %q", s)
			}
		})
	}
}

// hostileTextTest sends one text; kept is what is to be left of it.
type hostileTextTest struct {
	*testing.T
	server       *testkit.Server
	sent, stored string
}

func (ht hostileTextTest) sendJSON(method, path string, body any) testkit.Reply {
	ht.Helper()
	return ht.server.Do(ht, method, path, ht.server.Key, body)
}

func (ht hostileTextTest) getInto(path string, into any) {
	ht.Helper()
	ht.sendJSON("GET", path, nil).Decode(ht, http.StatusOK, into)
}

// checkRefused reports whether the reply refuses the field, and nothing else; it must do so just when it is due.
func (ht hostileTextTest) checkRefused(r testkit.Reply, field string, due bool) bool {
	ht.Helper()
	if !due {
		if r.Status/100 != 2 {
			ht.Errorf("as %s: %d %s", field, r.Status, r.Body)
		}
		return r.Status/100 != 2
	}
	var e struct {
		Error struct {
			Code    string
			Details map[string]string
		}
	}
	r.Decode(ht, http.StatusBadRequest, &e)
	if e.Error.Code != "VALIDATION_INVALID_BODY" || e.Error.Details[field] == "" {
		ht.Errorf("as %s: %s", field, r.Body)
	}
	return true
}

func (ht hostileTextTest) requireStored(name, got string) {
	ht.Helper()
	if got != ht.stored {
		ht.Errorf("%s reads back as %q", name, got)
	}
}

func (ht hostileTextTest) testMessage(agent string) {
	r := ht.sendJSON("POST", "/agents/"+agent+"/chat", map[string]any{"message": ht.sent})
	if ht.checkRefused(r, "message", ht.stored == "") {
		return
	}
	var a chatReply
	r.Decode(ht, http.StatusOK, &a)
	ht.requireStored("the answer", a.Data.Parts[0].Text)
	history := readHistory(ht.T, ht.server, "/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID+"/messages")
	ht.requireStored("the message", history[0].Parts[0].Text)
	ht.requireStored("the stored answer", history[1].Parts[0].Text)
}

var userIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{0,128}$`)

func (ht hostileTextTest) testUser(agent string) {
	r := ht.sendJSON("POST", "/agents/"+agent+"/chat", map[string]any{"message": "Hello", "userId": ht.sent})
	if ht.checkRefused(r, "userId", !userIDPattern.MatchString(ht.stored)) {
		return
	}
	var a chatReply
	r.Decode(ht, http.StatusOK, &a)
	var conversation struct{ Data struct{ UserID string } }
	ht.getInto("/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID, &conversation)
	ht.requireStored("the userId", conversation.Data.UserID)
}

// testName creates an agent of that name, or of another when it is refused.
func (ht hostileTextTest) testName() string {
	r := ht.sendJSON("POST", "/agents", map[string]any{"name": ht.sent})
	if ht.checkRefused(r, "name", !parley.IsVisible(ht.stored) || utf8.RuneCountInString(ht.stored) > 100) {
		return createAgent(ht.T, ht.server)
	}
	var created struct{ ID, Name string }
	r.Decode(ht, http.StatusCreated, &created)
	ht.getInto("/agents/"+created.ID, &created)
	ht.requireStored("the agent's name", created.Name)
	return created.ID
}

func (ht hostileTextTest) testInstructions(agent string) {
	if ht.checkRefused(ht.sendJSON("PUT", "/agents/"+agent,
		map[string]any{"instructions": ht.sent, "initialMessages": []string{ht.sent}}), "instructions", false) {
		return
	}
	var a struct {
		Instructions    string
		InitialMessages []string
	}
	ht.getInto("/agents/"+agent, &a)
	ht.requireStored("the first message", a.InitialMessages[0])
	ht.requireStored("the instructions", a.Instructions)
}

func (ht hostileTextTest) testSourceName(agent string) {
	r := ht.sendJSON("POST", "/agents/"+agent+"/sources",
		map[string]any{"type": "text", "name": ht.sent, "content": "Some text."})
	if ht.checkRefused(r, "name", !parley.IsVisible(ht.stored) || utf8.RuneCountInString(ht.stored) > 100) {
		return
	}
	var created struct{ ID, Name string }
	r.Decode(ht, http.StatusCreated, &created)
	ht.getInto("/agents/"+agent+"/sources/"+created.ID, &created)
	ht.requireStored("the source's name", created.Name)
	var list struct{ Data []struct{ ID string } }
	ht.getInto("/agents/"+agent+"/sources?name="+url.QueryEscape(ht.stored), &list)
	if len(list.Data) != 1 || list.Data[0].ID != created.ID {
		ht.Errorf("the source is not found by its name: %v", list)
	}
}

func (ht hostileTextTest) testSourceContent(agent string) {
	r := ht.sendJSON("POST", "/agents/"+agent+"/sources",
		map[string]any{"type": "text", "name": "Content " + ht.Name(), "content": ht.sent})
	if ht.checkRefused(r, "content", ht.stored == "") {
		return
	}
	var created struct{ ID string }
	r.Decode(ht, http.StatusCreated, &created)
	account, ctx := parley.AccountID(ht.server.Account), ht.Context()
	source, err := ht.server.DB.Source(ctx, account.AgentRef(parley.AgentID(agent)), parley.SourceID(created.ID))
	if err != nil {
		ht.Fatal(err)
	}
	version, err := ht.server.DB.Version(ctx, account.AgentRef(parley.AgentID(agent)), source.ID, source.WantedVersion)
	if err != nil {
		ht.Fatal(err)
	}
	ht.requireStored("the source's content", version.Text)
}

func (ht hostileTextTest) testID(agent string) {
	if ht.sent == "." { // a path that is not clean, see bad-input.txt
		return
	}
	id := url.PathEscape(ht.sent)
	for _, path := range []string{"/agents/" + id, "/agents/" + agent + "/sources/" + id,
		"/agents/" + agent + "/conversations/" + id} {
		if r := ht.sendJSON("GET", path, nil); r.Status != http.StatusNotFound {
			ht.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	for _, query := range []string{"/agents?cursor=", "/agents?limit=",
		"/agents/" + agent + "/conversations?startDate=", "/agents/" + agent + "/sources?type="} {
		if r := ht.sendJSON("GET", query+url.QueryEscape(ht.sent), nil); r.Status != http.StatusOK &&
			r.Status != http.StatusBadRequest {
			ht.Errorf("%s: %d %s", query, r.Status, r.Body)
		}
	}
}

// TestIDsAreTheSameInEitherCase asks for what has a UUID with its letters in upper case. The ids of end users are the
// client's own: theirs are as they are written.
func TestIDsAreTheSameInEitherCase(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	for _, route := range []string{
		"GET /agents/{agentId}/conversations/{conversationId}",
		"GET /agents/{agentId}/conversations/{conversationId}/messages",
		"GET /agents/{agentId}/conversations/export?conversationId={conversationId}",
		"GET /agents/{agentId}/sources/{sourceId}",
	} {
		plain := requestForComparison(t, srv, route, "", ids)
		if !strings.HasPrefix(plain, "200 ") {
			t.Fatal(route, plain)
		}
		upper := ids.With("conversationId", strings.ToUpper(ids["conversationId"])).With("sourceId",
			strings.ToUpper(ids["sourceId"]))
		if got := requestForComparison(t, srv, route, "", upper); got != plain {
			t.Errorf("%s: %s instead of %s", route, got, plain)
		}
	}
	body := map[string]any{"message": "Hello", "conversationId": strings.ToUpper(ids["conversationId"])}
	got := srv.Do(t, "POST", "/agents/"+ids["agentId"]+"/chat", srv.Key, body)
	if got.Status != http.StatusOK || !strings.Contains(string(got.Body), ids["conversationId"]) {
		t.Error(got.Status, string(got.Body))
	}
	const user = "0B6F7A52-0C5E-4B7D-9A54-6F1F3A1E2B10"
	srv.Do(t, "POST", "/agents/"+ids["agentId"]+"/chat", srv.Key, map[string]any{"message": "Hello", "userId": user})
	for id, total := range map[string]string{user: `"total":1`, strings.ToLower(user): `"total":0`} {
		if got := srv.Do(t, "GET", "/agents/"+ids["agentId"]+"/users/"+id+"/conversations", srv.Key,
			nil); !strings.Contains(string(got.Body), total) {
			t.Errorf("%s: %s", id, got.Body)
		}
	}
}

// TestCursorOfNULIsInvalid sends a cursor, an id and a date that hold nothing but NUL: they are wrong, not absent.
func TestCursorOfNULIsInvalid(t *testing.T) {
	srv := testkit.Open(t)
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	for query, want := range map[string]string{
		"/agents?cursor=%00":                                                   "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/sources?cursor=%00":                                 "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/conversations?cursor=%00":                           "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/conversations?cursor=%ff":                           "VALIDATION_INVALID_CURSOR",
		"/agents?limit=%00":                                                    "must be an integer",
		"/agents/{agentId}/sources?type=%00":                                   "must be one of",
		"/agents/{agentId}/conversations?endDate=%00":                          "must be a day",
		"/agents/{agentId}/conversations/{conversationId}/messages?cursor=%00": "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/conversations/search?cursor=%00":                    "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/helpdesk/tickets?cursor=%00":                        "VALIDATION_INVALID_CURSOR",
	} {
		if got := requestForComparison(t, srv, "GET "+query, "", ids); !strings.HasPrefix(got, "400 ") ||
			!strings.Contains(got, want) {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// TestByteOrderMarkBeforeJSON sends what editors of another system write before a text.
func TestByteOrderMarkBeforeJSON(t *testing.T) {
	srv := testkit.Open(t)
	if status, body := sendAs(t, srv, srv.Key, "POST", "/agents",
		"\ufeff{\"name\": \"Marked\"}"); status != http.StatusCreated {
		t.Error(status, body)
	}
	if status, body := sendAs(t, srv, srv.Key, "POST", "/agents", "\ufeff"); status != http.StatusBadRequest ||
		!strings.Contains(body, "VALIDATION_INVALID_JSON") {
		t.Error(status, body)
	}
}
