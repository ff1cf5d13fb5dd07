package apiv1_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/api"
	"parley/internal/apiv1"
	"parley/internal/rig"
)

type object = map[string]any

// subject is a chatbot that both interfaces write to at random, and what is to be read of it.
type subject struct {
	*testing.T
	*rig.House
	*rand.Rand
	id    string
	aside []any  // the domains that version 1 keeps while nobody is held to them
	asks  object // what version 1 is to collect of customers
}

// TestSettingsAreTheSameInBothInterfaces has version 1 and version 2 change one chatbot in turn. What one writes the other reads, what
// was not written stays as it was, and writing in version 2 what it reads changes nothing.
func TestSettingsAreTheSameInBothInterfaces(t *testing.T) {
	for name, options := range map[string][]rig.Option{"sqlite": nil, "postgres": {rig.OnPostgres()}} {
		t.Run(name, func(t *testing.T) {
			h := rig.Open(t, options...)
			s := &subject{T: t, House: h, Rand: rand.New(rand.NewPCG(4, 11)), asks: object{}}
			s.id = bot(t, h)
			s.put("", object{"creditLimit": 7, "notificationsSettings": object{"dailyConversations": object{"active": true, "emails": []string{"a@b.org"}}}})
			for range 60 {
				s.earlierWrites()
				s.laterRepeats()
				s.laterWrites()
			}
		})
	}
}

// bot makes a chatbot and gives its id.
func bot(t *testing.T, h *rig.House) string {
	t.Helper()
	var made apiv1.ChatbotID
	status, reply := send(t, h, h.Key, "POST", apiv1.Base+"/create-chatbot", `{"chatbotName": "Bot"}`)
	if err := json.Unmarshal([]byte(reply), &made); err != nil || status != 200 {
		t.Fatal(status, reply)
	}
	return made.ChatbotID
}

func (s *subject) earlierWrites() {
	s.Helper()
	before, sent := s.read(), s.anySettings()
	body := maps.Clone(sent)
	body["chatbotId"] = s.id
	if status, reply := send(s.T, s.House, s.Key, "POST", apiv1.Base+"/update-chatbot-settings", encoded(body)); status != 202 {
		s.Fatal(status, reply, encoded(body))
	}
	want, after := s.after(before, sent), s.read()
	s.suggestions(want, after, sent)
	if diff := cmp.Diff(want, after); diff != "" {
		s.Fatalf("version 1 wrote %s\n%s", encoded(sent), diff)
	}
	s.keeps()
}

// after tells how version 2 is to read the chatbot when version 1 has written. It is said here once more, in the words of docs/v1.md.
func (s *subject) after(before, sent object) object {
	want := clone(before)
	for _, same := range []string{"name", "instructions", "model", "temp", "initialMessages"} {
		put(want, same, sent, same)
	}
	limits := want["ipRateLimits"].(object)
	put(limits, "limit", sent, "ipLimit")
	put(limits, "timeframe", sent, "ipLimitTimeframe")
	put(limits, "message", sent, "ipLimitMessage")
	if v, ok := sent["visibility"]; ok {
		want["visibility"] = map[string]string{"private": "private", "can_be_embedded": "public"}[v.(string)]
	}
	list, on := want["allowedDomains"].([]any)
	if !on {
		list = s.aside
	}
	if v, ok := sent["domains"]; ok {
		list = v.([]any)
	}
	if v, ok := sent["onlyAllowOnAddedDomains"]; ok {
		on = v.(bool)
	}
	want["allowedDomains"], s.aside = nil, list
	if on {
		want["allowedDomains"], s.aside = append([]any{}, list...), nil
	}
	if looks, ok := sent["styles"].(object); ok && len(looks) > 0 {
		styles, _ := want["styles"].(object)
		if styles == nil {
			styles = object{"centerStage": nil}
		}
		chat, _ := styles["chat"].(object)
		if chat == nil {
			chat = object{"displayName": nil, "autoOpenChatWindowAfter": nil, "messagePlaceholder": nil, "footer": nil, "dismissableNotice": nil}
		}
		maps.Copy(chat, looks)
		styles["chat"], want["styles"] = chat, styles
	}
	if asks, ok := sent["collectCustomerInformation"].(object); ok {
		for name, ask := range asks {
			members, both := ask.(object)
			if there, ok := s.asks[name].(object); ok && both {
				maps.Copy(there, members)
				continue
			}
			s.asks[name] = ask
		}
	}
	return want
}

// suggestions compares the messages to pick: those that version 1 sent, in their order, and the groups that were there.
func (s *subject) suggestions(want, after, sent object) {
	s.Helper()
	texts, ok := sent["suggestedMessages"].([]any)
	if !ok {
		return
	}
	var got, groups, were []any
	order := float64(-1)
	for _, each := range after["suggestedMessages"].([]any) {
		item := each.(object)
		if o := item["order"].(float64); o < order {
			s.Fatal("out of order:", encoded(after["suggestedMessages"]))
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
			were = append(were, each)
		}
	}
	byOrder := func(a, b any) int { return int(a.(object)["order"].(float64) - b.(object)["order"].(float64)) }
	slices.SortStableFunc(were, byOrder)
	if diff := cmp.Diff([][]any{append([]any{}, texts...), were}, [][]any{append([]any{}, got...), groups}); diff != "" {
		s.Fatal("suggested messages:\n", diff)
	}
	want["suggestedMessages"] = after["suggestedMessages"]
}

// keeps compares what only version 1 knows.
func (s *subject) keeps() {
	s.Helper()
	a, err := s.DB.Agent(s.Context(), parley.AccountID(s.Account), parley.AgentID(s.id), s.Gate.Now())
	if err != nil {
		s.Fatal(err)
	}
	var kept struct {
		Domains                    []any
		CollectCustomerInformation object
	}
	if a.V1 != nil {
		if err := json.Unmarshal(a.V1, &kept); err != nil {
			s.Fatal(err)
		}
	}
	if diff := cmp.Diff(append([]any{}, s.aside...), append([]any{}, kept.Domains...)); diff != "" {
		s.Fatal("domains kept aside:\n", diff)
	}
	if len(s.asks) > 0 || len(kept.CollectCustomerInformation) > 0 {
		if diff := cmp.Diff(s.asks, kept.CollectCustomerInformation); diff != "" {
			s.Fatal("what is asked of customers:\n", diff)
		}
	}
}

// laterRepeats writes in version 2 what it reads, but for what is beyond its ranges.
func (s *subject) laterRepeats() {
	s.Helper()
	before := s.read()
	body := object{}
	for _, name := range []string{"name", "instructions", "model", "temp", "visibility", "allowedDomains", "suggestedMessages", "initialMessages", "creditLimit", "notificationsSettings",
		"voiceSettings", "channelInstructions"} {
		body[name] = before[name]
	}
	if len([]rune(before["name"].(string))) > 100 {
		delete(body, "name")
	}
	limits := clone(before["ipRateLimits"].(object))
	if limits["limit"].(float64) > 200 || limits["limit"].(float64) < 1 {
		delete(limits, "limit")
	}
	if limits["timeframe"].(float64) > 3600 || limits["timeframe"].(float64) < 1 {
		delete(limits, "timeframe")
	}
	body["ipRateLimits"] = limits
	s.put("", body)
	if styles, ok := before["styles"].(object); ok {
		chat := clone(styles["chat"].(object))
		if name, ok := chat["displayName"].(string); ok && len([]rune(name)) > 100 {
			delete(chat, "displayName")
		}
		s.put("/styles", object{"styles": object{"chat": chat}})
	}
	if diff := cmp.Diff(before, s.read()); diff != "" {
		s.Fatal("version 2 wrote what it read:\n", diff)
	}
	s.keeps()
}

// laterWrites changes things in version 2, among them such as version 1 does not know.
func (s *subject) laterWrites() {
	s.Helper()
	before := s.read()
	body, styles := object{}, object{}
	for name, value := range map[string]any{
		"name": s.text(), "instructions": s.text(), "allowedDomains": []any{"later.example"}, "visibility": s.one("public", "private"), "initialMessages": s.texts(),
		"suggestedMessages": []any{object{"type": "nested", "name": s.text(), "order": s.IntN(3), "items": []any{object{"text": "Prices", "order": 0}}},
			object{"type": "single", "text": s.text(), "order": 5, "icon": "star"}},
	} {
		if s.IntN(4) == 0 {
			body[name] = value
		}
	}
	if s.IntN(4) == 0 {
		body["allowedDomains"] = nil
	}
	for name, value := range map[string]any{"footer": s.text(), "theme": s.one("dark", "light"), "headerColor": "#010203", "displayName": s.text()} {
		if s.IntN(4) == 0 {
			styles[name] = value
		}
	}
	s.put("", body)
	s.put("/styles", object{"styles": object{"chat": styles}})
	want := clone(before)
	maps.Copy(want, clone(body))
	if chat, ok := want["styles"].(object); ok && chat["chat"] != nil {
		maps.Copy(chat["chat"].(object), styles)
	} else {
		want["styles"] = s.read()["styles"]
	}
	if diff := cmp.Diff(want, s.read()); diff != "" {
		s.Fatal("version 2 wrote:\n", diff)
	}
	s.keeps()
}

func (s *subject) put(below string, body object) {
	s.Helper()
	if status, reply := send(s.T, s.House, s.Key, "PUT", api.Base+"/agents/"+s.id+below, encoded(body)); status != 200 {
		s.Fatal(status, reply, encoded(body))
	}
}

func (s *subject) read() object {
	s.Helper()
	status, reply := send(s.T, s.House, s.Key, "GET", api.Base+"/agents/"+s.id, "")
	var record object
	if err := json.Unmarshal([]byte(reply), &record); err != nil || status != 200 {
		s.Fatal(status, reply)
	}
	return record
}

// anySettings makes settings that are valid in version 1, some of them beyond the ranges of version 2.
func (s *subject) anySettings() object {
	all := object{
		"name": s.text(), "instructions": s.text(), "initialMessages": s.texts(), "suggestedMessages": s.texts(), "visibility": s.one("private", "can_be_embedded"),
		"onlyAllowOnAddedDomains": s.IntN(2) == 0, "domains": s.texts(), "ipLimit": float64(s.IntN(2000)), "ipLimitTimeframe": float64(s.IntN(10_000)), "ipLimitMessage": s.text(),
		"model": s.one("gpt-4", "gpt-3.5-turbo", "auto", "gpt-5.2"), "temp": float64(s.IntN(11)) / 10,
		"collectCustomerInformation": s.some(object{"title": s.text(), "name": s.question(), "email": s.question(), "phone": s.question()}),
		"styles": s.some(object{"theme": s.one("dark", "light"), "userMessageColor": s.one("#123456", "#ABC"), "buttonColor": s.one("#fff", "#a1B2c3"),
			"displayName": s.text(), "autoOpenChatWindowAfter": float64(s.IntN(100) - 10), "alignChatButton": s.one("left", "right")}),
	}
	return s.some(all)
}

func (s *subject) question() object {
	return s.some(object{"label": s.text(), "active": s.IntN(2) == 0})
}

func (s *subject) some(all object) object {
	kept := object{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if s.IntN(3) == 0 {
			kept[name] = all[name]
		}
	}
	return kept
}

func (s *subject) one(of ...string) string { return of[s.IntN(len(of))] }

func (s *subject) texts() []any {
	list := []any{}
	for range s.IntN(4) {
		list = append(list, s.text()+string(rune('a'+len(list))))
	}
	return list
}

func (s *subject) text() string {
	letters := []rune("aé<>&\"'\\/ \n\u2028😀🇩🇪{}[]0%_؟")
	text := []rune{'x'}
	for range s.IntN(40) {
		text = append(text, letters[s.IntN(len(letters))])
	}
	return string(text)
}

func put(to object, name string, from object, as string) {
	if v, ok := from[as]; ok {
		to[name] = v
	}
}

func clone(o object) object {
	var other object
	if err := json.Unmarshal([]byte(encoded(o)), &other); err != nil {
		panic(err) // it was JSON before
	}
	return other
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // tests make nothing else
	}
	return string(b)
}
