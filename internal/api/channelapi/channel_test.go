package channelapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

func TestMessageIsAnsweredWhereItCameFrom(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		body := `{"messageId": "m1", "conversationId": "C1/17.2", "userId": "U1", "text": "Are you open?"}`
		status, got := m.post(m.id, sign(m.secret, "m1", m.clock.Now(), body), body)
		if status != http.StatusAccepted || got.AnsweredBy != "agent" || got.IsRepeated {
			t.Fatal(status, got)
		}
		event := m.await(1)[0]
		// The model of the tests repeats what it is asked.
		if data := event.Data; event.Type != "message.created" || data.ChannelID != m.id ||
			data.ConversationID != "C1/17.2" || data.ParleyID != got.ConversationID || data.UserID != "U1" ||
			data.Message.Author != "agent" || !data.Message.IsComplete || data.Message.Text != "Are you open?" {
			m.Error(event)
		}
		header := m.out.headers[0]
		signed := sign(m.secret, header.Get("Webhook-Id"), m.clock.Now(), m.out.bodies[0]).Get("Webhook-Signature")
		if !strings.HasSuffix(signed, header.Get("Webhook-Signature")) {
			m.Error("the answer is not signed with the channel's secret", header)
		}
		next := m.send("m2", "C1/17.2", "And on Sundays?")
		if next.ConversationID != got.ConversationID {
			m.Error("the conversation did not go on", got, next)
		}
		m.await(2)
		conv, err := m.srv.DB.Conversation(m.Context(), m.ref(got))
		m.must(err)
		if conv.Channel != parley.ChannelSlack || conv.UserID != "U1" || conv.MessageCount != 4 {
			m.Error(conv)
		}
		for source, want := range map[string]bool{"Slack": true, "WhatsApp": false} {
			r := m.srv.Do(m.T, "GET", "/agents/"+m.agent+"/conversations/export?source="+source, m.srv.Key, nil)
			if r.Status != http.StatusOK || strings.Contains(string(r.Body), got.ConversationID) != want {
				m.Error(source, r.Status, string(r.Body))
			}
		}
	})
}

func TestMessagesComeInOnce(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		first := m.send("m1", "D1", "Hello there")
		again := m.send("m1", "D1", "Hello there")
		if !again.IsRepeated || again.MessageID != first.MessageID || again.ConversationID != first.ConversationID {
			m.Error(first, again)
		}
		const n = 16
		check.Concurrently(n, func(i int) {
			body := message(fmt.Sprint("p", i/2), "D"+fmt.Sprint(10+i/4), "Hello "+fmt.Sprint(i/2)) // each message twice
			for status := 0; status != http.StatusAccepted; {
				status, _ = m.post(m.id, sign(m.secret, fmt.Sprint(i), m.clock.Now(), body), body)
				if status != http.StatusAccepted && status != http.StatusConflict {
					m.Error(status)
					return
				}
			}
		})
		for c := range n / 4 {
			id, err := m.srv.DB.ConversationByExternalID(m.Context(), m.agentRef(), parley.APIV2,
				m.id+"/D"+fmt.Sprint(10+c))
			m.must(err)
			if n := m.countQuestions(m.agentRef().ConversationRef(id)); n != 2 {
				m.Errorf("conversation %d has %d messages of the customer, want 2", c, n)
			}
		}
	})
}

// TestAnswersKeepTheirOrder has the program fail: what comes later in the conversation waits for what came before, and
// another conversation does not.
func TestAnswersKeepTheirOrder(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		m.out.refuse(http.StatusServiceUnavailable)
		m.send("m1", "D1", "The first")
		testkit.Eventually(t, "the first answer is refused", func() bool { return m.out.tried() == 1 })
		m.send("m2", "D1", "The second")
		m.send("m3", "D2", "Another")
		if events := m.await(1); events[0].Data.ConversationID != "D2" {
			m.Error("the second answer came before the first", events)
		}
		testkit.Eventually(t, "the second answer waits", func() bool {
			list, err := m.srv.DB.Deliveries(m.Context(), store.DeliveryFilter{Webhook: parley.WebhookID(m.id),
				State: parley.DeliveryPending}, 10)
			m.must(err)
			return len(list) == 2
		})
		m.clock.Advance(time.Minute)
		m.send("m4", "D2", "One more") // has deliveries looked for
		texts := ""
		for _, e := range m.await(4) {
			if e.Data.ConversationID == "D1" {
				texts += e.Data.Message.Text + ". "
			}
		}
		if texts != "The first. The second. " {
			m.Error(texts)
		}
	})
}

func TestPersonsAnswerInTheMessenger(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		first := m.send("m1", "D1", "Hello there")
		m.await(1)
		ref := m.ref(first)
		_, err := m.srv.Conversations.TakeOver(m.Context(), ref, "operator", "", false)
		m.must(err)
		if got := m.send("m2", "D1", "Is anybody there?"); got.AnsweredBy != "person" ||
			got.ConversationID != first.ConversationID {
			m.Error(got)
		}
		if again := m.send("m2", "D1", "Is anybody there?"); !again.IsRepeated || again.AnsweredBy != "person" {
			m.Error(again)
		}
		_, err = m.srv.Conversations.AddHumanReply(m.Context(), ref, "operator", "I am.")
		m.must(err)
		events := m.await(3)
		if reply := events[2]; events[1].Type != "conversation.taken_over" || reply.Data.Message.Author != "person" ||
			reply.Data.Message.Text != "I am." || reply.Data.ConversationID != "D1" {
			m.Error(events)
		}
	})
}

// TestAnotherMessengerIsNoTicket writes by REST v2 into a conversation whose origin is that of tickets.
func TestAnotherMessengerIsNoTicket(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		m.addChannel("Unspecified")
		first := m.send("m1", "D1", "Hello there")
		_, err := m.srv.Conversations.TakeOver(m.Context(), m.ref(first), "operator", "", false)
		m.must(err)
		path := "/agents/" + m.agent + "/conversations/" + first.ConversationID + "/messages"
		r := m.srv.Do(m.T, "POST", path, m.srv.Key, map[string]string{"message": "It is me"})
		if r.Status != http.StatusNotFound || m.countQuestions(m.ref(first)) != 1 {
			m.Error(r.Status, string(r.Body))
		}
	})
}

// TestPersonSeesAMessageOnce sends a message again whose answer has failed, once somebody has taken over.
func TestPersonSeesAMessageOnce(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		m.model.AddScript(scripted.Step{Err: errors.New("broken")})
		first := m.send("m1", "D1", "Hello there")
		if e := m.await(1)[0]; e.Type != "turn.failed" {
			m.Fatal(e)
		}
		_, err := m.srv.Conversations.TakeOver(m.Context(), m.ref(first), "operator", "", false)
		m.must(err)
		again := m.send("m1", "D1", "Hello there")
		if !again.IsRepeated || again.AnsweredBy != "person" || again.MessageID != first.MessageID {
			m.Error(first, again)
		}
		if n := m.countQuestions(m.ref(first)); n != 1 {
			m.Errorf("the person sees it %d times", n)
		}
	})
}

func TestPausedConversationIsAnsweredByNobody(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		first := m.send("m1", "D1", "Hello there")
		m.await(1)
		_, err := m.srv.Conversations.Pause(m.Context(), m.ref(first), true)
		m.must(err)
		if got := m.send("m2", "D1", "Still there?"); got.AnsweredBy != "nobody" {
			m.Error(got)
		}
		if again := m.send("m2", "D1", "Still there?"); !again.IsRepeated || again.AnsweredBy != "nobody" {
			m.Error(again)
		}
		if events := m.await(2); events[1].Type != "conversation.paused" {
			m.Error(events)
		}
	})
}

func TestConversationThatHasEndedIsFollowedByAnother(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		first := m.send("m1", "D1", "Hello there")
		_, err := m.srv.Conversations.End(m.Context(), m.ref(first), "operator")
		m.must(err)
		second := m.send("m2", "D1", "Hello again")
		if second.ConversationID == first.ConversationID || second.AnsweredBy != "agent" {
			m.Error(first, second)
		}
		events := m.await(3)
		for _, e := range events {
			if e.Data.ConversationID != "D1" {
				m.Error(e)
			}
		}
		if !slices.ContainsFunc(events, func(e sentEvent) bool { return e.Type == "conversation.ended" }) {
			m.Error("the end was not told", events)
		}
	})
}

// refusal is a request that is refused.
type refusal struct {
	id     string
	header http.Header
	body   string
	status int
	code   parley.Code
}

// TestOnlyTheChannelItselfIsHeard is the isolation of the one operation.
func TestOnlyTheChannelItselfIsHeard(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		own := *m
		m.addChannel("Slack") // another one, with another secret
		body, now := message("m1", "D1", "Hello"), m.clock.Now()
		hook, err := admin.RunOn(m.Context(), m.srv.AdminService, admin.AddWebhook, admin.NewWebhook{AgentID: m.agent,
			Endpoint: m.out.URL, Events: []string{"leads.submit"}})
		m.must(err)
		good := sign(own.secret, "m1", now, body)
		refused := func(id string, header http.Header, body string) refusal {
			return refusal{id, header, body, http.StatusUnauthorized, parley.CodeInvalidSignature}
		}
		unknown := func(id string, header http.Header) refusal {
			return refusal{id, header, body, http.StatusNotFound, parley.CodeNotFound}
		}
		signed := func(secret string, at time.Time) http.Header { return sign(secret, "m1", at, body) }
		without := func(name string) http.Header {
			h := good.Clone()
			h.Del(name)
			return h
		}
		for name, c := range map[string]refusal{
			"no signature":    refused(own.id, http.Header{}, body),
			"an API key":      refused(own.id, http.Header{"Authorization": {"Bearer " + m.srv.Key}}, body),
			"another secret":  refused(own.id, signed(m.secret, now), body),
			"another channel": refused(m.id, good, body),
			"another body":    refused(own.id, good, message("m1", "D1", "Hallo")),
			"an old one":      refused(own.id, signed(own.secret, now.Add(-6*time.Minute)), body),
			"one of later":    refused(own.id, signed(own.secret, now.Add(6*time.Minute)), body),
			"no id":           refused(own.id, without("Webhook-Id"), body),
			"no time":         refused(own.id, without("Webhook-Timestamp"), body),
			"unknown":         unknown("00000000-0000-4000-8000-000000000000", good),
			"malformed":       unknown("channel", good),
			"a webhook":       unknown(hook.WebhookID, signed(hook.Secret, now)),
		} {
			if status, out := m.post(c.id, c.header, c.body); status != c.status || out.Error.Code != string(c.code) {
				m.Errorf("%s: %d %s, want %d %s", name, status, out.Error.Code, c.status, c.code)
			}
		}
		status, out := m.post(own.id, good, body)
		if status != http.StatusAccepted {
			m.Error(status, out)
		}
		if got := m.send("m1", "D1", "Hello"); got.IsRepeated || got.ConversationID == out.ConversationID {
			m.Error("two channels share a conversation", got)
		}
	})
}

// TestUnsignedRequestsCountForTheirAddress names another channel each time, and is refused as often as with one.
func TestUnsignedRequestsCountForTheirAddress(t *testing.T) {
	const limit = 200
	m := open(t, testkit.WithConfig(func(c *server.Config) { c.RateLimit = limit }))
	for range limit {
		if status, _ := m.post(parley.NewUUID(), http.Header{}, "{}"); status != http.StatusNotFound {
			m.Fatal(status)
		}
	}
	status, out := m.post(m.id, http.Header{}, "{}")
	if status != http.StatusTooManyRequests || out.Error.Code != string(parley.CodeTooManyRequests) {
		m.Error(status, out)
	}
	m.send("m1", "D1", "Hello there") // what a channel has signed is counted by itself
}

func TestMessagesThatAreNoneAreRefused(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		for _, body := range []string{`{}`, message("", "D1", "Hello"), message("m1", "", "Hello"), message("m1", "D1", ""),
			message("m1", "D 1", "Hello"), message("m1", "D1\n", "Hello"),
			`{"type": "message.created", "data": {"message": {"text": "an answer that comes back"}}}`} {
			m.want(http.StatusBadRequest, parley.CodeInvalidBody, body)
		}
		m.want(http.StatusBadRequest, parley.CodeInvalidJSON, `{"messageId": `)
		m.want(http.StatusRequestEntityTooLarge, parley.CodeTooLarge, message("m1", "D1", strings.Repeat("a", 300_000)))
	})
}

func TestLimitsHoldForChannels(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		body := message("m1", "D1", "Hello there")
		m.change(`{"creditLimit": 0}`)
		m.want(http.StatusPaymentRequired, parley.CodeAgentCredits, body)
		m.change(`{"creditLimit": null, "ipRateLimits": {"limit": 1, "timeframe": 60, "message": "Slowly, please."}}`)
		if got := m.send("m1", "D1", "Hello there"); got.IsRepeated { // what was refused has used nothing up
			m.Error(got)
		}
		if again := m.send("m1", "D1", "Hello there"); !again.IsRepeated { // nor has what comes again
			m.Error(again)
		}
		m.want(http.StatusTooManyRequests, parley.CodeTooManyRequests, message("m2", "D1", "Hello again"))
		m.send("m3", "D2", "Another conversation")
		_, err := admin.RunOn(m.Context(), m.srv.AdminService, admin.SetMaintenance, admin.MaintenanceState{Enabled: true})
		m.must(err)
		m.want(http.StatusServiceUnavailable, parley.CodeUnderMaintenance, message("m4", "D3", "Hello"))
	})
}

func TestChannelThatIsOffTakesNothing(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		off, on := false, true
		change := func(c admin.ChannelChange) {
			c.ID = m.id
			_, err := admin.RunOn(m.Context(), m.srv.AdminService, admin.ChangeChannel, c)
			m.must(err)
		}
		change(admin.ChannelChange{Enabled: &off})
		m.want(http.StatusConflict, parley.CodeChannelOff, message("m1", "D1", "Hello"))
		change(admin.ChannelChange{Enabled: &on})
		m.send("m1", "D1", "Hello")
		list, err := admin.RunOn(m.Context(), m.srv.AdminService, admin.ListChannels, admin.ChannelQuery{AgentID: m.agent})
		m.must(err)
		hooks, err := admin.RunOn(m.Context(), m.srv.AdminService, admin.ListWebhooks, admin.AccountFilter{})
		m.must(err)
		if len(list) != 1 || list[0].Source != "Slack" || list[0].DisabledAt != nil || len(hooks) != 0 {
			m.Error(list, hooks)
		}
		_, err = admin.RunOn(m.Context(), m.srv.AdminService, admin.RemoveChannel, admin.ChannelRef{ID: m.id})
		m.must(err)
		m.want(http.StatusNotFound, parley.CodeNotFound, message("m2", "D1", "Hello"))
	})
}

func TestWhatWasSentGoesWithItsConversation(t *testing.T) {
	onBothDatabases(t, func(m *messenger) {
		first := m.send("m1", "D1", "Hello there")
		m.await(1)
		count := func() int {
			list, err := m.srv.DB.Deliveries(m.Context(), store.DeliveryFilter{Webhook: parley.WebhookID(m.id)}, 10)
			m.must(err)
			return len(list)
		}
		if n := count(); n != 1 {
			m.Fatal(n)
		}
		m.must(m.srv.DB.Transact(m.Context(), sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.DeleteConversations(m.Context(), m.agentRef(),
				[]parley.ConversationID{parley.ConversationID(first.ConversationID)}, nil, m.clock.Now())
			return err
		}))
		if _, err := m.srv.DB.EraseConversations(m.Context(), m.agentRef()); err != nil || count() != 0 {
			m.Error("what was sent is still there", err, count())
		}
	})
}
