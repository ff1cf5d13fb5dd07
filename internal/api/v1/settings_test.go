package v1_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/api/v1"
	"parley/internal/api/v2"
	"parley/internal/server"
	"parley/internal/store"
	"parley/internal/testkit"
)

type object = map[string]any

// settingsTest is a chatbot whose settings both interfaces change at random, and the settings that they must return.
type settingsTest struct {
	*testing.T
	*testkit.Server
	*rand.Rand
	id                string
	inactiveDomains   []any  // domains that version 1 stores and does not enforce
	customerQuestions object // what version 1 collects about customers
}

// TestSettingsAreTheSameInBothInterfaces changes one chatbot through version 1 and version 2 in turn. Each must return
// what the other has written; other settings must stay; and writing in version 2 what it returns must change nothing.
func TestSettingsAreTheSameInBothInterfaces(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			srv := testkit.Open(t, options...)
			s := &settingsTest{T: t, Server: srv, Rand: rand.New(rand.NewPCG(4, 11)), customerQuestions: object{}}
			s.id = createSettingsChatbot(t, srv)
			s.putV2("", object{"creditLimit": 7,
				"notificationsSettings": object{"dailyConversations": object{"active": true, "emails": []string{"a@b.org"}}}})
			for range 60 {
				s.writeV1()
				s.rewriteV2()
				s.writeV2()
			}
		})
	}
}

// createSettingsChatbot creates a chatbot and returns its id.
func createSettingsChatbot(t *testing.T, srv *testkit.Server) string {
	t.Helper()
	var created v1.ChatbotID
	status, reply := sendAs(t, srv, srv.Key, "POST", v1.Base+"/create-chatbot", `{"chatbotName": "Bot"}`)
	if err := json.Unmarshal([]byte(reply), &created); err != nil || status != 200 {
		t.Fatal(status, reply)
	}
	return created.ChatbotID
}

// What a key changes of a chatbot, and the contacts that it deletes, are in the audit log once, with the key as actor.
// What it writes about contacts is not.
func TestWhatKeysChangeIsRecorded(t *testing.T) {
	srv := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.SecretKey = "a key of enough bytes" }))
	recorded := func() []store.AuditEvent {
		t.Helper()
		list, err := srv.DB.AuditEvents(t.Context(), parley.AccountID(srv.Account), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := len(recorded())
	id := createSettingsChatbot(t, srv)
	check := func(request, action, subject string) {
		t.Helper()
		list := recorded()
		last, isRecorded := list[len(list)-1], action != ""
		if isRecorded {
			before++
		}
		if len(list) != before || isRecorded && (last.Action != action || last.Subject == "" ||
			!strings.HasPrefix(last.Actor, "key:") || subject != "" && last.Subject != subject) {
			t.Errorf("%s: %d acts instead of %d, the last one %+v", request, len(list), before, last)
		}
		if strings.Contains(last.Subject+last.Details, "ann@example.org") {
			t.Errorf("%s: the log says who a contact is: %+v", request, last)
		}
		before = len(list)
	}
	check("create-chatbot", "agent.create", id)
	for _, c := range []struct{ method, path, body, action, subject string }{
		{"POST", "/update-chatbot-settings", `{"chatbotId": "{chatbotId}", "instructions": "Be short."}`, "agent.update", id},
		{"POST", "/update-chatbot-data", `{"chatbotId": "{chatbotId}", "sourceText": "The sky is grey."}`, "source.replace",
			id},
		{"POST", "/upload-chatbot-icon", formWith("chatbotIconFile", newPNG(8, 8)), "icon.set", id},
		{"DELETE", "/delete-chatbot-icon?chatbotId={chatbotId}", "", "icon.remove", id},
		{"POST", "/webhooks", `{"endpoint": "https://example.org/hook", "events": ["leads.submit"]}`, "webhook.add", ""},
		{"POST", "/chatbots/{chatbotId}/contacts", `{"users": [{"external_id": "ann@example.org"}]}`, "", ""},
		{"DELETE", "/chatbots/{chatbotId}/contacts/ann@example.org", "", "contact.delete", ""},
		{"DELETE", "/delete-chatbot?chatbotId={chatbotId}", "", "agent.delete", id},
	} {
		ids := resourceIDs{"chatbotId": id}
		if status, reply := sendAs(t, srv, srv.Key, c.method, v1.Base+ids.Substitute(c.path),
			ids.Substitute(c.body)); status/100 != 2 {
			t.Fatalf("%s: %d %s", c.path, status, reply)
		}
		check(c.path, c.action, c.subject)
	}
}

func (s *settingsTest) writeV1() {
	s.Helper()
	before, sent := s.readV2(), s.randomSettings()
	body := maps.Clone(sent)
	body["chatbotId"] = s.id
	if status, reply := sendAs(s.T, s.Server, s.Key, "POST", v1.Base+"/update-chatbot-settings",
		mustMarshal(body)); status != 202 {
		s.Fatal(status, reply, mustMarshal(body))
	}
	want, after := s.expectedV2(before, sent), s.readV2()
	s.checkSuggestions(want, after, sent)
	if diff := cmp.Diff(want, after); diff != "" {
		s.Fatalf("version 1 wrote %s\n%s", mustMarshal(sent), diff)
	}
	s.checkV1Only()
}

// expectedV2 returns what version 2 must return after version 1 has written, computed independently from docs/v1.md.
func (s *settingsTest) expectedV2(before, sent object) object {
	want := cloneObject(before)
	for _, same := range []string{"name", "instructions", "model", "temp", "initialMessages"} {
		copyMember(want, same, sent, same)
	}
	limits := want["ipRateLimits"].(object)
	copyMember(limits, "limit", sent, "ipLimit")
	copyMember(limits, "timeframe", sent, "ipLimitTimeframe")
	copyMember(limits, "message", sent, "ipLimitMessage")
	if v, ok := sent["visibility"]; ok {
		want["visibility"] = map[string]string{"private": "private", "can_be_embedded": "public"}[v.(string)]
	}
	list, on := want["allowedDomains"].([]any)
	if !on {
		list = s.inactiveDomains
	}
	if v, ok := sent["domains"]; ok {
		list = v.([]any)
	}
	if v, ok := sent["onlyAllowOnAddedDomains"]; ok {
		on = v.(bool)
	}
	want["allowedDomains"], s.inactiveDomains = nil, list
	if on {
		want["allowedDomains"], s.inactiveDomains = append([]any{}, list...), nil
	}
	if looks, ok := sent["styles"].(object); ok && len(looks) > 0 {
		styles, _ := want["styles"].(object)
		if styles == nil {
			styles = object{"centerStage": nil}
		}
		chat, _ := styles["chat"].(object)
		if chat == nil {
			chat = object{"displayName": nil, "autoOpenChatWindowAfter": nil, "messagePlaceholder": nil, "footer": nil,
				"dismissableNotice": nil}
		}
		maps.Copy(chat, looks)
		styles["chat"], want["styles"] = chat, styles
	}
	if asks, ok := sent["collectCustomerInformation"].(object); ok {
		for name, ask := range asks {
			members, both := ask.(object)
			if stored, ok := s.customerQuestions[name].(object); ok && both {
				maps.Copy(stored, members)
				continue
			}
			s.customerQuestions[name] = ask
		}
	}
	return want
}

// checkSuggestions compares the suggested messages: those that version 1 sent, in their order, and the earlier groups.
func (s *settingsTest) checkSuggestions(want, after, sent object) {
	s.Helper()
	texts, ok := sent["suggestedMessages"].([]any)
	if !ok {
		return
	}
	var got, groups, before []any
	order := float64(-1)
	for _, each := range after["suggestedMessages"].([]any) {
		item := each.(object)
		if o := item["order"].(float64); o < order {
			s.Fatal("out of order:", mustMarshal(after["suggestedMessages"]))
		} else {
			order = o
		}
		if item["type"] == "single" {
			got = append(got, item["text"])
		} else {
			groups = append(groups, item)
		}
	}
	old, _ := want["suggestedMessages"].([]any)
	for _, each := range old {
		if each.(object)["type"] == "nested" {
			before = append(before, each)
		}
	}
	byOrder := func(a, b any) int { return int(a.(object)["order"].(float64) - b.(object)["order"].(float64)) }
	slices.SortStableFunc(before, byOrder)
	if diff := cmp.Diff([][]any{append([]any{}, texts...), before}, [][]any{append([]any{}, got...), groups}); diff != "" {
		s.Fatal("suggested messages:\n", diff)
	}
	want["suggestedMessages"] = after["suggestedMessages"]
}

// checkV1Only compares the settings that only version 1 has.
func (s *settingsTest) checkV1Only() {
	s.Helper()
	a, err := s.DB.Agent(s.Context(), parley.AccountID(s.Account).AgentRef(parley.AgentID(s.id)), s.Authenticator.Now())
	if err != nil {
		s.Fatal(err)
	}
	var stored struct {
		Domains                    []any
		CollectCustomerInformation object
	}
	if a.V1 != nil {
		if err := json.Unmarshal(a.V1, &stored); err != nil {
			s.Fatal(err)
		}
	}
	if diff := cmp.Diff(append([]any{}, s.inactiveDomains...), append([]any{}, stored.Domains...)); diff != "" {
		s.Fatal("domains:\n", diff)
	}
	if len(s.customerQuestions) > 0 || len(stored.CollectCustomerInformation) > 0 {
		if diff := cmp.Diff(s.customerQuestions, stored.CollectCustomerInformation); diff != "" {
			s.Fatal("collected of customers:\n", diff)
		}
	}
}

// rewriteV2 writes in version 2 what it returns, except for values beyond its ranges.
func (s *settingsTest) rewriteV2() {
	s.Helper()
	before := s.readV2()
	body := object{}
	for _, name := range []string{"name", "instructions", "model", "temp", "visibility", "allowedDomains",
		"suggestedMessages", "initialMessages", "creditLimit", "notificationsSettings",
		"voiceSettings", "channelInstructions"} {
		body[name] = before[name]
	}
	if len([]rune(before["name"].(string))) > 100 {
		delete(body, "name")
	}
	limits := cloneObject(before["ipRateLimits"].(object))
	if limits["limit"].(float64) > 200 || limits["limit"].(float64) < 1 {
		delete(limits, "limit")
	}
	if limits["timeframe"].(float64) > 3600 || limits["timeframe"].(float64) < 1 {
		delete(limits, "timeframe")
	}
	body["ipRateLimits"] = limits
	s.putV2("", body)
	if styles, ok := before["styles"].(object); ok {
		chat := cloneObject(styles["chat"].(object))
		if name, ok := chat["displayName"].(string); ok && len([]rune(name)) > 100 {
			delete(chat, "displayName")
		}
		s.putV2("/styles", object{"styles": object{"chat": chat}})
	}
	if diff := cmp.Diff(before, s.readV2()); diff != "" {
		s.Fatal("version 2 wrote what it read:\n", diff)
	}
	s.checkV1Only()
}

// writeV2 changes settings in version 2, also such as version 1 does not have.
func (s *settingsTest) writeV2() {
	s.Helper()
	before := s.readV2()
	body, styles := object{}, object{}
	for name, value := range map[string]any{
		"name": s.randomText(), "instructions": s.randomText(), "allowedDomains": []any{"later.example"},
		"visibility": s.randomChoice("public", "private"), "initialMessages": s.randomTexts(),
		"suggestedMessages": []any{object{"type": "nested", "name": s.randomText(), "order": s.IntN(3),
			"items": []any{object{"text": "Prices", "order": 0}}},
			object{"type": "single", "text": s.randomText(), "order": 5, "icon": "star"}},
	} {
		if s.IntN(4) == 0 {
			body[name] = value
		}
	}
	if s.IntN(4) == 0 {
		body["allowedDomains"] = nil
	}
	for name, value := range map[string]any{"footer": s.randomText(), "theme": s.randomChoice("dark", "light"),
		"headerColor": "#010203", "displayName": s.randomText()} {
		if s.IntN(4) == 0 {
			styles[name] = value
		}
	}
	s.putV2("", body)
	s.putV2("/styles", object{"styles": object{"chat": styles}})
	want := cloneObject(before)
	maps.Copy(want, cloneObject(body))
	if chat, ok := want["styles"].(object); ok && chat["chat"] != nil {
		maps.Copy(chat["chat"].(object), styles)
	} else {
		want["styles"] = s.readV2()["styles"]
	}
	if diff := cmp.Diff(want, s.readV2()); diff != "" {
		s.Fatal("version 2 wrote:\n", diff)
	}
	s.checkV1Only()
}

func (s *settingsTest) putV2(below string, body object) {
	s.Helper()
	if status, reply := sendAs(s.T, s.Server, s.Key, "PUT", v2.Base+"/agents/"+s.id+below,
		mustMarshal(body)); status != 200 {
		s.Fatal(status, reply, mustMarshal(body))
	}
}

func (s *settingsTest) readV2() object {
	s.Helper()
	status, reply := sendAs(s.T, s.Server, s.Key, "GET", v2.Base+"/agents/"+s.id, "")
	var record object
	if err := json.Unmarshal([]byte(reply), &record); err != nil || status != 200 {
		s.Fatal(status, reply)
	}
	return record
}

// randomSettings makes settings that are valid in version 1, some of them beyond the ranges of version 2.
func (s *settingsTest) randomSettings() object {
	all := object{
		"name": s.randomText(), "instructions": s.randomText(), "initialMessages": s.randomTexts(),
		"suggestedMessages": s.randomTexts(), "visibility": s.randomChoice("private", "can_be_embedded"),
		"onlyAllowOnAddedDomains": s.IntN(2) == 0, "domains": s.randomTexts(), "ipLimit": float64(s.IntN(2000)),
		"ipLimitTimeframe": float64(s.IntN(10_000)), "ipLimitMessage": s.randomText(),
		"model": s.randomChoice("gpt-4", "gpt-3.5-turbo", "auto", "gpt-5.2"), "temp": float64(s.IntN(11)) / 10,
		"collectCustomerInformation": s.randomMembers(object{"title": s.randomText(), "name": s.randomQuestion(),
			"email": s.randomQuestion(), "phone": s.randomQuestion()}),
		"styles": s.randomMembers(object{"theme": s.randomChoice("dark", "light"),
			"userMessageColor": s.randomChoice("#123456", "#ABC"), "buttonColor": s.randomChoice("#fff", "#a1B2c3"),
			"displayName": s.randomText(), "autoOpenChatWindowAfter": float64(s.IntN(100) - 10),
			"alignChatButton": s.randomChoice("left", "right")}),
	}
	return s.randomMembers(all)
}

func (s *settingsTest) randomQuestion() object {
	return s.randomMembers(object{"label": s.randomText(), "active": s.IntN(2) == 0})
}

func (s *settingsTest) randomMembers(all object) object {
	stored := object{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if s.IntN(3) == 0 {
			stored[name] = all[name]
		}
	}
	return stored
}

func (s *settingsTest) randomChoice(of ...string) string { return of[s.IntN(len(of))] }

func (s *settingsTest) randomTexts() []any {
	list := []any{}
	for range s.IntN(4) {
		list = append(list, s.randomText()+string(rune('a'+len(list))))
	}
	return list
}

func (s *settingsTest) randomText() string {
	letters := []rune("aé<>&\"'\\/ \n\u2028😀🇩🇪{}[]0%_؟")
	text := []rune{'x'}
	for range s.IntN(40) {
		text = append(text, letters[s.IntN(len(letters))])
	}
	return string(text)
}

func copyMember(to object, name string, from object, as string) {
	if v, ok := from[as]; ok {
		to[name] = v
	}
}

func cloneObject(o object) object {
	var other object
	if err := json.Unmarshal([]byte(mustMarshal(o)), &other); err != nil {
		panic(err) // it was JSON before
	}
	return other
}

func mustMarshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // these values can always be encoded
	}
	return string(b)
}
