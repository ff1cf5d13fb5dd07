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

// naughtyStrings returns texts that have brought other programs down: the Big List of Naughty Strings, where it
// lies beside the checkout, and some of ours.
func naughtyStrings(t *testing.T) []string {
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

// TestNaughtyStrings checks that whatever text a client sends is stored as it is, but for U+0000, or refused by name.
func TestNaughtyStrings(t *testing.T) {
	h := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	plain := createAgent(t, h)
	for i, s := range naughtyStrings(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			n := naughtyTest{t, h, s, strings.ReplaceAll(s, "\x00", "")}
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

// naughtyTest sends one text; kept is what is to be left of it.
type naughtyTest struct {
	*testing.T
	server       *testkit.Server
	sent, stored string
}

func (n naughtyTest) sendJSON(method, path string, body any) testkit.Reply {
	n.Helper()
	return n.server.Do(n, method, path, n.server.Key, body)
}

func (n naughtyTest) getInto(path string, into any) {
	n.Helper()
	n.sendJSON("GET", path, nil).Decode(n, http.StatusOK, into)
}

// checkRefused reports whether the reply refuses the field, and nothing else; it must do so just when it is due.
func (n naughtyTest) checkRefused(r testkit.Reply, field string, due bool) bool {
	n.Helper()
	if !due {
		if r.Status/100 != 2 {
			n.Errorf("as %s: %d %s", field, r.Status, r.Body)
		}
		return r.Status/100 != 2
	}
	var e struct {
		Error struct {
			Code    string
			Details map[string]string
		}
	}
	r.Decode(n, http.StatusBadRequest, &e)
	if e.Error.Code != "VALIDATION_INVALID_BODY" || e.Error.Details[field] == "" {
		n.Errorf("as %s: %s", field, r.Body)
	}
	return true
}

func (n naughtyTest) requireStored(what, got string) {
	n.Helper()
	if got != n.stored {
		n.Errorf("%s reads back as %q", what, got)
	}
}

func (n naughtyTest) testMessage(agent string) {
	r := n.sendJSON("POST", "/agents/"+agent+"/chat", map[string]any{"message": n.sent})
	if n.checkRefused(r, "message", n.stored == "") {
		return
	}
	var a chatReply
	r.Decode(n, http.StatusOK, &a)
	n.requireStored("the answer", a.Data.Parts[0].Text)
	history := readHistory(n.T, n.server, "/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID+"/messages")
	n.requireStored("the message", history[0].Parts[0].Text)
	n.requireStored("the stored answer", history[1].Parts[0].Text)
}

var userIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{0,128}$`)

func (n naughtyTest) testUser(agent string) {
	r := n.sendJSON("POST", "/agents/"+agent+"/chat", map[string]any{"message": "Hello", "userId": n.sent})
	if n.checkRefused(r, "userId", !userIDPattern.MatchString(n.stored)) {
		return
	}
	var a chatReply
	r.Decode(n, http.StatusOK, &a)
	var conversation struct{ Data struct{ UserID string } }
	n.getInto("/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID, &conversation)
	n.requireStored("the userId", conversation.Data.UserID)
}

// testName creates an agent of that name, or of another when it is refused.
func (n naughtyTest) testName() string {
	r := n.sendJSON("POST", "/agents", map[string]any{"name": n.sent})
	if n.checkRefused(r, "name", n.stored == "" || utf8.RuneCountInString(n.stored) > 100) {
		return createAgent(n.T, n.server)
	}
	var created struct{ ID, Name string }
	r.Decode(n, http.StatusCreated, &created)
	n.getInto("/agents/"+created.ID, &created)
	n.requireStored("the agent's name", created.Name)
	return created.ID
}

func (n naughtyTest) testInstructions(agent string) {
	if n.checkRefused(n.sendJSON("PUT", "/agents/"+agent,
		map[string]any{"instructions": n.sent, "initialMessages": []string{n.sent}}), "instructions", false) {
		return
	}
	var a struct {
		Instructions    string
		InitialMessages []string
	}
	n.getInto("/agents/"+agent, &a)
	n.requireStored("the first message", a.InitialMessages[0])
	n.requireStored("the instructions", a.Instructions)
}

func (n naughtyTest) testSourceName(agent string) {
	r := n.sendJSON("POST", "/agents/"+agent+"/sources",
		map[string]any{"type": "text", "name": n.sent, "content": "Some text."})
	if n.checkRefused(r, "name", n.stored == "" || utf8.RuneCountInString(n.stored) > 100) {
		return
	}
	var created struct{ ID, Name string }
	r.Decode(n, http.StatusCreated, &created)
	n.getInto("/agents/"+agent+"/sources/"+created.ID, &created)
	n.requireStored("the source's name", created.Name)
	var list struct{ Data []struct{ ID string } }
	n.getInto("/agents/"+agent+"/sources?name="+url.QueryEscape(n.stored), &list)
	if len(list.Data) != 1 || list.Data[0].ID != created.ID {
		n.Errorf("the source is not found by its name: %v", list)
	}
}

func (n naughtyTest) testSourceContent(agent string) {
	r := n.sendJSON("POST", "/agents/"+agent+"/sources",
		map[string]any{"type": "text", "name": "Content " + n.Name(), "content": n.sent})
	if n.checkRefused(r, "content", n.stored == "") {
		return
	}
	var created struct{ ID string }
	r.Decode(n, http.StatusCreated, &created)
	account, ctx := parley.AccountID(n.server.Account), n.Context()
	source, err := n.server.DB.Source(ctx, account.AgentRef(parley.AgentID(agent)), parley.SourceID(created.ID))
	if err != nil {
		n.Fatal(err)
	}
	version, err := n.server.DB.Version(ctx, account.AgentRef(parley.AgentID(agent)), source.ID, source.WantedVersion)
	if err != nil {
		n.Fatal(err)
	}
	n.requireStored("the source's content", version.Text)
}

func (n naughtyTest) testID(agent string) {
	if n.sent == "." { // a path that is not clean, see bad-input.txt
		return
	}
	id := url.PathEscape(n.sent)
	for _, path := range []string{"/agents/" + id, "/agents/" + agent + "/sources/" + id,
		"/agents/" + agent + "/conversations/" + id} {
		if r := n.sendJSON("GET", path, nil); r.Status != http.StatusNotFound {
			n.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	for _, query := range []string{"/agents?cursor=", "/agents?limit=",
		"/agents/" + agent + "/conversations?startDate=", "/agents/" + agent + "/sources?type="} {
		if r := n.sendJSON("GET", query+url.QueryEscape(n.sent), nil); r.Status != http.StatusOK &&
			r.Status != http.StatusBadRequest {
			n.Errorf("%s: %d %s", query, r.Status, r.Body)
		}
	}
}

// TestIDsAreTheSameInEitherCase asks for what has a UUID with its letters in upper case. The ids of end users are the
// client's own: theirs are as they are written.
func TestIDsAreTheSameInEitherCase(t *testing.T) {
	h := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	ids := createResources(t, h, parley.AccountID(h.Account), h.Key)
	for _, route := range []string{
		"GET /agents/{agentId}/conversations/{conversationId}",
		"GET /agents/{agentId}/conversations/{conversationId}/messages",
		"GET /agents/{agentId}/conversations/export?conversationId={conversationId}",
		"GET /agents/{agentId}/sources/{sourceId}",
	} {
		plain := requestForComparison(t, h, route, "", ids)
		if !strings.HasPrefix(plain, "200 ") {
			t.Fatal(route, plain)
		}
		upper := ids.With("conversationId", strings.ToUpper(ids["conversationId"])).With("sourceId",
			strings.ToUpper(ids["sourceId"]))
		if got := requestForComparison(t, h, route, "", upper); got != plain {
			t.Errorf("%s: %s instead of %s", route, got, plain)
		}
	}
	body := map[string]any{"message": "Hello", "conversationId": strings.ToUpper(ids["conversationId"])}
	got := h.Do(t, "POST", "/agents/"+ids["agentId"]+"/chat", h.Key, body)
	if got.Status != http.StatusOK || !strings.Contains(string(got.Body), ids["conversationId"]) {
		t.Error(got.Status, string(got.Body))
	}
	const user = "0B6F7A52-0C5E-4B7D-9A54-6F1F3A1E2B10"
	h.Do(t, "POST", "/agents/"+ids["agentId"]+"/chat", h.Key, map[string]any{"message": "Hello", "userId": user})
	for id, total := range map[string]string{user: `"total":1`, strings.ToLower(user): `"total":0`} {
		if got := h.Do(t, "GET", "/agents/"+ids["agentId"]+"/users/"+id+"/conversations", h.Key,
			nil); !strings.Contains(string(got.Body), total) {
			t.Errorf("%s: %s", id, got.Body)
		}
	}
}

// TestACursorOfNulIsNone sends a cursor, an id and a date that hold nothing but NUL: they are wrong, not absent.
func TestACursorOfNulIsNone(t *testing.T) {
	h := testkit.Open(t)
	ids := createResources(t, h, parley.AccountID(h.Account), h.Key)
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
		if got := requestForComparison(t, h, "GET "+query, "", ids); !strings.HasPrefix(got, "400 ") ||
			!strings.Contains(got, want) {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// TestAByteOrderMarkBeforeJSON sends what editors of another system write before a text.
func TestAByteOrderMarkBeforeJSON(t *testing.T) {
	h := testkit.Open(t)
	if status, body := sendAs(t, h, h.Key, "POST", "/agents",
		"\ufeff{\"name\": \"Marked\"}"); status != http.StatusCreated {
		t.Error(status, body)
	}
	if status, body := sendAs(t, h, h.Key, "POST", "/agents", "\ufeff"); status != http.StatusBadRequest ||
		!strings.Contains(body, "VALIDATION_INVALID_JSON") {
		t.Error(status, body)
	}
}
