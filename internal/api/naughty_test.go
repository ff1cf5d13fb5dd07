package api_test

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
	"parley/internal/llm"
	"parley/internal/rig"
)

// naughty gives texts that have brought other programs down: the Big List of Naughty Strings, where it lies beside the
// checkout, and some of ours.
func naughty(t *testing.T) []string {
	t.Helper()
	list := []string{"\x00", "a\x00b", "\x00\x00 ", "\u2028", "\ufffd", "\U0010ffff", strings.Repeat("é", 100), strings.Repeat("漢", 101), strings.Repeat("x", 128), strings.Repeat("x", 129)}
	text, err := os.ReadFile("../../../shared/data/naughty-strings/blns.json")
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

// TestNaughtyStrings holds that whatever text a client sends is kept as it is, but for U+0000, or refused by name.
func TestNaughtyStrings(t *testing.T) {
	h := rig.Open(t, rig.Speaking(&llm.Scripted{}))
	plain := agentOf(t, h)
	for i, s := range naughty(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			n := prankster{t, h, s, strings.ReplaceAll(s, "\x00", "")}
			n.asMessage(plain)
			n.asUser(plain)
			agent := n.asName()
			n.asInstructions(agent)
			n.asSourceName(agent)
			n.asSourceContent(agent)
			n.inPlaceOfAnID(agent)
			if t.Failed() {
				t.Logf("the text is %q", s)
			}
		})
	}
}

// prankster sends one text; kept is what is to be left of it.
type prankster struct {
	*testing.T
	house      *rig.House
	sent, kept string
}

func (n prankster) do(method, path string, body any) rig.Reply {
	n.Helper()
	return n.house.Do(n, method, path, n.house.Key, body)
}

func (n prankster) read(path string, into any) {
	n.Helper()
	n.do("GET", path, nil).Decode(n, http.StatusOK, into)
}

// refused reports whether the reply refuses the field, and nothing else; it must do so just when it is due.
func (n prankster) refused(r rig.Reply, field string, due bool) bool {
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

func (n prankster) same(what, got string) {
	n.Helper()
	if got != n.kept {
		n.Errorf("%s reads back as %q", what, got)
	}
}

func (n prankster) asMessage(agent string) {
	r := n.do("POST", "/agents/"+agent+"/chat", map[string]any{"message": n.sent})
	if n.refused(r, "message", n.kept == "") {
		return
	}
	var a answered
	r.Decode(n, http.StatusOK, &a)
	n.same("the answer", a.Data.Parts[0].Text)
	history := historyOf(n.T, n.house, "/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID+"/messages")
	n.same("the message", history[0].Parts[0].Text)
	n.same("the stored answer", history[1].Parts[0].Text)
}

var userID = regexp.MustCompile(`^[A-Za-z0-9._-]{0,128}$`)

func (n prankster) asUser(agent string) {
	r := n.do("POST", "/agents/"+agent+"/chat", map[string]any{"message": "Hello", "userId": n.sent})
	if n.refused(r, "userId", !userID.MatchString(n.kept)) {
		return
	}
	var a answered
	r.Decode(n, http.StatusOK, &a)
	var conversation struct{ Data struct{ UserID string } }
	n.read("/agents/"+agent+"/conversations/"+a.Data.Metadata.ConversationID, &conversation)
	n.same("the userId", conversation.Data.UserID)
}

// asName makes an agent of that name, or of another when it is refused.
func (n prankster) asName() string {
	r := n.do("POST", "/agents", map[string]any{"name": n.sent})
	if n.refused(r, "name", n.kept == "" || utf8.RuneCountInString(n.kept) > 100) {
		return agentOf(n.T, n.house)
	}
	var made struct{ ID, Name string }
	r.Decode(n, http.StatusCreated, &made)
	n.read("/agents/"+made.ID, &made)
	n.same("the agent's name", made.Name)
	return made.ID
}

func (n prankster) asInstructions(agent string) {
	if n.refused(n.do("PUT", "/agents/"+agent, map[string]any{"instructions": n.sent, "initialMessages": []string{n.sent}}), "instructions", false) {
		return
	}
	var a struct {
		Instructions    string
		InitialMessages []string
	}
	n.read("/agents/"+agent, &a)
	n.same("the first message", a.InitialMessages[0])
	n.same("the instructions", a.Instructions)
}

func (n prankster) asSourceName(agent string) {
	r := n.do("POST", "/agents/"+agent+"/sources", map[string]any{"type": "text", "name": n.sent, "content": "Some text."})
	if n.refused(r, "name", n.kept == "" || utf8.RuneCountInString(n.kept) > 100) {
		return
	}
	var made struct{ ID, Name string }
	r.Decode(n, http.StatusCreated, &made)
	n.read("/agents/"+agent+"/sources/"+made.ID, &made)
	n.same("the source's name", made.Name)
	var list struct{ Data []struct{ ID string } }
	n.read("/agents/"+agent+"/sources?name="+url.QueryEscape(n.kept), &list)
	if len(list.Data) != 1 || list.Data[0].ID != made.ID {
		n.Errorf("the source is not found by its name: %v", list)
	}
}

func (n prankster) asSourceContent(agent string) {
	r := n.do("POST", "/agents/"+agent+"/sources", map[string]any{"type": "text", "name": "Content " + n.Name(), "content": n.sent})
	if n.refused(r, "content", n.kept == "") {
		return
	}
	var made struct{ ID string }
	r.Decode(n, http.StatusCreated, &made)
	account, ctx := parley.AccountID(n.house.Account), n.Context()
	source, err := n.house.DB.Source(ctx, account, parley.AgentID(agent), parley.SourceID(made.ID))
	if err != nil {
		n.Fatal(err)
	}
	version, err := n.house.DB.Version(ctx, account, parley.AgentID(agent), source.ID, source.Wanted)
	if err != nil {
		n.Fatal(err)
	}
	n.same("the source's content", version.Text)
}

func (n prankster) inPlaceOfAnID(agent string) {
	if n.sent == "." { // a path that is not clean, see bad-input.txt
		return
	}
	id := url.PathEscape(n.sent)
	for _, path := range []string{"/agents/" + id, "/agents/" + agent + "/sources/" + id, "/agents/" + agent + "/conversations/" + id} {
		if r := n.do("GET", path, nil); r.Status != http.StatusNotFound {
			n.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	for _, query := range []string{"/agents?cursor=", "/agents?limit=", "/agents/" + agent + "/conversations?startDate=", "/agents/" + agent + "/sources?type="} {
		if r := n.do("GET", query+url.QueryEscape(n.sent), nil); r.Status != http.StatusOK && r.Status != http.StatusBadRequest {
			n.Errorf("%s: %d %s", query, r.Status, r.Body)
		}
	}
}
