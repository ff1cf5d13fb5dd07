package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/webhook"
)

// record records an event about a subject.
func (f *fixture) record(e store.NewEvent) {
	f.Helper()
	f.Must(f.DB.Transact(f, sqldb.Interactive, func(tx *store.DB) error {
		return tx.RecordEvents(f, f.account, f.clock.Now(), e)
	}))
}

// addWebhookFor adds a webhook for events, and returns its secret.
func (f *fixture) addWebhookFor(endpoint string, kinds ...parley.EventKind) (secret string) {
	f.Helper()
	var events []string
	for _, kind := range kinds {
		events = append(events, string(kind))
	}
	_, secret, err := f.service.Add(f, f.account, webhook.NewWebhook{Endpoint: endpoint, Events: events})
	f.Must(err)
	return secret
}

// verifyStandard checks a request as the libraries of Standard Webhooks do.
func (f *fixture) verifyStandard(r receivedRequest, secret string) {
	f.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	f.Must(err)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(r.header.Get("webhook-id") + "." + r.header.Get("webhook-timestamp") + "." + r.body))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.header.Get("webhook-signature") != want {
		f.Errorf("signed %s, want %s", r.header.Get("webhook-signature"), want)
	}
}

// An event names what it is about and holds what was recorded with it, signed in the form of Standard Webhooks; a
// further attempt has the same id.
func TestStandardEvent(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t, 500)
		f.clock.Advance(time.Minute) // what was recorded before is not sent
		secret := f.addWebhookFor(e.URL, parley.EventConversationTakenOver)
		f.record(store.NewEvent{Kind: parley.EventConversationTakenOver, AgentID: f.agent, ConversationID: f.conversation,
			Subject: string(f.conversation), Payload: map[string]string{"by": "agent", "reason": "<refund>"}})
		at := f.clock.Now()
		f.runSendJobs()
		f.clock.Advance(time.Minute)
		f.runSendJobs()
		got := e.receivedRequests()
		if len(got) != 2 || got[0].header.Get("webhook-id") == "" ||
			got[0].header.Get("webhook-id") != got[1].header.Get("webhook-id") || got[0].body != got[1].body {
			t.Fatalf("%+v", got)
		}
		for _, r := range got {
			f.verifyStandard(r, secret)
		}
		want := `{"type":"conversation.taken_over","timestamp":"` + at.UTC().Format("2006-01-02T15:04:05.000Z") +
			`","data":{"agentId":"` + string(f.agent) + `","by":"agent","conversationId":"` + string(f.conversation) +
			`","reason":"<refund>"}}`
		if got[0].body != want {
			t.Errorf("%s\nwant\n%s", got[0].body, want)
		}
	})
}

// Every event that a webhook can subscribe to names its subject.
func TestEveryEventNamesItsSubject(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		f.clock.Advance(time.Minute)
		kinds := slices.DeleteFunc(parley.WebhookEvents(), parley.IsSubmissionEvent)
		f.addWebhookFor(e.URL, kinds...)
		for _, kind := range kinds {
			f.record(store.NewEvent{Kind: kind, AgentID: f.agent, Subject: "subject of " + string(kind)})
		}
		for len(e.receivedRequests()) < len(kinds) {
			before := len(e.receivedRequests())
			if f.runSendJobs(); len(e.receivedRequests()) == before {
				t.Fatalf("%d of %d events were sent", before, len(kinds))
			}
		}
		var sent []parley.EventKind
		for _, r := range e.receivedRequests() {
			var body struct {
				Type parley.EventKind
				Data map[string]string
			}
			f.Must(json.Unmarshal([]byte(r.body), &body))
			sent = append(sent, body.Type)
			noun, _, _ := strings.Cut(string(body.Type), ".")
			name := strings.Replace(noun, "voice", "voiceSession", 1) + "Id"
			if body.Data[name] != "subject of "+string(body.Type) {
				t.Errorf("%s", r.body)
			}
		}
		slices.Sort(sent)
		slices.Sort(kinds)
		if !slices.Equal(sent, kinds) {
			t.Errorf("sent were %q", sent)
		}
	})
}

// The test of a webhook and a lead are signed in the same form.
func TestLeadsAndTestsAreSigned(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		secret := f.addWebhookFor(e.URL, parley.EventLeadsSubmit)
		list, err := f.DB.AccountWebhooks(f, f.account)
		f.Must(err)
		_, err = f.service.SendTest(f, f.account, list[0].ID)
		f.Must(err)
		f.addLead("ann@example.org")
		f.runSendJobs()
		got := e.receivedRequests()
		if len(got) != 2 {
			t.Fatalf("%+v", got)
		}
		for _, r := range got {
			f.verifyStandard(r, secret)
		}
	})
}

// What a conversation leaves besides submissions does not keep it: it is erased whether or not its events were sent.
func TestOtherEventsKeepNoConversation(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.record(store.NewEvent{Kind: parley.EventMessageCreated, AgentID: f.agent, ConversationID: f.conversation,
			Subject: "message"})
		ref := f.account.AgentRef(f.agent)
		f.Must(f.DB.Transact(f, sqldb.Bulk, func(tx *store.DB) error {
			ids := []parley.ConversationID{f.conversation}
			_, err := tx.DeleteConversations(f, ref, ids, nil, f.clock.Now())
			return err
		}))
		erased, err := f.DB.EraseConversations(f, ref)
		f.Must(err)
		if !erased {
			t.Error("it is still there")
		}
	})
}
