package notice_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/jobs"
	"parley/internal/mail"
	"parley/internal/notice"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/mailserver"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// fixture is an account with an agent and what mails, with a mail server and a clock that the test turns.
type fixture struct {
	check.T
	context.Context
	DB            *store.DB
	clock         *clock.Clock
	mails         *mailserver.Server
	service       *notice.Service
	queue         *jobs.Queue
	runner        *jobs.Runner
	conversations *chat.Conversations
	helpdesk      *helpdesk.Service
	agent         parley.AgentRef
	seen          int // mails that the test has looked at
}

func forEachStore(t *testing.T, do func(f *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { do(newFixture(t, db)) })
}

func newFixture(t *testing.T, db *store.DB) *fixture {
	t.Helper()
	f := &fixture{T: check.T{TB: t}, Context: t.Context(), DB: db, clock: clock.New(),
		mails: mailserver.Start(t, mailserver.Options{})}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	sender, err := mail.NewSMTP("smtp://"+f.mails.Addr, "parley@shop.example")
	f.Must(err)
	f.queue = &jobs.Queue{Now: f.clock.Now}
	f.service = &notice.Service{DB: db, Queue: f.queue, Sender: sender, Now: f.clock.Now, Logger: quiet,
		ConsoleURL: "https://parley.example/console", PagesURL: "https://parley.example"}
	f.runner = &jobs.Runner{DB: db.SQL(), Queue: f.queue, Logger: quiet, Handlers: f.service.Handlers()}
	f.helpdesk = &helpdesk.Service{DB: db, Now: f.clock.Now, Logger: quiet, Secret: []byte("secret")}
	f.conversations = &chat.Conversations{DB: db, Queue: f.queue, Hub: &chat.Hub{}, Now: f.clock.Now, Logger: quiet}
	account := dbs.CreateAccount(t, db, "unlimited", f.clock.Now()).ID
	f.agent = account.AgentRef(dbs.CreateAgent(t, db, dbs.NewAgent(account, f.clock.Now())))
	return f
}

func (f *fixture) addMember(name string, role parley.Role) parley.UserID {
	f.Helper()
	m := &parley.Membership{AccountID: f.agent.Account, Role: role, CreatedAt: f.clock.Now(),
		User: parley.User{ID: parley.UserID(parley.NewUUID()), Email: name + "@shop.example", Name: name,
			CreatedAt: f.clock.Now()}}
	f.Must(f.DB.AddMember(f, m))
	return m.User.ID
}

// setNotifications says which mails a member wants.
func (f *fixture) setNotifications(user parley.UserID, wanted map[string]bool) {
	f.Helper()
	p, err := f.DB.Profile(f, user)
	f.Must(err)
	p.Notifications = wanted
	f.Must(f.DB.UpdateProfile(f, p))
}

func (f *fixture) changeAgent(change func(a *parley.Agent)) {
	f.Helper()
	f.Must(f.DB.UpdateAgent(f, f.agent, func(a *parley.Agent) error {
		change(a)
		return nil
	}))
}

// newConversation stores a conversation of a visitor, who was seen now.
func (f *fixture) newConversation(title string) *parley.Conversation {
	f.Helper()
	now := f.clock.Now()
	v := &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: f.agent.Account, AgentID: f.agent.Agent,
		Locale: "de", CreatedAt: now, LastSeenAt: now}
	f.Must(f.DB.CreateVisitor(f, v))
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: f.agent.Account,
		AgentID: f.agent.Agent, API: parley.APIV2, Channel: parley.ChannelWidget, Status: parley.ConversationOngoing,
		Title: title, VisitorID: v.ID, EmbedLocale: "de", EmbedOrigin: "https://evil.example/pay",
		CreatedAt: now, UpdatedAt: now}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete, Parts: []parley.Part{{Type: "text", Text: "Where is my order?"}}, CreatedAt: now}
	f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
		return tx.CreateConversation(f, c, first, false)
	}))
	return c
}

func (f *fixture) takeOver(c *parley.Conversation, by string) {
	f.Helper()
	_, err := f.conversations.TakeOver(f, c.Ref(), by, "", false)
	f.Must(err)
}

// newMails turns the clock, runs what is due, and returns the mails that the server has taken since the last call.
func (f *fixture) newMails(after time.Duration) []mailserver.Mail {
	f.Helper()
	for more := true; more; {
		var err error
		more, err = f.service.Follow(f)
		f.Must(err)
	}
	f.clock.Advance(after)
	_, err := f.runner.RunDue(f)
	f.Must(err)
	all := f.mails.Mails()
	defer func() { f.seen = len(all) }()
	return all[f.seen:]
}

func recipients(mails []mailserver.Mail) map[string]int {
	all := map[string]int{}
	for _, m := range mails {
		all[m.To]++
	}
	return all
}

func TestMembersAreMailedThatACustomerWaits(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		one := f.addMember("one", parley.RoleAgent)
		f.addMember("two", parley.RoleOwner)
		f.addMember("three", parley.RoleViewer)
		four := f.addMember("four", parley.RoleAgent)
		f.setNotifications(four, map[string]bool{notice.Preferences[mail.CustomerWaits]: false})
		c := f.newConversation("A broken lamp")
		f.takeOver(c, "visitor")
		if got := f.newMails(time.Second); len(got) > 0 {
			f.Errorf("%d mails before anybody could have looked", len(got))
		}
		got := f.newMails(time.Minute)
		if to := recipients(got); len(got) != 2 || to["one@shop.example"] != 1 || to["two@shop.example"] != 1 {
			f.Fatalf("mails to %v", to)
		}
		if m := got[0]; !strings.Contains(m.Text, "\n> A broken lamp\n") || m.HTML == "" ||
			!strings.Contains(m.Text, "\nhttps://parley.example/console/inbox/"+string(c.ID)+"\n") ||
			!strings.Contains(m.Header.Get("List-Unsubscribe"), "https://parley.example/console/me") {
			f.Errorf("the mail is %+v", m)
		}
		if more := f.newMails(time.Hour); len(more) > 0 {
			f.Errorf("%d further mails about the same", len(more))
		}
		answered := f.newConversation("A broken chair")
		f.takeOver(answered, "visitor")
		f.takeOver(answered, string(one))
		if more := f.newMails(time.Hour); len(more) > 0 {
			f.Errorf("%d mails about a customer whom somebody answers", len(more))
		}
	})
}

func TestNobodyIsMailedAboutAConversationTwiceInAQuarterOfAnHour(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		one := f.addMember("one", parley.RoleAgent)
		c := f.newConversation("A broken lamp")
		f.takeOver(c, "visitor")
		if got := f.newMails(time.Minute); len(got) != 1 {
			f.Fatalf("%d mails", len(got))
		}
		f.takeOver(c, string(one))
		_, err := f.conversations.HandBack(f, c.Ref(), string(one))
		f.Must(err)
		f.takeOver(c, "visitor")
		if got := f.newMails(5 * time.Minute); len(got) > 0 {
			f.Errorf("%d mails within a quarter of an hour", len(got))
		}
		if got := f.newMails(10 * time.Minute); len(got) != 1 {
			f.Errorf("%d mails after it", len(got))
		}
	})
}

func TestTheTextOfAConversationIsNotMailedWhereItIsWithheld(t *testing.T) {
	for name, withhold := range map[string]func(f *fixture){
		"an agent that redacts": func(f *fixture) { f.changeAgent(func(a *parley.Agent) { a.Redact = true }) },
		"an account under HIPAA": func(f *fixture) {
			f.Must(f.DB.UpdateAccount(f, f.agent.Account, f.clock.Now(), func(a *parley.Account) error {
				a.HIPAA = true
				return nil
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachStore(t, func(f *fixture) {
				one := f.addMember("one", parley.RoleAgent)
				withhold(f)
				c := f.newConversation("A broken lamp")
				f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.agent.Account, AgentID: f.agent.Agent,
					ConversationID: c.ID, Name: "Customer 1", Email: "customer1@x.example", CreatedAt: f.clock.Now()}))
				f.takeOver(c, "visitor")
				got := f.newMails(time.Minute)
				_, err := f.conversations.AddHumanReply(f, c.Ref(), one, "It was sent on Monday.")
				f.Must(err)
				got = append(got, f.newMails(time.Hour)...)
				if len(got) != 2 {
					f.Fatalf("%d mails", len(got))
				}
				for _, m := range got {
					for _, text := range []string{"lamp", "Monday", "Customer 1", "order"} {
						if strings.Contains(m.Raw, text) {
							f.Errorf("%q is in the mail to %s", text, m.To)
						}
					}
				}
			})
		})
	}
}

func TestCustomersWhoAreAwayAreMailedWhatWasAnswered(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		one, c := f.addMember("one", parley.RoleAgent), f.newConversation("A broken lamp")
		f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.agent.Account, AgentID: f.agent.Agent,
			ConversationID: c.ID, Email: "customer1@x.example", CreatedAt: f.clock.Now()}))
		f.takeOver(c, string(one))
		f.clock.Advance(time.Minute)
		reply := func(text string) {
			f.Helper()
			_, err := f.conversations.AddHumanReply(f, c.Ref(), one, text)
			f.Must(err)
		}
		reply("It was sent on Monday.")
		reply("**Sorry** for that.")
		got := f.newMails(10 * time.Minute)
		if len(got) != 1 || got[0].To != "customer1@x.example" {
			f.Fatalf("mails to %v", recipients(got))
		}
		m := got[0]
		if !strings.Contains(m.Text, "\n> It was sent on Monday.\n>\n> **Sorry** for that.\n") ||
			!strings.Contains(m.Text, "antworten Sie nicht") || strings.Contains(m.Raw, "evil.example") ||
			!strings.Contains(m.Text, "\nhttps://parley.example/"+string(f.agent.Agent)+"/help\n") {
			f.Errorf("the mail is %s", m.Text)
		}
		reply("Are you there?")
		v, err := f.DB.FindVisitor(f, f.agent, c.VisitorID)
		f.Must(err)
		f.clock.Advance(time.Minute)
		f.Must(f.DB.TouchVisitor(f, v, f.clock.Now().Add(time.Hour)))
		if more := f.newMails(time.Hour); len(more) > 0 {
			f.Errorf("%d mails to a customer who was there", len(more))
		}
	})
}

// What the customer has seen is not mailed, and what is behind it has its own time.
func TestAnswersAreMailedTenMinutesAfterThemselves(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		one, c := f.addMember("one", parley.RoleAgent), f.newConversation("A broken lamp")
		f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.agent.Account, AgentID: f.agent.Agent,
			ConversationID: c.ID, Email: "customer1@x.example", CreatedAt: f.clock.Now()}))
		f.takeOver(c, string(one))
		f.clock.Advance(time.Minute)
		_, err := f.conversations.AddHumanReply(f, c.Ref(), one, "It was sent on Monday.")
		f.Must(err)
		if mails := f.newMails(3 * time.Minute); len(mails) > 0 {
			f.Errorf("%d mails after three minutes", len(mails))
		}
		v, err := f.DB.FindVisitor(f, f.agent, c.VisitorID)
		f.Must(err)
		f.Must(f.DB.TouchVisitor(f, v, f.clock.Now()))
		f.clock.Advance(2 * time.Minute)
		_, err = f.conversations.AddHumanReply(f, c.Ref(), one, "The lamp is with you.")
		f.Must(err)
		if mails := f.newMails(9 * time.Minute); len(mails) > 0 {
			f.Errorf("%d mails nine minutes after the second answer", len(mails))
		}
		mails := f.newMails(time.Minute)
		if len(mails) != 1 || strings.Contains(mails[0].Text, "Monday") || !strings.Contains(mails[0].Text, "> The lamp") {
			f.Errorf("ten minutes after the second answer there are %+v", mails)
		}
	})
}

func TestMembersAreMailedThatATicketIsTheirs(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		one, two := f.addMember("one", parley.RoleAgent), f.addMember("two", parley.RoleAgent)
		ticket, err := f.helpdesk.Open(f, f.agent, helpdesk.NewTicket{Subject: "A broken lamp", Description: "Please help",
			Email: "customer1@x.example", Assignee: helpdesk.AssignTo(one)})
		f.Must(err)
		got := f.newMails(time.Minute)
		if len(got) != 1 || got[0].To != "one@shop.example" || !strings.Contains(got[0].Text, "\n> A broken lamp\n") {
			f.Fatalf("mails to %v", recipients(got))
		}
		f.setNotifications(two, map[string]bool{notice.Preferences[mail.TicketAssigned]: false})
		_, err = f.helpdesk.Change(f, f.agent, ticket.Number, helpdesk.Change{Assignee: helpdesk.AssignTo(two)}, string(one))
		f.Must(err)
		if more := f.newMails(time.Hour); len(more) > 0 {
			f.Errorf("mails to %v, who want none", recipients(more))
		}
	})
}

func TestWhoTakesAConversationOverIsNotMailedThatItsTicketIsTheirs(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.conversations.HandoverObserver = f.helpdesk
		one, two, c := f.addMember("one", parley.RoleAgent), f.addMember("two", parley.RoleAgent), f.newConversation("A lamp")
		_, err := f.conversations.Claim(f, c.Ref(), one, "")
		f.Must(err)
		if mails := f.newMails(time.Hour); len(mails) > 0 {
			f.Errorf("mails to %v after a member took it over", recipients(mails))
		}
		_, err = f.conversations.Claim(f, c.Ref(), two, one)
		f.Must(err)
		if mails := f.newMails(time.Hour); len(mails) > 0 {
			f.Errorf("mails to %v after another one took it", recipients(mails))
		}
	})
}

func TestDailyMailsAreSentOnceADayInTheTimeZoneOfTheAccount(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.Must(f.DB.UpdateAccount(f, f.agent.Account, f.clock.Now(), func(a *parley.Account) error {
			a.TimeZone = "Pacific/Auckland" // 13 hours ahead: noon of the clock is one o'clock of the next day
			return nil
		}))
		f.changeAgent(func(a *parley.Agent) {
			a.Notifications = json.RawMessage(`{
				"dailyLeadsCollected": {"active": true, "emails": ["one@x.example", "two@x.example"]},
				"dailyConversations": {"active": false, "emails": ["three@x.example"]}}`)
		})
		f.Must(f.service.EnqueueDailyMails(f)) // the first look notes the day
		c := f.newConversation("A broken lamp")
		for _, name := range []string{"Customer 1", "Customer 2"} {
			f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.agent.Account, AgentID: f.agent.Agent,
				ConversationID: c.ID, Name: name, Email: name[9:] + "@y.example", CreatedAt: f.clock.Now()}))
		}
		var got []mailserver.Mail
		for range 48 { // looks every half hour, each as after a restart
			f.Must(f.service.EnqueueDailyMails(f))
			got = append(got, f.newMails(30*time.Minute)...)
		}
		if len(got) > 0 {
			f.Fatalf("%d mails before the day was over there", len(got))
		}
		for range 48 {
			f.Must(f.service.EnqueueDailyMails(f))
			got = append(got, f.newMails(30*time.Minute)...)
		}
		if to := recipients(got); len(got) != 2 || to["one@x.example"] != 1 || to["two@x.example"] != 1 {
			f.Fatalf("mails to %v", to)
		}
		for _, text := range []string{"2026-11-11: 2\n", "\n> Customer 1 · 1@y.example\n",
			"\n> Customer 2 · 2@y.example\n"} {
			if !strings.Contains(got[0].Text, text) {
				f.Errorf("%q is not in %s", text, got[0].Text)
			}
		}
	})
}

func TestAMailServerThatFailsIsTriedAgain(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.addMember("one", parley.RoleAgent)
		f.mails.Reject(450)
		f.takeOver(f.newConversation("A broken lamp"), "visitor")
		if got := f.newMails(time.Minute); len(got) > 0 {
			f.Fatal("a mail was taken")
		}
		kinds := []string{}
		for kind := range f.service.Handlers() {
			kinds = append(kinds, kind)
		}
		n, reason, err := f.queue.Failures(f, f.DB.SQL(), kinds)
		f.Must(err)
		if n != 1 || reason == "" || strings.Contains(reason, "one@shop.example") {
			f.Errorf("%d failures: %s", n, reason)
		}
		f.mails.Reject(0)
		if got := f.newMails(time.Minute); len(got) != 1 {
			f.Errorf("%d mails when the server takes them again", len(got))
		}
		if n, reason, err = f.queue.Failures(f, f.DB.SQL(), kinds); err != nil || n != 0 || reason != "" {
			f.Errorf("%d failures: %s %v", n, reason, err)
		}
	})
}
