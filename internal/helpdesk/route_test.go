package helpdesk

import (
	"testing"

	"parley"
)

func TestRoute(t *testing.T) {
	is := func(field, op string, values ...string) parley.Condition {
		return parley.Condition{Field: field, Op: op, Values: values}
	}
	all := func(key string, list ...parley.Condition) parley.Rule {
		return parley.Rule{Key: key, Enabled: true, All: list, TeamID: parley.TeamID("team " + key)}
	}
	ticket := RoutingInput{Subject: "Refund für Bestellung 4711", Body: "My ORDER never came.",
		Email: "Ann@Shop.Example.com", Channel: parley.TicketAPI, Priority: "high"}
	off := all("off")
	off.Enabled = false
	either := all("either", is("priority", "is", "high"))
	either.Any = []parley.Condition{is("subject", "contains", "invoice"), is("body", "contains", "order")}
	neither := either
	neither.Key, neither.Any = "neither", []parley.Condition{is("subject", "contains", "invoice")}
	toAnn := all("ann")
	toAnn.MemberID = "ann"
	onlyAnn := parley.Rule{Key: "only", Enabled: true, MemberID: "ann"}
	departed := all("gone")
	departed.MemberID = "left"
	for name, c := range map[string]struct {
		rules []parley.Rule
		rule  string
		want  Decision
	}{
		"no rules":                        {nil, "", Decision{}},
		"no conditions hold for all":      {[]parley.Rule{all("a")}, "a", Decision{TeamID: "team a"}},
		"the first match wins":            {[]parley.Rule{all("a"), all("b")}, "a", Decision{TeamID: "team a"}},
		"one switched off is passed over": {[]parley.Rule{off, all("b")}, "b", Decision{TeamID: "team b"}},
		"one that does not hold, too": {[]parley.Rule{all("a", is("subject", "is", "refund")), all("b")}, "b",
			Decision{TeamID: "team b"}},
		"none holds": {[]parley.Rule{all("a", is("channel", "is", "email"))}, "", Decision{}},
		"is, whatever the case": {[]parley.Rule{all("a", is("email", "is", "ann@shop.example.com"))}, "a",
			Decision{TeamID: "team a"}},
		"is, whatever the accents": {[]parley.Rule{all("a", is("subject", "contains", "FUR bestellung"))}, "a",
			Decision{TeamID: "team a"}},
		"one of several values": {[]parley.Rule{all("a", is("priority", "is", "urgent", "high"))}, "a",
			Decision{TeamID: "team a"}},
		"is not any of the values": {[]parley.Rule{all("a", is("priority", "is_not", "urgent", "high"))}, "",
			Decision{}},
		"is not": {[]parley.Rule{all("a", is("priority", "is_not", "urgent", "low"))}, "a",
			Decision{TeamID: "team a"}},
		"contains none": {[]parley.Rule{all("a", is("body", "not_contains", "parcel", "order"))}, "",
			Decision{}},
		"does not contain": {[]parley.Rule{all("a", is("body", "not_contains", "parcel"))}, "a",
			Decision{TeamID: "team a"}},
		"starts with": {[]parley.Rule{all("a", is("subject", "starts_with", "refund"))}, "a",
			Decision{TeamID: "team a"}},
		"does not start with": {[]parley.Rule{all("a", is("subject", "starts_with", "bestellung"))}, "",
			Decision{}},
		"ends with": {[]parley.Rule{all("a", is("subject", "ends_with", "4711"))}, "a",
			Decision{TeamID: "team a"}},
		"the domain is all behind the @": {[]parley.Rule{all("a", is("domain", "is", "shop.example.com"))}, "a",
			Decision{TeamID: "team a"}},
		"a part of the domain is not it": {[]parley.Rule{all("a", is("domain", "is", "example.com"))}, "", Decision{}},
		"but it ends with it": {[]parley.Rule{all("a", is("domain", "ends_with", ".example.com"))}, "a",
			Decision{TeamID: "team a"}},
		"channel": {[]parley.Rule{all("a", is("channel", "is", "API"))}, "a",
			Decision{TeamID: "team a"}},
		"all of": {[]parley.Rule{all("a", is("channel", "is", "api"),
			is("priority", "is", "low"))}, "", Decision{}},
		"any of":                           {[]parley.Rule{either}, "either", Decision{TeamID: "team either"}},
		"none of any":                      {[]parley.Rule{neither}, "", Decision{}},
		"a field that nobody knows":        {[]parley.Rule{all("a", is("inbox", "is_not", "x"))}, "", Decision{}},
		"an operator that nobody knows":    {[]parley.Rule{all("a", is("subject", "matches", "x"))}, "", Decision{}},
		"team and member":                  {[]parley.Rule{toAnn}, "ann", Decision{TeamID: "team ann", MemberID: "ann"}},
		"a member alone":                   {[]parley.Rule{onlyAnn}, "only", Decision{MemberID: "ann"}},
		"one who has left leaves the team": {[]parley.Rule{departed, all("b")}, "gone", Decision{TeamID: "team gone"}},
	} {
		got := route(c.rules, map[parley.UserID]bool{"ann": true}, ticket)
		rule := ""
		if got.Rule != nil {
			rule = got.Rule.Key
		}
		if rule != c.rule || got.TeamID != c.want.TeamID || got.MemberID != c.want.MemberID {
			t.Errorf("%s: rule %q, %+v", name, rule, got)
		}
	}
}

func TestDomainOfOddAddresses(t *testing.T) {
	for address, want := range map[string]string{"a@b": "b", `"a@b"@c.de`: "c.de", "": "", "nobody": "nobody", "a@": ""} {
		if got := (RoutingInput{Email: address}).value("domain"); got != want {
			t.Errorf("%q: %q", address, got)
		}
	}
}
