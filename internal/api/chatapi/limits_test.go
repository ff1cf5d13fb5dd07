package chatapi_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/scripted"
)

// limit sets limits of the agent's widget.
func (f *chatFixture) limit(change func(limits *parley.WidgetLimits)) parley.Caller {
	f.Helper()
	account, err := f.server.DB.Account(f.Context(), parley.AccountID(f.server.Account))
	if err != nil {
		f.Fatal(err)
	}
	plan, _ := f.server.Authenticator.Plans.Plan(account.Plan)
	caller := parley.Caller{Account: *account, Plan: plan}
	if err := f.server.Agents.Change(f.Context(), caller, parley.AgentID(f.agent), func(a *parley.Agent) error {
		change(&a.WidgetLimits)
		return nil
	}); err != nil {
		f.Fatal(err)
	}
	return caller
}

func TestVisitorStopsAtItsDailyLimit(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		limit := int64(2)
		f.limit(func(l *parley.WidgetLimits) { l.DailyVisitorCredits = &limit })
		token, other := f.newVisitor(), f.newVisitor()
		f.send(token, fields{"message": "1"})
		f.send(token, fields{"message": "2"})
		r := f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "3"})
		if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || r.header.Get("Retry-After") == "" {
			t.Errorf("%d %s", r.status, r.body)
		}
		if a := f.send(other, fields{"message": "Hello"}); a.text != "Hello" {
			t.Errorf("another visitor: %+v", a)
		}
	})
}

// TestVisitorWhoIsKnownHasUsedWhatItUsedBefore counts on what a visitor used before the site has shown who it is, and
// what the same user uses in another browser.
func TestVisitorWhoIsKnownHasUsedWhatItUsedBefore(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		limit := int64(3)
		f.limit(func(l *parley.WidgetLimits) { l.DailyVisitorCredits = &limit })
		laptop := f.newVisitor()
		f.send(laptop, fields{"message": "1"})
		f.send(laptop, fields{"message": "2"})
		laptop, bert := f.identifiedByJWT(laptop, "anna"), f.identified(f.newVisitor(), "bert")
		f.send(laptop, fields{"message": "3"})
		for name, token := range map[string]string{"the browser": laptop,
			"another browser": f.identifiedByJWT(f.newVisitor(), "anna")} {
			if r := f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "4"}); r.code() !=
				"RATE_LIMIT_TOO_MANY_REQUESTS" {
				t.Errorf("%s: %d %s", name, r.status, r.body)
			}
		}
		if a := f.send(bert, fields{"message": "Hello"}); a.text != "Hello" {
			t.Errorf("another user: %+v", a)
		}
	})
}

// TestAnswerUnderWayCountsForWhoeverTheVisitorIs has a visitor show who it is in the middle of an answer.
func TestAnswerUnderWayCountsForWhoeverTheVisitorIs(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		limit := int64(1)
		f.limit(func(l *parley.WidgetLimits) { l.DailyVisitorCredits = &limit })
		token, barrier := f.newVisitor(), scripted.NewBarrier()
		defer barrier.Release()
		f.model.AddScript(scripted.Text("It "), scripted.Step{Barrier: barrier}, scripted.Stop())
		answer := f.stream(f.open(http.MethodPost, f.agent+"/messages", token, fields{"message": "Hi"}))
		answer.readUntil("text-delta")
		token = f.identified(token, "anna")
		for range 2 { // while it is written, and when it is charged
			f.wantCode(f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "Hi"}),
				"RATE_LIMIT_TOO_MANY_REQUESTS")
			barrier.Release()
			answer.readUntil(toTheEnd)
		}
	})
}

// TestCallsHaveTheLimitsOfTheWidget begins calls where the visitor, or all visitors together, have no credits left, and
// on a page where the agent may not be.
func TestCallsHaveTheLimitsOfTheWidget(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		f.newFileAgent()
		f.change(`{"voiceSettings":{"initialMessage":"Hi"}}`)
		call := func(token string, body fields) reply {
			return f.do(http.MethodPost, f.agent+"/voice/sessions", token, body)
		}
		var none int64
		f.limit(func(l *parley.WidgetLimits) { l.DailyVisitorCredits = &none })
		r := call(f.newVisitor(), fields{})
		if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || r.header.Get("Retry-After") == "" {
			t.Errorf("%d %s", r.status, r.body)
		}
		f.limit(func(l *parley.WidgetLimits) { l.DailyCredits, l.DailyVisitorCredits = &none, nil })
		f.wantCode(call(f.newVisitor(), fields{}), "AGENT_CREDITS_LIMIT_REACHED")
		f.limit(func(l *parley.WidgetLimits) { l.DailyCredits = nil })
		f.change(`{"allowedDomains":["shop.example"]}`)
		token := f.newVisitor()
		f.wantCode(call(token, fields{"page": "https://evil.example/a"}), "AUTH_DOMAIN_NOT_ALLOWED")
		for _, body := range []fields{{"page": "https://www.shop.example/a"}, {}} {
			if r := call(token, body); r.status != http.StatusOK {
				t.Errorf("%v: %d %s", body, r.status, r.body)
			}
		}
	})
}

func TestVisitorHasFiveAnswersWrittenAtATime(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token, barrier := f.newVisitor(), scripted.NewBarrier()
		defer barrier.Release()
		for range 5 {
			f.model.AddScript(scripted.Text("It "), scripted.Step{Barrier: barrier}, scripted.Stop())
			f.stream(f.open(http.MethodPost, f.agent+"/messages", token, fields{"message": "Hi"})).readUntil("text-delta")
		}
		r := f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "Hi"})
		if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || r.header.Get("Retry-After") == "" {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

func TestBlockedAddressIsRefused(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		f.limit(func(l *parley.WidgetLimits) { l.BlockedRanges = []string{"203.0.113.0/24", "2001:db8::/32"} })
		if r := f.do(http.MethodGet, f.agent+"/config", "", nil); r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.body)
		}
		f.limit(func(l *parley.WidgetLimits) { l.BlockedRanges = []string{"127.0.0.0/8", "::1/128"} })
		for _, path := range []string{"/config", "/conversations"} {
			r := f.do(http.MethodGet, f.agent+path, "", nil)
			if r.status != http.StatusForbidden || r.code() != "AUTH_ADDRESS_BLOCKED" ||
				!strings.Contains(string(r.body), "not available") {
				t.Errorf("%s: %d %s", path, r.status, r.body)
			}
		}
	})
}

func TestAnswerGoesOnAfterTheLastEvent(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		f.model.AddScript(scripted.Text("It left "), scripted.Text("on Monday."), scripted.Stop())
		whole := f.send(token, fields{"message": "Where is it?"})
		for id, want := range map[string]string{"0-8": "on Monday.", "0-10": " Monday.", "0-18": "",
			"": whole.text, "nonsense": whole.text, "-1--1": whole.text} {
			f.header = http.Header{"Last-Event-ID": {id}}
			got := f.follow(token, whole.turn)
			f.header = nil
			if got.text != want || got.finish != "stop" || (got.turn == "") != (want != whole.text) {
				t.Errorf("after %q: %+v", id, got)
			}
		}
	})
}

// TestLimitsOfAddresses reaches each limit that an address has: one request more is refused, with the time to wait, and
// after that time the next one is let in.
func TestLimitsOfAddresses(t *testing.T) {
	now := clock.New()
	forEachServer(t, func(chat *chatFixture) {
		f := &visitorFixture{chatFixture: chat, clock: now}
		f.own = f.newOpenAgent(f.server.Account, f.server.Key)
		ids := f.newVisitorIDs(f.own)
		wrong := fields{"user_id": "anna", "user_hash": "00"}
		for _, test := range []struct {
			limit  int
			window time.Duration
			name   string
			send   func() reply
		}{
			{60, 10 * time.Second, "requests", func() reply { return f.do(http.MethodGet, f.agent+"/config", "", nil) }},
			{10, time.Minute, "visitors", func() reply { return f.do(http.MethodPost, f.agent+"/visitor", "", nil) }},
			{30, time.Minute, "proofs", func() reply { return f.do(http.MethodPost, f.agent+"/identify", ids["token"], wrong) }},
			{5, time.Minute, "leads", func() reply {
				return f.do(http.MethodPost, f.agent+"/leads", ids["token"], fields{"email": "a@shop.example", "website": "x"})
			}},
			{20, time.Minute, "forms", func() reply {
				return f.do(http.MethodPost, f.agent+"/forms/x", ids["token"], fields{"conversationId": ids["conversationId"],
					"values": fields{}, "website": "x"})
			}},
			{10, time.Minute, "handovers", func() reply {
				return f.do(http.MethodPost, f.agent+"/handover", ids["token"], fields{"conversationId": unknownID})
			}},
			{10, time.Minute, "uploads", func() reply { return f.upload(ids["token"], "a.txt", []byte("x")) }},
			{30, time.Minute, "searches", func() reply {
				return f.do(http.MethodGet, f.agent+"/conversations?query=x", ids["token"], nil)
			}},
			{20, time.Minute, "dictations", func() reply {
				return f.sendBytes("/dictation", ids["token"], "audio/wav", []byte("no sound"))
			}},
		} {
			f.clock.Advance(time.Hour)
			for i := range test.limit {
				if r := test.send(); r.status == http.StatusTooManyRequests {
					t.Fatalf("%s: refused after %d", test.name, i)
				}
			}
			r := test.send()
			wait, err := strconv.Atoi(r.header.Get("Retry-After"))
			if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || err != nil || time.Duration(wait)*time.Second != test.window {
				t.Errorf("%s, one too many: %d %s, Retry-After %q", test.name, r.status, r.body, r.header.Get("Retry-After"))
			}
			f.clock.Advance(test.window)
			if r := test.send(); r.status == http.StatusTooManyRequests {
				t.Errorf("%s, after the time to wait: %s", test.name, r.body)
			}
		}
	}, testkit.WithClock(now), newTranscriber(t))
}

// TestAddressHasTwentyStreams opens as many streams of conversations as an address may have, of two visitors: one more
// is refused, also of an answer, until one is closed. Other agents do not count, and a refused stream leaves nothing.
func TestAddressHasTwentyStreams(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		first, second := f.newVisitor(), f.newVisitor()
		ofFirst, ofSecond := f.send(first, fields{"message": "Hello"}), f.send(second, fields{"message": "Hello"})
		f.post(first, "/handover", fields{"conversationId": ofFirst.conversation}, nil)
		f.post(second, "/handover", fields{"conversationId": ofSecond.conversation}, nil)
		var open []*eventReader
		for range 10 {
			open = append(open, f.followEvents(first, ofFirst.conversation), f.followEvents(second, ofSecond.conversation))
		}
		for _, r := range []reply{
			f.do(http.MethodGet, f.agent+"/conversation/"+ofFirst.conversation+"/events", first, nil),
			f.do(http.MethodGet, f.agent+"/turns/"+ofSecond.turn+"/events", second, nil),
			f.do(http.MethodPost, f.agent+"/messages", first, fields{"message": "One more"}),
			f.do(http.MethodPost, f.agent+"/retry", first, fields{"conversationId": ofFirst.conversation,
				"messageId": ofFirst.message}),
		} {
			if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || r.header.Get("Retry-After") == "" {
				t.Errorf("%d %s", r.status, r.body)
			}
		}
		if n := len(f.history(first, ofFirst.conversation).Messages); n != 2 {
			t.Errorf("%d messages after refused ones, want 2", n)
		}
		busy := f.agent
		f.agent = f.newAgent(`{"visibility":"public"}`)
		if a := f.send(f.newVisitor(), fields{"message": "Hello"}); a.text != "Hello" {
			t.Errorf("another agent: %+v", a)
		}
		f.agent = busy
		_ = open[0].res.Body.Close()
		testkit.Eventually(t, "a stream is free", func() bool {
			return f.do(http.MethodGet, f.agent+"/turns/"+ofSecond.turn+"/events", second, nil).status == http.StatusOK
		})
	}, testkit.WithKeepAlive())
}

// TestRepeatedRequestsAreStreamsToo repeats a request by its key, which follows an answer: that is a stream like any
// other, and counted as long as it is open, no longer and not twice.
func TestRepeatedRequestsAreStreamsToo(t *testing.T) {
	f := &chatFixture{T: t, model: &scripted.Model{}}
	f.server = testkit.Open(t, testkit.WithModel(f.model))
	f.agent = f.newAgent(`{"visibility":"public"}`)
	token, barrier := f.newVisitor(), scripted.NewBarrier()
	defer barrier.Release()
	f.model.AddScript(scripted.Text("It "), scripted.Step{Barrier: barrier}, scripted.Stop())
	body := fields{"message": "Where is it?"}
	begun := f.stream(f.sendWithKey(token, "k1", body))
	begun.readUntil("text-delta")
	for range 19 {
		f.stream(f.sendWithKey(token, "k1", body)).readUntil("text-delta")
	}
	if res := f.sendWithKey(token, "k1", body); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the 21st stream: %s", res.Status)
	}
	barrier.Release()
	begun.readUntil(toTheEnd)
	testkit.Eventually(t, "a stream is free", func() bool {
		return f.sendWithKey(token, "k1", body).StatusCode == http.StatusOK
	})
}

// TestLimitOfMessagesCountsAddressAndVisitor counts the messages of an address, whoever of it writes.
func TestLimitOfMessagesCountsAddressAndVisitor(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		f.agent = f.newAgent(`{"visibility":"public","ipRateLimits":{"limit":2,"timeframe":60,"message":"Slowly"}}`)
		f.send(f.newVisitor(), fields{"message": "1"})
		f.send(f.newVisitor(), fields{"message": "2"})
		f.wantCode(f.do(http.MethodPost, f.agent+"/messages", f.newVisitor(), fields{"message": "3"}),
			"RATE_LIMIT_TOO_MANY_REQUESTS")
	}, testkit.WithClock(clock.New()))
}

// TestFaultsOfWidgetSettingsAreNamedByField sends settings that cannot be: each is refused by the name of its field.
func TestFaultsOfWidgetSettingsAreNamedByField(t *testing.T) {
	f := &chatFixture{T: t, model: &scripted.Model{}}
	f.server = testkit.Open(t, testkit.WithModel(f.model))
	f.agent = f.newAgent(`{"visibility":"public"}`)
	change := func(settings string) error {
		now, err := admin.RunOn(t.Context(), f.server.AdminService, admin.GetAgentSettings, admin.AgentRef{ID: f.agent})
		if err != nil {
			t.Fatal(err)
		}
		_, err = admin.RunOn(t.Context(), f.server.AdminService, admin.ChangeAgentSettings, admin.AgentSettingsChange{
			AgentID: f.agent, BaseVersion: now.Version, Settings: json.RawMessage(settings)})
		return err
	}
	ranges := strings.Repeat(`"10.0.0.1",`, 500) + `"10.0.0.1"`
	for settings, field := range map[string]string{
		`{"widget":5}`: "widget", `{"widget":[]}`: "widget", `{"widget":{"daily":1}}`: "widget.daily",
		`{"widget":{"dailyCredits":-1}}`:                  "widget.dailyCredits",
		`{"widget":{"dailyCredits":1.5}}`:                 "widget.dailyCredits",
		`{"widget":{"dailyCredits":"5"}}`:                 "widget.dailyCredits",
		`{"widget":{"dailyCredits":1000000001}}`:          "widget.dailyCredits",
		`{"widget":{"dailyCreditsPerVisitor":-1}}`:        "widget.dailyCreditsPerVisitor",
		`{"widget":{"dailyCreditsPerVisitor":true}}`:      "widget.dailyCreditsPerVisitor",
		`{"widget":{"blockedRanges":"10.0.0.1"}}`:         "widget.blockedRanges",
		`{"widget":{"blockedRanges":[` + ranges + `]}}`:   "widget.blockedRanges",
		`{"widget":{"blockedRanges":["10.0.0.1",5]}}`:     "widget.blockedRanges.1",
		`{"widget":{"blockedRanges":[""]}}`:               "widget.blockedRanges.0",
		`{"widget":{"blockedRanges":["shop.example"]}}`:   "widget.blockedRanges.0",
		`{"widget":{"blockedRanges":["10.0.0.0/33"]}}`:    "widget.blockedRanges.0",
		`{"widget":{"blockedRanges":["10.0.0.0/-1"]}}`:    "widget.blockedRanges.0",
		`{"widget":{"blockedRanges":["::1","1.2.3.4/"]}}`: "widget.blockedRanges.1",
	} {
		err := change(settings)
		details := map[string]string{}
		if parley.IsCode(err, parley.CodeInvalidBody) {
			details = parley.AsError(err).Details
		}
		if details["settings."+field] == "" && details[field] == "" {
			t.Errorf("%.60s: %v %v", settings, err, details)
		}
	}
	if err := change(`{"widget":{"dailyCredits":0,"dailyCreditsPerVisitor":null,
		"blockedRanges":["10.1.2.3/8","::ffff:192.0.2.0/120","fe80::1%eth0"]}}`); err != nil {
		t.Fatal(err)
	}
	agent, err := f.server.DB.Agent(t.Context(), f.ref(), time.Now())
	if err != nil || *agent.WidgetLimits.DailyCredits != 0 || agent.WidgetLimits.DailyVisitorCredits != nil ||
		strings.Join(agent.WidgetLimits.BlockedRanges, " ") != "10.0.0.0/8 192.0.2.0/24 fe80::1/128" {
		t.Errorf("%+v %v", agent.WidgetLimits, err)
	}
}
