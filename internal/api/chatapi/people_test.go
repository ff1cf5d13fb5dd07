package chatapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

func (f *chatFixture) ref() parley.AgentRef {
	return parley.AccountID(f.server.Account).AgentRef(parley.AgentID(f.agent))
}

// post sends a request that must succeed.
func (f *chatFixture) post(token, path string, body, data any) {
	f.Helper()
	f.into(f.do(http.MethodPost, f.agent+path, token, body), data)
}

func (f *chatFixture) wantCode(r reply, want string) {
	f.Helper()
	if r.code() != want {
		f.Errorf("%d %s, want %s", r.status, r.body, want)
	}
}

func (f *chatFixture) leads() []parley.Lead {
	f.Helper()
	page, err := f.server.DB.Leads(f.Context(), f.ref(), leadFilter, parley.PageRequest{Limit: 50})
	if err != nil {
		f.Fatal(err)
	}
	return page.Items
}

func (f *chatFixture) addAction(a parley.Action) {
	f.Helper()
	now := time.Now()
	a.ID, a.AccountID, a.AgentID = parley.ActionID(parley.NewUUID()), parley.AccountID(f.server.Account),
		parley.AgentID(f.agent)
	a.Description, a.Enabled, a.CreatedAt, a.UpdatedAt = "For tests.", true, now, now
	if err := f.server.DB.PutAction(f.Context(), &a); err != nil {
		f.Fatal(err)
	}
}

func TestLeadIsStored(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		f.post(token, "/leads", fields{"conversationId": chat.conversation, "name": "Ann", "email": "ann@example.org"}, nil)
		f.post(token, "/leads", fields{"phone": "+44 20 1"}, nil)
		f.post(token, "/leads", fields{"email": "spam@example.org", "website": "https://spam.example"}, nil)
		leads := f.leads()
		if len(leads) != 2 || string(leads[1].ConversationID) != chat.conversation || leads[1].Email != "ann@example.org" ||
			leads[0].ConversationID != "" || leads[0].Phone != "+44 20 1" {
			f.Errorf("%+v", leads)
		}
		r := f.do(http.MethodPost, f.agent+"/leads", token, fields{"name": "Ann", "email": "ann"})
		if r.status != http.StatusBadRequest || !bytes.Contains(r.body, []byte(`"email"`)) {
			f.Errorf("%d %s", r.status, r.body)
		}
		f.wantCode(f.do(http.MethodPost, f.agent+"/leads", f.newVisitor(),
			fields{"conversationId": chat.conversation, "email": "a@example.org"}), "CONVERSATION_NOT_FOUND")
		f.wantCode(f.do(http.MethodPost, f.agent+"/leads", token, fields{"email": "b@example.org"}),
			"RATE_LIMIT_TOO_MANY_REQUESTS")
	})
}

func TestFormOfThePageIsAnswered(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		f.addAction(parley.Action{Key: "order", Kind: parley.ActionClient, Name: "order_form"})
		token := f.newVisitor()
		f.model.AddScript(scripted.ToolCall("", "order_form", `{}`), scripted.FinishWithToolCalls())
		chat := f.send(token, fields{"message": "I want to order"})
		call := f.waitingCall(chat.conversation)
		path := f.agent + "/forms/" + call
		f.wantCode(f.do(http.MethodPost, path, token, fields{"conversationId": chat.conversation, "values": 1}),
			"VALIDATION_INVALID_BODY")
		f.wantCode(f.do(http.MethodPost, path, token, fields{"conversationId": chat.conversation,
			"values": fields{"a": strings.Repeat("x", 21<<10)}}), "VALIDATION_INVALID_BODY")
		f.wantCode(f.do(http.MethodPost, path, f.newVisitor(), fields{"conversationId": chat.conversation,
			"values": fields{"size": "L"}}), "CONVERSATION_NOT_FOUND")
		f.post(token, "/forms/"+call, fields{"conversationId": chat.conversation, "values": fields{}, "website": "x"}, nil)
		f.post(token, "/forms/"+call, fields{"conversationId": chat.conversation, "values": fields{"size": "L"}}, nil)
		f.wantCode(f.do(http.MethodPost, path, token, fields{"conversationId": chat.conversation,
			"values": fields{"size": "M"}}), "RESOURCE_TOOL_CALL_NOT_FOUND")
		f.model.AddScript(scripted.Text("Large it is."), scripted.Stop())
		if a := f.send(token, fields{"conversationId": chat.conversation}); a.text != "Large it is." {
			f.Errorf("%+v", a)
		}
		requests := f.model.Requests()
		last := requests[len(requests)-1].Messages
		if got := last[len(last)-1].Text; !strings.Contains(got, `"size":"L"`) {
			f.Errorf("the model got %s", got)
		}
		if form := f.event(parley.EventFormsSubmit); !strings.Contains(form, `"formData":{"size":"L"}`) ||
			!strings.Contains(form, `"formName":"order_form"`) || !strings.Contains(form, `"userId":null`) {
			f.Errorf("event: %s", form)
		}
	})
}

// waitingCall returns the id of the only tool call of a conversation.
func (f *chatFixture) waitingCall(conversation string) string {
	f.Helper()
	calls, err := f.server.DB.ToolCalls(f.Context(), f.ref().ConversationRef(parley.ConversationID(conversation)))
	if err != nil || len(calls) != 1 {
		f.Fatal(calls, err)
	}
	return calls[0].CallID
}

// event returns the payload of the last event of a kind.
func (f *chatFixture) event(kind parley.EventKind) (payload string) {
	f.Helper()
	page, err := f.server.DB.EventsAfter(f.Context(), parley.AccountID(f.server.Account), firstPosition, 1000)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range page.Events {
		if e.Kind == kind {
			payload = e.Payload
		}
	}
	return payload
}

func (f *chatFixture) addMember(name, email string) parley.UserID {
	f.Helper()
	created, err := admin.RunOn(f.Context(), f.server.AdminService, admin.AddMember,
		admin.NewMember{AccountID: f.server.Account, Email: email, Name: name, Role: "agent"})
	if err != nil {
		f.Fatal(err)
	}
	return parley.UserID(created.UserID)
}

// eventReader reads what happens in a conversation.
type eventReader struct {
	f     *chatFixture
	res   *http.Response
	lines *bufio.Scanner
}

func (f *chatFixture) followEvents(token, conversation string) *eventReader {
	f.Helper()
	res := f.open(http.MethodGet, f.agent+"/conversation/"+conversation+"/events", token, nil)
	if res.StatusCode != http.StatusOK {
		f.Fatal(res.Status)
	}
	return &eventReader{f, res, bufio.NewScanner(res.Body)}
}

// want reads the next event, which must be of the kind and hold the texts.
func (r *eventReader) want(kind string, texts ...string) {
	r.f.Helper()
	var event []string
	for r.lines.Scan() && (r.lines.Text() != "" || len(event) == 0) {
		if line := r.lines.Text(); line != "" && !strings.HasPrefix(line, ":") {
			event = append(event, line)
		}
	}
	text := strings.Join(event, "\n")
	if !strings.HasPrefix(text, "event: "+kind+"\n") ||
		slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(text, s) }) {
		r.f.Fatalf("event %q, want %s with %q", text, kind, texts)
	}
}

type handover struct {
	Status           string
	TicketNumber     int64
	IsAway           bool
	CanAnswerByEmail bool
}

func TestVisitorTalksToAPerson(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		kim := f.addMember("Kim", "kim@shop.example")
		token := f.newVisitor()
		chat := f.send(token, fields{"message": "My order is broken"})
		ref := f.ref().ConversationRef(parley.ConversationID(chat.conversation))
		typing := f.agent + "/conversation/" + chat.conversation + "/typing"
		f.wantCode(f.do(http.MethodPost, typing, token, nil), "CONVERSATION_NOT_TAKEN_OVER")

		var first, again handover
		f.post(token, "/handover", fields{"conversationId": chat.conversation, "reason": "It is broken"}, &first)
		f.post(token, "/handover", fields{"conversationId": chat.conversation, "email": "ann@example.org"}, &again)
		if first != (handover{Status: "taken_over", TicketNumber: 1}) || again != first {
			f.Fatalf("%+v, then %+v", first, again)
		}
		ticket, err := f.server.DB.TicketOfConversation(f.Context(), ref)
		if err != nil || ticket.Customer.Email != "ann@example.org" || !strings.Contains(string(ticket.Metadata), "broken") {
			f.Fatalf("%+v %v", ticket, err)
		}

		events := f.followEvents(token, chat.conversation)
		events.want("status", `"taken_over"`)
		if _, err := f.server.Conversations.TakeOver(f.Context(), ref, string(kim), "", false); err != nil {
			f.Fatal(err)
		}
		events.want("person", `"name":"Kim"`, `"picture":null`, `"state":"joined"`)
		if _, err := admin.RunOn(f.Context(), f.server.AdminService, admin.TellTyping,
			admin.ConversationPath{ID: chat.conversation}); err != nil {
			f.Fatal(err)
		}
		events.want("typing", `"until":`)
		if _, err := f.server.Conversations.AddHumanReply(f.Context(), ref, kim, "Let me see."); err != nil {
			f.Fatal(err)
		}
		events.want("message", `"author":"human"`, "Let me see.", `"person":{"name":"Kim","picture":null}`)
		f.into(f.do(http.MethodPost, typing, token, nil), nil)
		f.post(token, "/conversation/"+chat.conversation+"/messages", fields{"message": "It has a crack"}, nil)
		events.want("message", `"author":"user"`, "It has a crack")
		f.wantCode(f.do(http.MethodPost, f.agent+"/messages", token,
			fields{"conversationId": chat.conversation, "message": "Agent?"}), "CHAT_CONVERSATION_NOT_ONGOING")
		if _, err := f.server.Conversations.HandBack(f.Context(), ref, string(kim)); err != nil {
			f.Fatal(err)
		}
		events.want("status", `"ongoing"`)
		events.want("person", `"name":"Kim"`, `"state":"left"`)
		if a := f.send(token, fields{"message": "Thanks", "conversationId": chat.conversation}); a.text != "Thanks" {
			f.Errorf("%+v", a)
		}
	})
}

// TestTeamTakesOverWhileTheVisitorLooks follows a conversation that the agent answers, as an open chat does.
func TestTeamTakesOverWhileTheVisitorLooks(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		kim, token := f.addMember("Kim", "kim@shop.example"), f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		ref := f.ref().ConversationRef(parley.ConversationID(chat.conversation))
		events := f.followEvents(token, chat.conversation)
		events.want("status", `"ongoing"`)
		step := func(err error) {
			if err != nil {
				f.Fatal(err)
			}
		}
		_, err := f.server.Conversations.TakeOver(f.Context(), ref, string(kim), "", false)
		step(err)
		events.want("status", `"taken_over"`)
		events.want("person", `"name":"Kim"`, `"state":"joined"`)
		_, err = f.server.Conversations.HandBack(f.Context(), ref, string(kim))
		step(err)
		events.want("status", `"ongoing"`)
		events.want("person", `"name":"Kim"`, `"state":"left"`)
		_, err = f.server.Conversations.End(f.Context(), ref, string(kim))
		step(err)
		events.want("status", `"ended"`)
		if events.lines.Scan() && events.lines.Text() != "" {
			f.Errorf("it goes on: %q", events.lines.Text())
		}
	})
}

// TestOpenChatsLeaveStreamsToAnswers checks that chats of an address in which nobody waits for anything do not keep the
// agent from answering there.
func TestOpenChatsLeaveStreamsToAnswers(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		events := "/conversation/" + chat.conversation + "/events"
		for range 10 {
			f.followEvents(token, chat.conversation).want("status", `"ongoing"`)
		}
		r := f.do(http.MethodGet, f.agent+events, token, nil)
		if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || r.header.Get("Retry-After") != "60" {
			f.Errorf("%d %v %s", r.status, r.header, r.body)
		}
		if a := f.send(token, fields{"message": "Hi", "conversationId": chat.conversation}); a.text != "Hi" {
			f.Errorf("%+v", a)
		}
		f.post(token, "/handover", fields{"conversationId": chat.conversation}, nil)
		f.followEvents(token, chat.conversation).want("status", `"taken_over"`)
	})
}

// TestReadAnswersAreNoted checks that what a person has written is known to be read once the visitor has asked for it,
// or it has come in an open stream.
func TestReadAnswersAreNoted(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		kim, token := f.addMember("Kim", "kim@shop.example"), f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		f.post(token, "/handover", fields{"conversationId": chat.conversation}, nil)
		ref := f.ref().ConversationRef(parley.ConversationID(chat.conversation))
		answer := func(text string) (isRead func() bool) {
			m, err := f.server.Conversations.AddHumanReply(f.Context(), ref, kim, text)
			check.Must(f, err)
			return func() bool {
				c, err := f.server.DB.Conversation(f.Context(), ref)
				check.Must(f, err)
				v, err := f.server.DB.FindVisitor(f.Context(), ref.AgentRef, c.VisitorID)
				check.Must(f, err)
				return v.LastSeenAt.After(m.CreatedAt)
			}
		}
		isRead := answer("It was sent.")
		if isRead() {
			f.Error("it is read before it was asked for")
		}
		f.do(http.MethodGet, f.agent+"/conversation/"+chat.conversation, token, nil)
		if !isRead() {
			f.Error("it was asked for, and is not read")
		}
		events := f.followEvents(token, chat.conversation)
		events.want("status", `"taken_over"`)
		events.want("person", `"name":"Kim"`, `"state":"joined"`)
		isRead = answer("On Monday.")
		events.want("message", "On Monday.")
		testkit.Eventually(f, "what came in a stream is read", isRead)
	})
}

func TestNobodyWorksNow(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		f.post(token, "/handover", fields{"conversationId": chat.conversation}, nil)
		team, err := f.server.DB.DefaultTeam(f.Context(), f.ref())
		if err != nil {
			f.Fatal(err)
		}
		yesterday := strings.ToLower(time.Now().UTC().Add(-48 * time.Hour).Format("Mon"))
		if _, err := f.server.Helpdesk.ChangeTeam(f.Context(), f.ref(), team.ID, "", func(t *parley.Team) {
			t.Hours = []parley.WorkingHours{{Days: []string{yesterday}, From: "09:00", To: "10:00", TimeZone: "UTC"}}
		}); err != nil {
			f.Fatal(err)
		}
		var out handover
		f.post(token, "/handover", fields{"conversationId": chat.conversation}, &out)
		if !out.IsAway || out.CanAnswerByEmail {
			f.Errorf("%+v", out)
		}
		events := f.followEvents(token, chat.conversation)
		events.want("status", `"taken_over"`)
		events.want("person", `"name":null`, `"state":"away"}`)
		f.wantCode(f.do(http.MethodPost, f.agent+"/handover", token, fields{"conversationId": chat.conversation,
			"email": "nothing"}), "VALIDATION_INVALID_BODY")
		f.post(token, "/handover", fields{"conversationId": chat.conversation, "email": "ann@example.org"}, &out)
		if !out.IsAway || !out.CanAnswerByEmail {
			f.Errorf("with an address: %+v", out)
		}
		events = f.followEvents(token, chat.conversation)
		events.want("status", `"taken_over"`)
		events.want("person", `"state":"away","canAnswerByEmail":true`)
	}, testkit.WithConfig(func(c *server.Config) {
		c.SMTPURL, c.MailFrom = "smtp://127.0.0.1:9", "parley@shop.example" // nothing is mailed
	}))
}

// TestPersonIsAskedForBeforeAnyMessage has a visitor without a conversation ask for a person: the reason is the first
// message, and no agent answers it.
func TestPersonIsAskedForBeforeAnyMessage(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		var out struct {
			ConversationID, Status string
			TicketNumber           int
		}
		f.post(token, "/handover", fields{"reason": " My parcel is lost ", "email": "ann@example.org",
			"page": "https://shop.example/a?b=c", "title": "Shop", "locale": "de", "mode": "iframe"}, &out)
		if out.Status != "taken_over" || out.TicketNumber != 1 {
			f.Errorf("%+v", out)
		}
		h := f.history(token, out.ConversationID)
		if h.Status != "taken_over" || len(h.Messages) != 1 || h.Messages[0].Author != "user" ||
			h.Messages[0].Parts[0].Text != "My parcel is lost" {
			f.Errorf("%+v", h)
		}
		conv, err := f.server.DB.Conversation(f.Context(), f.ref().ConversationRef(parley.ConversationID(out.ConversationID)))
		if err != nil || conv.Channel != parley.ChannelIframe || conv.EmbedOrigin != "https://shop.example/a" ||
			conv.EmbedTitle != "Shop" || conv.EmbedLocale != "de" || conv.WaitingSince == nil {
			f.Errorf("%+v %v", conv, err)
		}
		if n := len(f.model.Requests()); n != 0 {
			f.Errorf("the model was asked %d times", n)
		}
		for _, body := range []fields{{}, {"reason": "  "}, {"conversationId": nil, "reason": nil}} {
			f.wantCode(f.do(http.MethodPost, f.agent+"/handover", token, body), "VALIDATION_INVALID_BODY")
		}
		f.change(`{"allowedDomains":["shop.example"]}`)
		f.wantCode(f.do(http.MethodPost, f.agent+"/handover", token, fields{"reason": "Hello",
			"page": "https://evil.example/a"}), "AUTH_DOMAIN_NOT_ALLOWED")
	})
}

func TestHandoverIsSwitchedOff(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		f.post(token, "/handover", fields{"conversationId": chat.conversation}, nil) // makes the help desk
		if err := f.server.DB.SetHandoverEnabled(f.Context(), f.ref(), false, time.Now()); err != nil {
			f.Fatal(err)
		}
		ask := fields{"conversationId": chat.conversation}
		f.wantCode(f.do(http.MethodPost, f.agent+"/handover", token, ask), "NOT_FOUND")
		if f.config(f.agent, "").Features.Handover {
			f.Error("a person is offered")
		}
		f.addAction(parley.Action{Key: "human", Kind: parley.ActionEscalate, Name: "human", Config: json.RawMessage(`{}`)})
		f.post(token, "/handover", ask, nil)
		if !f.config(f.agent, "").Features.Handover {
			f.Error("no person is offered")
		}
	})
}

func TestPeoplesThingsOfSomebodyElseAreNotThere(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token, stranger := f.newVisitor(), f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		const nothing = "0199a000-0000-7000-8000-000000000000"
		for path, body := range map[string]func(id string) fields{
			"/handover":                  func(id string) fields { return fields{"conversationId": id} },
			"/forms/x":                   func(id string) fields { return fields{"conversationId": id, "values": fields{}} },
			"/leads":                     func(id string) fields { return fields{"conversationId": id, "email": "a@b.example"} },
			"/conversation/{c}/typing":   func(string) fields { return nil },
			"/conversation/{c}/messages": func(string) fields { return fields{"message": "Hi"} },
		} {
			ask := func(id string) reply {
				return f.do(http.MethodPost, f.agent+strings.ReplaceAll(path, "{c}", id), stranger, body(id))
			}
			foreign, none := ask(chat.conversation), ask(nothing)
			if foreign.code() != "CONVERSATION_NOT_FOUND" || !bytes.Equal(foreign.body, none.body) ||
				foreign.status != none.status {
				f.Errorf("%s: %d %s, for none %d %s", path, foreign.status, foreign.body, none.status, none.body)
			}
		}
	})
}
