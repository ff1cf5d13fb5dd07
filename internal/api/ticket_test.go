package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/internal/admin"
	"parley/internal/rig"
)

// bureau is a house with an agent whose tickets somebody answers.
type bureau struct {
	*rig.House
	*testing.T
	agent, member string
}

func openBureau(t *testing.T) *bureau {
	t.Helper()
	b := &bureau{House: rig.Open(t), T: t}
	b.agent, b.member = agentOf(t, b.House), memberOf(t, b.House, b.Account, "kim@shop.example")
	return b
}

func memberOf(t *testing.T, h *rig.House, account, email string) string {
	t.Helper()
	made, err := admin.Do(t.Context(), h.Operator, admin.AddMember, admin.NewMember{AccountID: account, Email: email, Name: "Kim", Role: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	return made.UserID
}

type bureauTicket struct {
	TicketNumber         int64
	Subject, Description string
	Customer             struct{ Name, Email string }
}

type bureauMessage struct{ ID, Type, Content, ContentText string }

func (b *bureau) tickets() string { return "/agents/" + b.agent + "/helpdesk/tickets" }

// open opens a ticket and gives it as the reply has it and as it reads back.
func (b *bureau) open(body any) (made, read bureauTicket) {
	b.Helper()
	b.Do(b, "POST", b.tickets(), b.Key, body).Decode(b, http.StatusCreated, &made)
	b.Do(b, "GET", fmt.Sprintf("%s/%d", b.tickets(), made.TicketNumber), b.Key, nil).Decode(b, http.StatusOK, &read)
	return made, read
}

func (b *bureau) messages(number int64) []bureauMessage {
	b.Helper()
	var page struct{ Data []bureauMessage }
	b.Do(b, "GET", fmt.Sprintf("%s/%d/messages", b.tickets(), number), b.Key, nil).Decode(b, http.StatusOK, &page)
	return page.Data
}

// TestNaughtyTickets holds that whatever text a ticket is made of is kept as it is, but for U+0000, or refused by name.
func TestNaughtyTickets(t *testing.T) {
	house := openBureau(t)
	for i, s := range naughty(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			b := *house
			b.T = t
			n := prankster{t, b.House, s, strings.ReplaceAll(s, "\x00", "")}
			n.asTicket(&b)
			n.asReply(&b)
			n.asTicketSearch(&b)
			if t.Failed() {
				t.Logf("the text is %q", s)
			}
		})
	}
}

func (n prankster) asTicket(b *bureau) {
	customer := map[string]any{"email": fmt.Sprintf("%x@x.co", n.Name()), "name": n.sent}
	r := n.do("POST", b.tickets(), map[string]any{"subject": n.sent, "description": n.sent, "customer": customer})
	if n.refused(r, "subject", n.kept == "") {
		return
	}
	var made bureauTicket
	r.Decode(n, http.StatusCreated, &made)
	path := fmt.Sprintf("%s/%d", b.tickets(), made.TicketNumber)
	n.read(path, &made)
	n.same("the subject", made.Subject)
	n.same("the description", made.Description)
	n.same("the customer's name", made.Customer.Name)
	for _, m := range b.messages(made.TicketNumber) {
		n.harmless(m)
	}
	for field, body := range map[string]any{"priority": map[string]any{"priority": n.sent}, "statusId": map[string]any{"statusId": n.sent}, "assigneeEmail": map[string]any{"assigneeEmail": n.sent}} {
		if r := n.do("PATCH", path, body); r.Status != http.StatusBadRequest && r.Status != http.StatusOK && r.Status != http.StatusUnprocessableEntity {
			n.Errorf("as %s: %d %s", field, r.Status, r.Body)
		}
	}
}

// asReply replies with the text; what of it is not Markdown reads back in contentText.
func (n prankster) asReply(b *bureau) {
	made, _ := b.open(map[string]any{"subject": "S", "description": "D", "customer": map[string]any{"email": "jo@x.co"}})
	path := fmt.Sprintf("%s/%d/messages", b.tickets(), made.TicketNumber)
	r := n.do("POST", path, map[string]any{"type": "reply", "content": n.sent, "authorId": b.member})
	if n.kept == "" {
		n.refused(r, "content", true)
		return
	}
	if r.Status == http.StatusUnprocessableEntity && strings.Contains(string(r.Body), "MESSAGE_CONTENT_NOT_RENDERABLE") {
		return
	}
	var reply bureauMessage
	r.Decode(n, http.StatusCreated, &reply)
	n.harmless(reply)
	all := b.messages(made.TicketNumber)
	if last := all[len(all)-1]; last != reply {
		n.Errorf("the reply %+v reads back as %+v", reply, last)
	}
}

func (n prankster) asTicketSearch(b *bureau) {
	r := n.do("POST", b.tickets()+"/search", map[string]any{"query": n.sent})
	n.refused(r, "query", n.kept == "" || len([]rune(n.kept)) > 512)
}

// harmless looks for what HTML must not hold.
func (n prankster) harmless(m bureauMessage) {
	n.Helper()
	for _, bad := range []string{"<script", "<img", "<svg", "<iframe", "<style", "<object", "<embed", "<body", "<input", "<form", `href="javascript:`, `href="data:`} {
		if strings.Contains(strings.ToLower(m.Content), bad) {
			n.Errorf("the content holds %s: %s", bad, m.Content)
		}
	}
}

// TestMarkupIsText holds that HTML in any field comes back byte for byte, and harmless where it is shown.
func TestMarkupIsText(t *testing.T) {
	b := openBureau(t)
	const markup = `<script>alert("1 & 2")</script><img src=x onerror=alert(1)> <b>bold</b> &amp; &lt;`
	made, read := b.open(map[string]any{"subject": markup, "description": markup, "customer": map[string]any{"email": "jo@x.co", "name": markup}})
	for what, got := range map[string]string{"subject": made.Subject, "description": made.Description, "name": made.Customer.Name, "subject read": read.Subject,
		"description read": read.Description, "name read": read.Customer.Name} {
		if got != markup {
			t.Errorf("%s: %q", what, got)
		}
	}
	first := b.messages(made.TicketNumber)[0]
	if first.ContentText != markup || strings.Contains(first.Content, "<script") || strings.Contains(first.Content, "<img") || strings.Contains(first.Content, "<b>") {
		t.Errorf("the customer's message: %+v", first)
	}
	r := b.Do(t, "POST", fmt.Sprintf("%s/%d/messages", b.tickets(), made.TicketNumber), b.Key, map[string]any{"type": "reply", "content": markup, "authorId": b.member})
	var reply bureauMessage
	r.Decode(t, http.StatusCreated, &reply)
	if strings.Contains(reply.Content, "<script") || strings.Contains(reply.Content, "<img") {
		t.Errorf("the reply: %+v", reply)
	}
	if strings.Contains(string(r.Body), `\u003c`) {
		t.Errorf("escaped for HTML: %s", r.Body)
	}
}

// TestIDsInCapitals holds that an id finds what it names in capitals, too.
func TestIDsInCapitals(t *testing.T) {
	b := openBureau(t)
	member := strings.ToUpper(b.member)
	var made struct {
		TicketNumber       int64
		AssigneeID, TeamID string
	}
	b.Do(t, "POST", b.tickets(), b.Key, map[string]any{"subject": "S", "description": "D", "customer": map[string]any{"email": "jo@x.co"}}).Decode(t, http.StatusCreated, &made)
	team, path := made.TeamID, fmt.Sprintf("%s/%d", b.tickets(), made.TicketNumber)
	b.Do(t, "PATCH", path, b.Key, map[string]any{"teamId": nil, "assigneeId": member}).Decode(t, http.StatusOK, &made)
	b.Do(t, "PATCH", path, b.Key, map[string]any{"teamId": strings.ToUpper(team)}).Decode(t, http.StatusOK, &made)
	if made.AssigneeID != b.member || made.TeamID != team {
		t.Errorf("%+v", made)
	}
	b.Do(t, "POST", path+"/messages", b.Key, map[string]any{"type": "note", "content": "N", "authorId": member}).Decode(t, http.StatusCreated, new(bureauMessage))
	var page struct{ Data []bureauTicket }
	b.Do(t, "GET", b.tickets()+"?assigneeId="+member+"&teamId="+strings.ToUpper(team), b.Key, nil).Decode(t, http.StatusOK, &page)
	if len(page.Data) != 1 {
		t.Errorf("%d tickets are listed", len(page.Data))
	}
}

// TestAnothersIDsAreUnknown holds that a request that names another account's status, team or member is refused as one that names
// none, byte for byte.
func TestAnothersIDsAreUnknown(t *testing.T) {
	b := openBureau(t)
	theirs := strangersIDs(t, b.House)
	made, _ := b.open(map[string]any{"subject": "S", "description": "D", "customer": map[string]any{"email": "jo@x.co"}})
	ticket := fmt.Sprintf("%s/%d", b.tickets(), made.TicketNumber)
	const unknown = "00000000-0000-4000-8000-000000000000"
	for field, id := range theirs {
		for _, to := range []struct{ method, path, body string }{
			{"POST", b.tickets(), `{"subject": "S", "description": "D", "customer": {"email": "jo@x.co"}, %q: %q}`},
			{"PATCH", ticket, `{%q: %q}`},
			{"POST", ticket + "/messages", `{"type": "reply", "content": "C", %q: %q}`},
		} {
			if (field == "authorId") != strings.HasSuffix(to.path, "/messages") {
				continue
			}
			status, got := send(t, b.House, b.Key, to.method, to.path, fmt.Sprintf(to.body, field, id))
			if _, nobody := send(t, b.House, b.Key, to.method, to.path, fmt.Sprintf(to.body, field, unknown)); status != 422 || got != nobody {
				t.Errorf("%s %s with another account's %s: %d %s\nwith an unknown one: %s", to.method, to.path, field, status, got, nobody)
			}
			for _, bad := range []string{"x", "", "00000000-0000-4000-8000-00000000000g", strings.Repeat("a", 3000)} {
				if status, got := send(t, b.House, b.Key, to.method, to.path, fmt.Sprintf(to.body, field, bad)); status != 400 || !strings.Contains(got, field) {
					t.Errorf("%s %s with the %s %.40q: %d %s", to.method, to.path, field, bad, status, got)
				}
			}
		}
	}
}

// strangersIDs are what the other account has, by the fields that take them.
func strangersIDs(t *testing.T, h *rig.House) map[string]string {
	t.Helper()
	var agent struct{ ID string }
	var statuses, teams []struct{ ID string }
	for _, ask := range []struct {
		method, path, body string
		into               any
	}{{"POST", "/agents", `{"name": "Theirs"}`, &agent}, {"GET", "/agents/%s/helpdesk/ticket-statuses", "", &statuses}, {"GET", "/agents/%s/helpdesk/teams", "", &teams}} {
		if strings.Contains(ask.path, "%") {
			ask.path = fmt.Sprintf(ask.path, agent.ID)
		}
		_, body := send(t, h, h.OtherKey, ask.method, ask.path, ask.body)
		if err := json.Unmarshal([]byte(body), ask.into); err != nil {
			t.Fatal(err)
		}
	}
	member := memberOf(t, h, h.Other, "stranger@x.co")
	return map[string]string{"statusId": statuses[0].ID, "teamId": teams[0].ID, "assigneeId": member, "authorId": member}
}
