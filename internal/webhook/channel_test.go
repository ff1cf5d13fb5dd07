package webhook_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/webhook"
)

// channelFixture is a channel with conversations.
type channelFixture struct {
	*fixture
	channel *parley.Webhook
	out     *endpoint
}

func newChannelFixture(f *fixture) *channelFixture {
	f.Helper()
	c := &channelFixture{fixture: f, out: newEndpoint(f.TB)}
	var err error
	c.channel, _, err = f.service.Add(f, f.account, webhook.NewWebhook{AgentID: f.agent, Endpoint: c.out.URL,
		Channel: parley.ChannelSlack, Name: "Team"})
	f.Must(err)
	return c
}

// begin begins a conversation of the channel.
func (c *channelFixture) begin(messengerID string) parley.ConversationRef {
	c.Helper()
	id := c.newConversation(c.agent)
	_, err := c.DB.SQL().Exec(c, `update conversations set external_id = ? where id = ?`,
		c.channel.ExternalID(messengerID), id)
	c.Must(err)
	return c.account.AgentRef(c.agent).ConversationRef(id)
}

// write writes a message into a conversation.
func (c *channelFixture) write(ref parley.ConversationRef, author parley.AuthorKind, text string) {
	c.Helper()
	m := &parley.Message{ID: parley.NewMessageID(), ConversationID: ref.Conversation, Author: author,
		State: parley.MessageComplete, Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: c.clock.Now()}
	c.Must(c.DB.Transact(c, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.AddMessage(c, ref.AgentRef, m, nil); err != nil {
			return err
		}
		return tx.RecordEvents(c, c.account, c.clock.Now(), store.NewEvent{Kind: parley.EventMessageCreated,
			AgentID: ref.Agent, ConversationID: ref.Conversation, Subject: string(m.ID)})
	}))
}

// arrived lists the texts that have arrived, of those given.
func (c *channelFixture) arrived(texts ...string) string {
	var found []string
	for _, r := range c.out.receivedRequests() {
		for _, text := range texts {
			if strings.Contains(r.body, `"text":"`+text+`"`) {
				found = append(found, text)
			}
		}
	}
	return strings.Join(found, " ")
}

func TestChannelIsSentWhatItsCustomersMayRead(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		c := newChannelFixture(f)
		own, other := c.begin("D1"), f.account.AgentRef(f.agent).ConversationRef(f.conversation)
		c.write(own, parley.AuthorUser, "question")
		c.write(own, parley.AuthorAssistant, "answer")
		c.write(own, parley.AuthorHuman, "reply")
		c.write(own, parley.AuthorAssistant, " ")
		c.write(other, parley.AuthorAssistant, "elsewhere")
		c.runSendJobs()
		if got := c.arrived("question", "answer", "reply", "elsewhere"); got != "answer reply" {
			f.Error(got)
		}
		if n := len(c.out.receivedRequests()); n != 2 {
			f.Errorf("%d deliveries", n)
		}
	})
}

// TestLaterDeliveriesOfAConversationWait walks through the end of a delivery that never arrives.
func TestLaterDeliveriesOfAConversationWait(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		c := newChannelFixture(f)
		ref, another := c.begin("D1"), c.begin("D2")
		c.out.setStatuses(http.StatusInternalServerError)
		c.write(ref, parley.AuthorAssistant, "one")
		c.runSendJobs()
		c.write(ref, parley.AuthorAssistant, "two")
		c.write(ref, parley.AuthorAssistant, "three")
		c.write(another, parley.AuthorAssistant, "apart")
		c.runSendJobs()
		if got := c.arrived("two", "three", "apart"); got != "apart" {
			f.Error(got)
		}
		next, err := f.DB.NextDeliveryTime(f, f.account, c.channel.ID)
		if err != nil || next == nil || !next.After(f.clock.Now()) {
			f.Error("what waits for another delivery is due", next, err)
		}
		f.clock.Advance(time.Minute)
		c.runSendJobs()
		if got := c.arrived("one", "two", "three"); got != "one one two three" {
			f.Error(got)
		}

		c.out.setStatuses(500, 500, 500, 500, 500, 500, 500, 500)
		c.write(ref, parley.AuthorAssistant, "four")
		c.write(ref, parley.AuthorAssistant, "five")
		for range 8 {
			c.runSendJobs()
			f.clock.Advance(24 * time.Hour)
		}
		c.runSendJobs()
		if got := c.arrived("five"); got != "five" || len(f.deliveries(parley.DeliveryDead)) != 1 {
			f.Error("a dead delivery holds up those behind it:", got)
		}
	})
}

// TestWaitingDeliveriesAreDueWithTheFirst shows that what waits is not looked at before what it waits for, however
// often that fails, and follows at once what somebody has sent again.
func TestWaitingDeliveriesAreDueWithTheFirst(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		c := newChannelFixture(f)
		ref := c.begin("D1")
		c.out.setStatuses(http.StatusInternalServerError, http.StatusInternalServerError)
		for i, text := range []string{"one", "two", "three"} {
			c.write(ref, parley.AuthorAssistant, text)
			c.runSendJobs()
			list := f.deliveries(parley.DeliveryPending)
			first := firstOf(list)
			isEarlier := func(d parley.Delivery) bool { return d.DueAt.Before(first.DueAt) }
			if len(list) != i+1 || slices.ContainsFunc(list, isEarlier) {
				f.Errorf("%s: %+v", text, list)
			}
			if i == 1 { // the first fails again, and is tried much later
				f.clock.Advance(time.Minute)
				c.runSendJobs()
			}
		}
		_, err := f.service.Redeliver(f, f.account, firstOf(f.deliveries(parley.DeliveryPending)).ID)
		f.Must(err)
		c.runSendJobs()
		if got := c.arrived("one", "two", "three"); got != "one one one two three" {
			f.Error(got)
		}
	})
}

// firstOf returns the delivery that the others wait for.
func firstOf(list []parley.Delivery) parley.Delivery {
	return slices.MinFunc(list, func(a, b parley.Delivery) int { return cmp.Compare(a.EventNumber, b.EventNumber) })
}

func TestChannelsHaveNamesAndAgents(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		for field, n := range map[string]webhook.NewWebhook{
			"name":    {AgentID: f.agent, Channel: parley.ChannelSlack, Name: " "},
			"source":  {AgentID: f.agent, Channel: parley.ChannelPlayground, Name: "Team"},
			"agentId": {Channel: parley.ChannelSlack, Name: "Team"},
		} {
			n.Endpoint = "https://bridge.example/"
			_, _, err := f.service.Add(f, f.account, n)
			f.WantCode(err, parley.CodeInvalidBody, field)
		}
		c := newChannelFixture(f)
		_, err := f.service.Change(f, f.account, c.channel.ID, webhook.Change{Events: []string{"leads.submit"}})
		f.WantCode(err, parley.CodeInvalidBody, "events")
	})
}
