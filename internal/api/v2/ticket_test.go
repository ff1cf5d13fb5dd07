package v2_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
)

// ticketTest is a server with an agent whose tickets somebody answers.
type ticketTest struct {
	*testkit.Server
	*testing.T
	agent, member string
}

func newTicketTest(t *testing.T) *ticketTest {
	t.Helper()
	b := &ticketTest{Server: testkit.Open(t), T: t}
	b.agent, b.member = createAgent(t, b.Server), addMember(t, b.Server, b.Account, "kim@shop.example")
	return b
}

func addMember(t *testing.T, srv *testkit.Server, account, email string) string {
	t.Helper()
	created, err := admin.RunOn(t.Context(), srv.AdminService, admin.AddMember,
		admin.NewMember{AccountID: account, Email: email, Name: "Kim", Role: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	return created.UserID
}

type ticketReply struct {
	TicketNumber         int64
	Subject, Description string
	Customer             struct{ Name, Email string }
}

type ticketMessage struct{ ID, Type, Content, ContentText string }

func (tt *ticketTest) ticketsPath() string { return "/agents/" + tt.agent + "/helpdesk/tickets" }

// openTicket opens a ticket and returns it as the reply has it and as it reads back.
func (tt *ticketTest) openTicket(body any) (created, read ticketReply) {
	tt.Helper()
	tt.Do(tt, "POST", tt.ticketsPath(), tt.Key, body).Decode(tt, http.StatusCreated, &created)
	tt.Do(tt, "GET", fmt.Sprintf("%s/%d", tt.ticketsPath(), created.TicketNumber), tt.Key, nil).Decode(tt,
		http.StatusOK, &read)
	return created, read
}

func (tt *ticketTest) listMessages(number int64) []ticketMessage {
	tt.Helper()
	var page struct{ Data []ticketMessage }
	tt.Do(tt, "GET", fmt.Sprintf("%s/%d/messages", tt.ticketsPath(), number), tt.Key, nil).Decode(tt, http.StatusOK, &page)
	return page.Data
}

// TestHostileStringsInTickets checks that whatever text a ticket is made of is stored as it is, but for U+0000, or
// refused by name.
func TestHostileStringsInTickets(t *testing.T) {
	base := newTicketTest(t)
	for i, s := range hostileStrings(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			b := *base
			b.T = t
			n := hostileTextTest{t, b.Server, s, strings.ReplaceAll(s, "\x00", "")}
			n.testTicket(&b)
			n.testReply(&b)
			n.testTicketSearch(&b)
			if t.Failed() {
				t.Logf("the text is %q", s)
			}
		})
	}
}

func (ht hostileTextTest) testTicket(b *ticketTest) {
	customer := map[string]any{"email": fmt.Sprintf("%x@x.co", ht.Name()), "name": ht.sent}
	r := ht.sendJSON("POST", b.ticketsPath(),
		map[string]any{"subject": ht.sent, "description": ht.sent, "customer": customer})
	if ht.checkRefused(r, "subject", ht.stored == "") {
		return
	}
	var created ticketReply
	r.Decode(ht, http.StatusCreated, &created)
	path := fmt.Sprintf("%s/%d", b.ticketsPath(), created.TicketNumber)
	ht.getInto(path, &created)
	ht.requireStored("the subject", created.Subject)
	ht.requireStored("the description", created.Description)
	ht.requireStored("the customer's name", created.Customer.Name)
	for _, m := range b.listMessages(created.TicketNumber) {
		ht.requireSafeHTML(m)
	}
	for field, body := range map[string]any{"priority": map[string]any{"priority": ht.sent},
		"statusId": map[string]any{"statusId": ht.sent}, "assigneeEmail": map[string]any{"assigneeEmail": ht.sent}} {
		if r := ht.sendJSON("PATCH", path, body); r.Status != http.StatusBadRequest && r.Status != http.StatusOK &&
			r.Status != http.StatusUnprocessableEntity {
			ht.Errorf("as %s: %d %s", field, r.Status, r.Body)
		}
	}
}

// testReply replies with the text; what of it is not Markdown reads back in contentText.
func (ht hostileTextTest) testReply(b *ticketTest) {
	created, _ := b.openTicket(map[string]any{"subject": "S", "description": "D",
		"customer": map[string]any{"email": "jo@x.co"}})
	path := fmt.Sprintf("%s/%d/messages", b.ticketsPath(), created.TicketNumber)
	r := ht.sendJSON("POST", path, map[string]any{"type": "reply", "content": ht.sent, "authorId": b.member})
	if ht.stored == "" {
		ht.checkRefused(r, "content", true)
		return
	}
	if r.Status == http.StatusUnprocessableEntity && strings.Contains(string(r.Body), "MESSAGE_CONTENT_NOT_RENDERABLE") {
		return
	}
	var reply ticketMessage
	r.Decode(ht, http.StatusCreated, &reply)
	ht.requireSafeHTML(reply)
	all := b.listMessages(created.TicketNumber)
	if last := all[len(all)-1]; last != reply {
		ht.Errorf("the reply %+v reads back as %+v", reply, last)
	}
}

func (ht hostileTextTest) testTicketSearch(b *ticketTest) {
	r := ht.sendJSON("POST", b.ticketsPath()+"/search", map[string]any{"query": ht.sent})
	ht.checkRefused(r, "query", ht.stored == "" || len([]rune(ht.stored)) > 512)
}

// requireSafeHTML looks for what HTML must not hold.
func (ht hostileTextTest) requireSafeHTML(m ticketMessage) {
	ht.Helper()
	for _, bad := range []string{"<script", "<img", "<svg", "<iframe", "<style", "<object", "<embed", "<body", "<input",
		"<form", `href="javascript:`, `href="data:`} {
		if strings.Contains(strings.ToLower(m.Content), bad) {
			ht.Errorf("the content holds %s: %s", bad, m.Content)
		}
	}
}

// TestMarkupIsText checks that HTML in any field comes back byte for byte, and harmless where it is shown.
func TestMarkupIsText(t *testing.T) {
	b := newTicketTest(t)
	const markup = `<script>alert("1 & 2")</script><img src=x onerror=alert(1)> <b>bold</b> &amp; &lt;`
	created, read := b.openTicket(map[string]any{"subject": markup, "description": markup,
		"customer": map[string]any{"email": "jo@x.co", "name": markup}})
	for name, got := range map[string]string{"subject": created.Subject, "description": created.Description,
		"name": created.Customer.Name, "subject read": read.Subject,
		"description read": read.Description, "name read": read.Customer.Name} {
		if got != markup {
			t.Errorf("%s: %q", name, got)
		}
	}
	first := b.listMessages(created.TicketNumber)[0]
	if first.ContentText != markup || strings.Contains(first.Content, "<script") ||
		strings.Contains(first.Content, "<img") || strings.Contains(first.Content, "<b>") {
		t.Errorf("the customer's message: %+v", first)
	}
	r := b.Do(t, "POST", fmt.Sprintf("%s/%d/messages", b.ticketsPath(), created.TicketNumber), b.Key,
		map[string]any{"type": "reply", "content": markup, "authorId": b.member})
	var reply ticketMessage
	r.Decode(t, http.StatusCreated, &reply)
	if strings.Contains(reply.Content, "<script") || strings.Contains(reply.Content, "<img") {
		t.Errorf("the reply: %+v", reply)
	}
	if strings.Contains(string(r.Body), `\u003c`) {
		t.Errorf("escaped for HTML: %s", r.Body)
	}
}

// TestIDsInCapitals checks that an id finds what it names in capitals, too.
func TestIDsInCapitals(t *testing.T) {
	b := newTicketTest(t)
	member := strings.ToUpper(b.member)
	var created struct {
		TicketNumber       int64
		AssigneeID, TeamID string
	}
	b.Do(t, "POST", b.ticketsPath(), b.Key, map[string]any{"subject": "S", "description": "D",
		"customer": map[string]any{"email": "jo@x.co"}}).Decode(t, http.StatusCreated, &created)
	team, path := created.TeamID, fmt.Sprintf("%s/%d", b.ticketsPath(), created.TicketNumber)
	b.Do(t, "PATCH", path, b.Key, map[string]any{"teamId": nil, "assigneeId": member}).Decode(t, http.StatusOK, &created)
	b.Do(t, "PATCH", path, b.Key, map[string]any{"teamId": strings.ToUpper(team)}).Decode(t, http.StatusOK, &created)
	if created.AssigneeID != b.member || created.TeamID != team {
		t.Errorf("%+v", created)
	}
	b.Do(t, "POST", path+"/messages", b.Key, map[string]any{"type": "note", "content": "N", "authorId": member}).
		Decode(t, http.StatusCreated, new(ticketMessage))
	var page struct{ Data []ticketReply }
	b.Do(t, "GET", b.ticketsPath()+"?assigneeId="+member+"&teamId="+strings.ToUpper(team), b.Key, nil).Decode(t,
		http.StatusOK, &page)
	if len(page.Data) != 1 {
		t.Errorf("%d tickets are listed", len(page.Data))
	}
}

// TestIDsOfOtherAccountsAreNotFound checks that a request that names another account's status, team or member is
// refused as one that names none, byte for byte.
func TestIDsOfOtherAccountsAreNotFound(t *testing.T) {
	b := newTicketTest(t)
	others := foreignIDs(t, b.Server)
	created, _ := b.openTicket(map[string]any{"subject": "S", "description": "D",
		"customer": map[string]any{"email": "jo@x.co"}})
	ticket := fmt.Sprintf("%s/%d", b.ticketsPath(), created.TicketNumber)
	const unknown = "00000000-0000-4000-8000-000000000000"
	for field, id := range others {
		for _, to := range []struct{ method, path, body string }{
			{"POST", b.ticketsPath(), `{"subject": "S", "description": "D", "customer": {"email": "jo@x.co"}, %q: %q}`},
			{"PATCH", ticket, `{%q: %q}`},
			{"POST", ticket + "/messages", `{"type": "reply", "content": "C", %q: %q}`},
		} {
			if (field == "authorId") != strings.HasSuffix(to.path, "/messages") {
				continue
			}
			status, got := sendAs(t, b.Server, b.Key, to.method, to.path, fmt.Sprintf(to.body, field, id))
			if _, missing := sendAs(t, b.Server, b.Key, to.method, to.path,
				fmt.Sprintf(to.body, field, unknown)); status != 422 || got != missing {
				t.Errorf("%s %s with another account's %s: %d %s\nwith an unknown one: %s", to.method, to.path, field,
					status, got, missing)
			}
			for _, bad := range []string{"x", "", "00000000-0000-4000-8000-00000000000g", strings.Repeat("a", 3000)} {
				if status, got := sendAs(t, b.Server, b.Key, to.method, to.path,
					fmt.Sprintf(to.body, field, bad)); status != 400 || !strings.Contains(got, field) {
					t.Errorf("%s %s with the %s %.40q: %d %s", to.method, to.path, field, bad, status, got)
				}
			}
		}
	}
}

// foreignIDs are what the other account has, by the fields that take them.
func foreignIDs(t *testing.T, srv *testkit.Server) map[string]string {
	t.Helper()
	var agent struct{ ID string }
	var statuses, teams []struct{ ID string }
	for _, ask := range []struct {
		method, path, body string
		into               any
	}{{"POST", "/agents", `{"name": "Theirs"}`, &agent}, {"GET", "/agents/%s/helpdesk/ticket-statuses", "", &statuses},
		{"GET", "/agents/%s/helpdesk/teams", "", &teams}} {
		if strings.Contains(ask.path, "%") {
			ask.path = fmt.Sprintf(ask.path, agent.ID)
		}
		_, body := sendAs(t, srv, srv.OtherKey, ask.method, ask.path, ask.body)
		if err := json.Unmarshal([]byte(body), ask.into); err != nil {
			t.Fatal(err)
		}
	}
	member := addMember(t, srv, srv.OtherAccount, "stranger@x.co")
	return map[string]string{"statusId": statuses[0].ID, "teamId": teams[0].ID, "assigneeId": member, "authorId": member}
}
