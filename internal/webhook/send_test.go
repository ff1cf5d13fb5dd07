package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/vault"
	"parley/internal/webhook"
)

func hmacHex(fresh func() hash.Hash, key, text string) string {
	m := hmac.New(fresh, []byte(key))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}

// What an endpoint answers is kept in part, as text.
func TestBeginningOfAnswerIsKept(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte("no\x00 tea\xff: " + strings.Repeat("x", 5000)))
		}))
		defer server.Close()
		f.addWebhook(f.agent, server.URL)
		f.addLead("ann@example.org")
		f.runSendJobs()
		list := f.deliveries("")
		if len(list) != 1 || list[0].LastStatus != http.StatusTeapot || len(list[0].LastAnswer) != 4<<10 ||
			!strings.HasPrefix(list[0].LastAnswer, "no tea: xxx") {
			t.Errorf("%+v", list)
		}
	})
}

// A lead is delivered once, in the documented form and with valid signatures.
func TestLeadIsDelivered(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t, http.StatusNoContent)
		h := f.addWebhook(f.agent, e.URL+"/hooks?token=1")
		f.addLead("ann@example.org")
		f.runSendJobs()
		f.runSendJobs()
		all := e.receivedRequests()
		if len(all) != 1 || all[0].path != "POST /hooks?token=1" {
			t.Fatalf("%+v", all)
		}
		got := all[0]
		want := fmt.Sprintf(`{"eventType":"leads.submit","chatbotId":%q,"payload":{"conversationId":%q,`+
			`"customerEmail":"ann@example.org","customerName":"Ann <&> Co","customerPhone":"+44 1"}}`,
			f.agent, f.conversation)
		if got.body != want {
			t.Errorf("body\n%s\nwant\n%s", got.body, want)
		}
		if sum := hmacHex(sha1.New, apiKey, got.body); got.header.Get("x-chatbase-signature") != sum {
			t.Errorf("signed %s, want %s", got.header.Get("x-chatbase-signature"), sum)
		}
		at := fmt.Sprint(f.clock.Now().Unix())
		if sum := "t=" + at + ",v1=" + hmacHex(sha256.New, apiKey,
			at+"."+got.body); got.header.Get("X-Parley-Signature") != sum {
			t.Errorf("signed %s, want %s", got.header.Get("X-Parley-Signature"), sum)
		}
		list := f.deliveries("")
		if len(list) != 1 || list[0].State != parley.DeliveryDelivered || list[0].Attempts != 1 ||
			list[0].LastStatus != 204 || list[0].DeliveredAt == nil || list[0].WebhookID != h.ID {
			t.Errorf("%+v", list)
		}
		if got.header.Get("X-Parley-Delivery") != string(list[0].ID) ||
			got.header.Get("X-Parley-Event") != "leads.submit" || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%v", got.header)
		}
		if got.header.Get("Authorization") != "" || strings.Contains(h.SealedSigningKeys, apiKey) {
			t.Error("the API key is shown or stored")
		}
	})
}

// Every status but 2xx is tried again, later each time; a redirect is not followed; the delivery is the same one.
func TestFailedDeliveriesAreRetried(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t, 500, 302, 404)
		f.addWebhook("", e.URL)
		f.addLead("ann@example.org")
		for i, wait := range []time.Duration{0, 34 * time.Second, 3 * time.Minute, 12 * time.Minute} {
			f.clock.Advance(wait)
			f.runSendJobs()
			f.runSendJobs()
			if n := len(e.receivedRequests()); n != i+1 {
				t.Fatalf("%d attempts after %v, want %d", n, wait, i+1)
			}
		}
		for _, one := range e.receivedRequests() {
			if one.body != e.receivedRequests()[0].body ||
				one.header.Get("X-Parley-Delivery") != e.receivedRequests()[0].header.Get("X-Parley-Delivery") ||
				one.path != "POST /" {
				t.Errorf("%+v", one)
			}
		}
		if list := f.deliveries(parley.DeliveryDelivered); len(list) != 1 || list[0].Attempts != 4 ||
			list[0].LastError != "" {
			t.Errorf("%+v", list)
		}
	})
}

// A delivery that never succeeds is dead after about a day, and is sent again when an operator wants it.
func TestDeadDeliveryIsRedelivered(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t, 500, 500, 500, 500, 500, 500, 500, 503)
		f.addWebhook("", e.URL)
		f.addLead("ann@example.org")
		began := f.clock.Now()
		for len(f.deliveries(parley.DeliveryDead)) == 0 {
			f.runSendJobs()
			if f.clock.Advance(10 * time.Second); f.clock.Now().Sub(began) > 48*time.Hour {
				t.Fatal("it is not dead after two days")
			}
			if list := f.deliveries(parley.DeliveryPending); len(list) == 1 {
				f.clock.Advance(list[0].DueAt.Sub(f.clock.Now()))
			}
		}
		if elapsed := f.clock.Now().Sub(began); elapsed < 20*time.Hour || elapsed > 28*time.Hour ||
			len(e.receivedRequests()) != 8 {
			t.Errorf("dead after %v and %d attempts", elapsed, len(e.receivedRequests()))
		}
		dead := f.deliveries(parley.DeliveryDead)[0]
		if dead.LastStatus != 503 || dead.LastError != "the endpoint answered with status 503" || dead.DeliveredAt != nil {
			t.Errorf("%+v", dead)
		}
		f.clock.Advance(time.Hour)
		f.runSendJobs()
		if len(e.receivedRequests()) != 8 {
			t.Error("a dead delivery was sent")
		}
		if _, err := f.service.Redeliver(f, parley.AccountID(parley.NewUUID()), dead.ID); !parley.IsCode(err,
			parley.CodeNotFound) {
			t.Errorf("another account: %v", err)
		}
		again, err := f.service.Redeliver(f, f.account, dead.ID)
		f.Must(err)
		f.runSendJobs()
		last := e.receivedRequests()[len(e.receivedRequests())-1]
		if list := f.deliveries(parley.DeliveryDelivered); len(list) != 1 || list[0].Attempts != 1 ||
			again.ID != dead.ID || last.header.Get("X-Parley-Delivery") != string(dead.ID) || len(e.receivedRequests()) != 9 {
			t.Errorf("%+v", list)
		}
	})
}

// Nothing is sent to private addresses, whatever their names; the failure does not reveal the address.
func TestPrivateAddressIsRefused(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		f.sender.HTTP.AllowedPrefixes = nil
		port := e.URL[strings.LastIndex(e.URL, ":"):]
		targets := []string{e.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port,
			"http://2130706433" + port, "http://0.0.0.0" + port,
			"http://169.254.169.254/latest/meta-data", "http://10.0.0.1", "http://[fd00::1]/"}
		for _, target := range targets {
			f.addWebhook("", target)
		}
		f.addLead("ann@example.org")
		f.runSendJobs()
		list := f.deliveries(parley.DeliveryPending)
		if len(list) != len(targets) || len(e.receivedRequests()) != 0 {
			t.Errorf("%d pending, %d received", len(list), len(e.receivedRequests()))
		}
		for _, d := range list {
			if d.Attempts != 1 || d.LastStatus != 0 || d.LastError == "" || strings.Contains(d.LastError, "127.") {
				t.Errorf("%+v", d)
			}
		}
	})
}

// An endpoint that does not answer delays no other, however many deliveries it has.
func TestSlowEndpointDelaysNoOther(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		release := make(chan struct{})
		slow, quick := newEndpoint(t), newEndpoint(t)
		slow.onRequest = func(r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		f.addWebhook("", slow.URL)
		for i := range 20 {
			f.addLead(fmt.Sprintf("ann%d@example.org", i))
		}
		f.follow()
		f.addWebhook("", quick.URL)
		f.runner.MaxWorkers = 2
		ctx, stop := context.WithCancel(f)
		ended := make(chan error, 2)
		go func() { ended <- f.runner.Run(ctx) }()
		go func() { ended <- f.sender.Run(ctx) }()
		testkit.Eventually(t, "the slow endpoint is being sent to", func() bool { return len(slow.receivedRequests()) > 0 })
		f.addLead("bob@example.org")
		testkit.Eventually(t, "the fast endpoint got the delivery", func() bool { return len(quick.receivedRequests()) == 1 })
		if n := len(slow.receivedRequests()); n > 4 {
			t.Errorf("%d at a time", n)
		}
		close(release)
		testkit.Eventually(t, "all is delivered", func() bool { return len(f.deliveries(parley.DeliveryDelivered)) == 22 })
		stop()
		for range cap(ended) {
			f.Must(check.Receive(f.TB, "the end of the server", ended))
		}
	})
}

// An attempt that a server's shutdown interrupts does not count: the delivery is sent again under the same id.
func TestStopDoesNotCountAsAttempt(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		e.onRequest = func(r *http.Request) { <-r.Context().Done() }
		f.addWebhook("", e.URL)
		f.addLead("ann@example.org")
		f.follow()
		ctx, stop := context.WithCancel(f)
		ended := make(chan error, 1)
		go func() { ended <- f.runner.Run(ctx) }()
		testkit.Eventually(t, "the endpoint got the delivery", func() bool { return len(e.receivedRequests()) == 1 })
		stop()
		f.Must(check.Receive(f.TB, "the end of the runner", ended))
		if list := f.deliveries(parley.DeliveryPending); len(list) != 1 || list[0].Attempts != 0 {
			t.Fatalf("%+v", list)
		}
		e.mu.Lock()
		e.onRequest = nil
		e.mu.Unlock()
		f.runSendJobs()
		if all := e.receivedRequests(); len(all) != 2 ||
			all[0].header.Get("X-Parley-Delivery") != all[1].header.Get("X-Parley-Delivery") ||
			len(f.deliveries(parley.DeliveryDelivered)) != 1 {
			t.Errorf("%+v", all)
		}
	})
}

// Where a server is killed before it stores the reply, another one sends the delivery again.
func TestDeliveryIsRepeatedAfterACrash(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		f.addWebhook("", e.URL)
		f.addLead("ann@example.org")
		f.follow()
		if _, err := f.DB.SQL().Exec(f,
			`update jobs set state = 'running', attempts = 1, lease_owner = 'dead', lease_until = ?`,
			f.clock.Now().Add(time.Minute).UnixMilli()); err != nil {
			t.Fatal(err)
		}
		f.runSendJobs()
		if len(e.receivedRequests()) != 0 {
			t.Fatal("two servers send")
		}
		f.clock.Advance(2 * time.Minute)
		f.runSendJobs()
		if len(e.receivedRequests()) != 1 || len(f.deliveries(parley.DeliveryDelivered)) != 1 {
			t.Errorf("%+v", e.receivedRequests())
		}
	})
}

// With another vault key nothing can be signed, and nothing is sent unsigned.
func TestNothingIsSentUnsigned(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		e := newEndpoint(t)
		f.addWebhook("", e.URL)
		f.addLead("ann@example.org")
		other, err := vault.New("sixteen other bytes")
		f.Must(err)
		f.sender.Vault = other
		f.runSendJobs()
		if list := f.deliveries(parley.DeliveryPending); len(e.receivedRequests()) != 0 || len(list) != 1 ||
			!strings.Contains(list[0].LastError, "PARLEY_SECRET_KEY") {
			t.Errorf("%+v", list)
		}
		f.service.Vault = &vault.Vault{}
		if _, _, err := f.service.Add(f, f.account, webhook.NewWebhook{Endpoint: e.URL,
			Events: []string{string(parley.EventLeadsSubmit)}}); !parley.IsCode(err, parley.CodeInvalidBody) {
			t.Errorf("without a key: %v", err)
		}
	})
}
