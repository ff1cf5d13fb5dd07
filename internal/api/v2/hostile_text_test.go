package v2_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/internal/model/scripted"
	"parley/internal/testkit"
)

// hostileStrings returns texts that have brought other programs down: the Big List of Naughty Strings, where it
// lies beside the checkout, and some of ours.
func hostileStrings(t *testing.T) []string {
	t.Helper()
	list := []string{"\x00", "a\x00b", "\x00\x00 ", "\u2028", "\ufffd", "\U0010ffff", strings.Repeat("é", 100),
		strings.Repeat("漢", 101), strings.Repeat("x", 128), strings.Repeat("x", 129)}
	text, err := os.ReadFile("../../../../shared/data/naughty-strings/blns.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Log("the Big List of Naughty Strings is not here")
		return list
	}
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
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

func (nt hostileTextTest) sendJSON(method, path string, body any) testkit.Reply {
	nt.Helper()
	return nt.server.Do(nt, method, path, nt.server.Key, body)
}

func (nt hostileTextTest) getInto(path string, into any) {
	nt.Helper()
	nt.sendJSON("GET", path, nil).Decode(nt, http.StatusOK, into)
}

// checkRefused reports whether the reply refuses the field, and nothing else; it must do so just when it is due.
func (nt hostileTextTest) checkRefused(r testkit.Reply, field string, due bool) bool {
	nt.Helper()
	if !due {
		if r.Status/100 != 2 {
			nt.Errorf("as %s: %d %s", field, r.Status, r.Body)
		}
		return r.Status/100 != 2
	}
	var e struct {
		Error struct {
			Code    string
			Details map[string]string
		}
	}
	r.Decode(nt, http.StatusBadRequest, &e)
	if e.Error.Code != "VALIDATION_INVALID_BODY" || e.Error.Details[field] == "" {
		nt.Errorf("as %s: %s", field, r.Body)
	}
	return true
}

func (nt hostileTextTest) requireStored(what, got string) {
	nt.Helper()
	if got != nt.stored {
		nt.Errorf("%s reads back as %q", what, got)
	}
}

func (nt hostileTextTest) testMessage(agent string) {
	r := nt.sendJSON("POST", "/agents/"+agent+"/chat", map[string]any{"message": nt.sent})
	if nt.checkRefused(r, "message", nt.stored == "") {
		return
	}
	var a chatReply
	r.Decode(nt, http.StatusOK, &a)
	nt.requireStored("the answer", a.Data.Parts[0].Text)
	history := readHistory(nt.T, nt.server, "/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID+"/messages")
	nt.requireStored("the message", history[0].Parts[0].Text)
	nt.requireStored("the stored answer", history[1].Parts[0].Text)
}

var userIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{0,128}$`)

func (nt hostileTextTest) testUser(agent string) {
	r := nt.sendJSON("POST", "/agents/"+agent+"/chat", map[string]any{"message": "Hello", "userId": nt.sent})
	if nt.checkRefused(r, "userId", !userIDPattern.MatchString(nt.stored)) {
		return
	}
	var a chatReply
	r.Decode(nt, http.StatusOK, &a)
	var conversation struct{ Data struct{ UserID string } }
	nt.getInto("/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID, &conversation)
	nt.requireStored("the userId", conversation.Data.UserID)
}

// testName creates an agent of that name, or of another when it is refused.
func (nt hostileTextTest) testName() string {
	r := nt.sendJSON("POST", "/agents", map[string]any{"name": nt.sent})
	if nt.checkRefused(r, "name", nt.stored == "" || utf8.RuneCountInString(nt.stored) > 100) {
		return createAgent(nt.T, nt.server)
	}
	var created struct{ ID, Name string }
	r.Decode(nt, http.StatusCreated, &created)
	nt.getInto("/agents/"+created.ID, &created)
	nt.requireStored("the agent's name", created.Name)
	return created.ID
}

func (nt hostileTextTest) testInstructions(agent string) {
	if nt.checkRefused(nt.sendJSON("PUT", "/agents/"+agent,
		map[string]any{"instructions": nt.sent, "initialMessages": []string{nt.sent}}), "instructions", false) {
		return
	}
	var a struct {
		Instructions    string
		InitialMessages []string
	}
	nt.getInto("/agents/"+agent, &a)
	nt.requireStored("the first message", a.InitialMessages[0])
	nt.requireStored("the instructions", a.Instructions)
}

func (nt hostileTextTest) testSourceName(agent string) {
	r := nt.sendJSON("POST", "/agents/"+agent+"/sources",
		map[string]any{"type": "text", "name": nt.sent, "content": "Some text."})
	if nt.checkRefused(r, "name", nt.stored == "" || utf8.RuneCountInString(nt.stored) > 100) {
		return
	}
	var created struct{ ID, Name string }
	r.Decode(nt, http.StatusCreated, &created)
	nt.getInto("/agents/"+agent+"/sources/"+created.ID, &created)
	nt.requireStored("the source's name", created.Name)
	var list struct{ Data []struct{ ID string } }
	nt.getInto("/agents/"+agent+"/sources?name="+url.QueryEscape(nt.stored), &list)
	if len(list.Data) != 1 || list.Data[0].ID != created.ID {
		nt.Errorf("the source is not found by its name: %v", list)
	}
}

func (nt hostileTextTest) testSourceContent(agent string) {
	r := nt.sendJSON("POST", "/agents/"+agent+"/sources",
		map[string]any{"type": "text", "name": "Content " + nt.Name(), "content": nt.sent})
	if nt.checkRefused(r, "content", nt.stored == "") {
		return
	}
	var created struct{ ID string }
	r.Decode(nt, http.StatusCreated, &created)
	account, ctx := parley.AccountID(nt.server.Account), nt.Context()
	source, err := nt.server.DB.Source(ctx, account.AgentRef(parley.AgentID(agent)), parley.SourceID(created.ID))
	if err != nil {
		nt.Fatal(err)
	}
	version, err := nt.server.DB.Version(ctx, account.AgentRef(parley.AgentID(agent)), source.ID, source.WantedVersion)
	if err != nil {
		nt.Fatal(err)
	}
	nt.requireStored("the source's content", version.Text)
}

func (nt hostileTextTest) testID(agent string) {
	if nt.sent == "." { // a path that is not clean, see bad-input.txt
		return
	}
	id := url.PathEscape(nt.sent)
	for _, path := range []string{"/agents/" + id, "/agents/" + agent + "/sources/" + id,
		"/agents/" + agent + "/conversations/" + id} {
		if r := nt.sendJSON("GET", path, nil); r.Status != http.StatusNotFound {
			nt.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	for _, query := range []string{"/agents?cursor=", "/agents?limit=",
		"/agents/" + agent + "/conversations?startDate=", "/agents/" + agent + "/sources?type="} {
		if r := nt.sendJSON("GET", query+url.QueryEscape(nt.sent), nil); r.Status != http.StatusOK &&
			r.Status != http.StatusBadRequest {
			nt.Errorf("%s: %d %s", query, r.Status, r.Body)
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

// TestAByteOrderMarkBeforeJSON sends what editors of another system write before a text.
func TestAByteOrderMarkBeforeJSON(t *testing.T) {
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
