package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/api/once"
	"parley/internal/testkit"
)

// decode returns what a request has been answered, which must succeed.
func decode[Out any](b *browser, route, body string) (out Out) {
	b.ct.t.Helper()
	got := b.send(route, body)
	if err := json.Unmarshal([]byte(got.body), &out); err != nil || got.status/100 != 2 {
		b.ct.t.Fatalf("%s %s: %s", route, body, got)
	}
	return out
}

// sendOnce sends a request with an Idempotency-Key.
func (b *browser) sendOnce(route, key, body string) reply {
	method, path, _ := strings.Cut(route, " ")
	r := b.newRequest(method, "/console/api"+path, body)
	r.Header.Set("Idempotency-Key", key)
	return b.serve(r)
}

// upload sends a file for an agent and returns its id.
func (b *browser) upload(agent, name, content string) string {
	b.ct.t.Helper()
	body := testkit.FormBoundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
		"\"\r\n\r\n" + content + "\r\n" + testkit.FormBoundary + "--\r\n"
	r := b.newRequest(http.MethodPost, v1Base+"/agents/"+agent+"/files", body)
	r.Header.Set("Content-Type", `multipart/form-data; boundary="`+testkit.FormBoundary[2:]+`"`)
	got := b.serve(r)
	var file admin.MemberFile
	if err := json.Unmarshal([]byte(got.body), &file); err != nil || got.status != http.StatusCreated {
		b.ct.t.Fatalf("upload %s: %s", name, got)
	}
	return file.ID
}

func (ct *consoleTest) countMessages(ids testkit.ResourceIDs) int {
	ct.t.Helper()
	ref := parley.AccountID(ct.Account).AgentRef(parley.AgentID(ids["agentId"])).
		ConversationRef(parley.ConversationID(ids["conversationId"]))
	page, err := ct.DB.Messages(ct.t.Context(), ref, parley.PageRequest{Limit: 100})
	ct.must(err)
	return len(page.Items)
}

// A reply, a note or a claim whose answer was lost is sent again with the same key, and is there once.
func TestRepeatedRequestsWriteOnce(t *testing.T) { forEachConsole(t, checkRepeatedRequests) }

func checkRepeatedRequests(ct *consoleTest) {
	t := ct.t
	ids := ct.newResources(ct.Account, ct.Key)
	kim := ct.newMember(ct.Account, parley.RoleAgent, "kim@shop.example")
	lee := ct.newMember(ct.Account, parley.RoleAgent, "lee@shop.example")
	conversation := "/v1/conversations/" + ids["conversationId"]
	ticket := "/v1/agents/" + ids["agentId"] + "/tickets/" + ids["ticketNumber"] + "/messages"
	for _, c := range [][2]string{
		{"PUT " + conversation + "/claim", `{}`},
		{"POST " + conversation + "/messages", `{"member":"kim@shop.example","text":"Hello"}`},
		{"POST " + ticket, `{"type":"note","member":"kim@shop.example","text":"Seen"}`},
	} {
		first := kim.sendOnce(c[0], "one", c[1])
		messages, entries := ct.countMessages(ids), len(ct.auditEvents())
		second := kim.sendOnce(c[0], "one", c[1])
		if first.status/100 != 2 || second.status != first.status || second.header.Get(once.ReplayedHeader) != "true" {
			t.Errorf("%s: %s, then %s", c[0], first, second)
		}
		if strings.HasPrefix(c[0], "POST") && second.body != first.body {
			t.Errorf("%s: %s, then %s", c[0], first, second)
		}
		if n := ct.countMessages(ids); n != messages || len(ct.auditEvents()) != entries {
			t.Errorf("%s: %d messages, %d entries; then %d, %d", c[0], messages, entries, n, len(ct.auditEvents()))
		}
		if got := kim.sendOnce(c[0], "one", strings.Replace(c[1], "}", ` }`, 1)); got.code() != "422 IDEMPOTENCY_KEY_REUSED" {
			t.Errorf("%s with another body: %s", c[0], got)
		}
	}
	lee.sendOnce("POST "+conversation+"/messages", "one", `{"member":"lee@shop.example","text":"Hello"}`)
	if got := lee.sendOnce("PUT "+conversation+"/claim", "one", `{}`); got.header.Get(once.ReplayedHeader) != "" {
		t.Errorf("the key of a member is also a colleague's: %s", got)
	}
}

// A file that a member has uploaded goes with a reply or a note once, is served as a download, and is nobody else's
// before.
func TestFilesGoWithReplies(t *testing.T) { forEachConsole(t, checkFilesGoWithReplies) }

func checkFilesGoWithReplies(ct *consoleTest) {
	t := ct.t
	ids := ct.newResources(ct.Account, ct.Key)
	kim := ct.newMember(ct.Account, parley.RoleAgent, "kim@shop.example")
	lee := ct.newMember(ct.Account, parley.RoleAgent, "lee@shop.example")
	agent, conversation := ids["agentId"], "/v1/conversations/"+ids["conversationId"]
	kim.want("200", "PUT "+conversation+"/claim", `{}`)
	page := kim.upload(agent, "page.html", "<script>alert(1)</script>")
	reply := func(member string, ids ...string) string {
		list, _ := json.Marshal(ids)
		return fmt.Sprintf(`{"member":%q,"text":"","fileIds":%s}`, member+"@shop.example", list)
	}
	lee.want("400 VALIDATION_INVALID_BODY", "POST "+conversation+"/messages", reply("lee", page))
	lee.want("404 RESOURCE_NOT_FOUND", "DELETE /v1/agents/"+agent+"/files/"+page, "")
	kim.want("400 VALIDATION_INVALID_BODY", "POST "+conversation+"/messages", reply("kim", page, page))
	kim.want("201", "POST "+conversation+"/messages", reply("kim", page))
	kim.want("400 VALIDATION_INVALID_BODY", "POST "+conversation+"/messages", reply("kim", page))
	removed := kim.upload(agent, "wrong.txt", "Wrong")
	kim.want("200", "DELETE /v1/agents/"+agent+"/files/"+removed, "")
	kim.want("400 VALIDATION_INVALID_BODY", "POST "+conversation+"/messages", reply("kim", removed))
	thread := decode[admin.Thread](kim, "GET "+conversation+"/thread", "")
	replies := slices.DeleteFunc(thread.Entries, func(e admin.ThreadEntry) bool { return e.Type != "reply" })
	files := replies[len(replies)-1].Files
	if len(files) != 1 || files[0].Name != "page.html" {
		t.Fatalf("%+v", files)
	}
	ct.checkDownload(files[0].Address)
	note := kim.upload(agent, "note.txt", "For us")
	ticket := "/v1/agents/" + agent + "/tickets/" + ids["ticketNumber"]
	kim.want("201", "POST "+ticket+"/messages",
		fmt.Sprintf(`{"type":"note","member":"kim@shop.example","text":"","fileIds":[%q]}`, note))
	shown := decode[admin.TicketDetails](kim, "GET "+ticket, "")
	if files := shown.Messages[len(shown.Messages)-1].Files; len(files) != 1 || files[0].Name != "note.txt" {
		t.Errorf("files of the note: %+v", files)
	}
}

// checkDownload checks that an address leads to a file that no browser shows as a page.
func (ct *consoleTest) checkDownload(address string) {
	ct.t.Helper()
	b := &browser{ct: ct}
	first := b.serve(b.newRequest(http.MethodGet, address, ""))
	got := b.serve(b.newRequest(http.MethodGet, strings.TrimPrefix(first.header.Get("Location"), ct.URL), ""))
	if first.status != http.StatusFound || got.status != http.StatusOK || !strings.Contains(got.body, "<script>") {
		ct.t.Errorf("%s: %s, then %s", address, first, got)
	}
	if got.header.Get("Content-Type") != "application/octet-stream" ||
		!strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") ||
		!strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
		ct.t.Errorf("a page is served with %v", got.header)
	}
}

// A saved view is its maker's until it is shared, and says what it names that is gone.
func TestSavedViews(t *testing.T) { forEachConsole(t, checkSavedViews) }

func checkSavedViews(ct *consoleTest) {
	t := ct.t
	kim := ct.newMember(ct.Account, parley.RoleAgent, "kim@shop.example")
	lee := ct.newMember(ct.Account, parley.RoleAgent, "lee@shop.example")
	boss := ct.newMember(ct.Account, parley.RoleAdmin, "boss@shop.example")
	views := "/v1/accounts/" + ct.Account + "/saved-views"
	list := func(b *browser) []admin.SavedView { return decode[admin.SavedViewList](b, "GET "+views, "").SavedViews }
	own := decode[admin.SavedView](kim, "POST "+views, fmt.Sprintf(`{"name":"Lee's","shared":false,`+
		`"filter":{"view":"live","memberId":%q,"agentId":"AAAAAAAAAAAAAAAAAAAAA"}}`, ct.userID("lee@shop.example")))
	kim.want("400 VALIDATION_INVALID_BODY", "POST "+views, `{"name":"LEE'S","shared":false,"filter":{}}`)
	if own := list(kim); len(own) != 1 || !own[0].CanChange || strings.Join(own[0].Gone, ",") != "agentId" {
		t.Errorf("%+v", own)
	}
	if others := list(lee); len(others) != 0 {
		t.Errorf("a colleague has %+v", others)
	}
	boss.want("404 NOT_FOUND", "PATCH "+views+"/"+own.ID, `{"name":"Mine"}`)
	kim.want("200", "PATCH "+views+"/"+own.ID, `{"shared":true,"name":"With Lee"}`)
	if others := list(lee); len(others) != 1 || others[0].CanChange || others[0].Name != "With Lee" {
		t.Errorf("a colleague has %+v", others)
	}
	lee.want("403 AUTH_INSUFFICIENT_PERMISSIONS", "DELETE "+views+"/"+own.ID, "")
	boss.want("200", "DELETE /v1/accounts/"+ct.Account+"/members?email=lee%40shop.example", "")
	if own := list(kim); len(own) != 1 || strings.Join(own[0].Gone, ",") != "agentId,memberId" {
		t.Errorf("%+v", own)
	}
	boss.want("200", "DELETE "+views+"/"+own.ID, "")
	if own := list(kim); len(own) != 0 {
		t.Errorf("%+v", own)
	}
}

// A saved reply has a name of its own and no placeholder that nothing fills in.
func TestSavedReplies(t *testing.T) { forEachConsole(t, checkSavedReplies) }

func checkSavedReplies(ct *consoleTest) {
	t := ct.t
	boss := ct.newMember(ct.Account, parley.RoleAdmin, "boss@shop.example")
	kim := ct.newMember(ct.Account, parley.RoleAgent, "kim@shop.example")
	replies := "/v1/accounts/" + ct.Account + "/saved-replies"
	kim.want("403 AUTH_INSUFFICIENT_PERMISSIONS", "POST "+replies, `{"name":"Hello","text":"Hello"}`)
	boss.want("400 VALIDATION_INVALID_BODY", "POST "+replies, `{"name":"Hello","text":"Hello {{customer.mail}}"}`)
	hello := decode[admin.SavedReply](boss, "POST "+replies, `{"name":" Hello ","text":"Hello {{customer.name|there}}"}`)
	boss.want("400 VALIDATION_INVALID_BODY", "POST "+replies, `{"name":"HELLO","text":"Hello"}`)
	boss.want("400 VALIDATION_INVALID_BODY", "PATCH "+replies+"/"+hello.ID, `{"text":" "}`)
	boss.want("200", "PATCH "+replies+"/"+hello.ID, `{"text":"Hi {{member.name}}"}`)
	list := decode[admin.SavedReplyList](kim, "GET "+replies, "").SavedReplies
	if len(list) != 1 || list[0].Name != "Hello" || list[0].Text != "Hi {{member.name}}" {
		t.Errorf("%+v", list)
	}
	boss.want("200", "DELETE "+replies+"/"+hello.ID, "")
	boss.want("404 NOT_FOUND", "DELETE "+replies+"/"+hello.ID, "")
	actions := ""
	for _, e := range ct.auditEvents() {
		if strings.HasPrefix(e.Action, "saved_reply.") {
			actions += e.Action + " "
		}
	}
	if actions != "saved_reply.add saved_reply.change saved_reply.remove " {
		t.Error(actions)
	}
}
