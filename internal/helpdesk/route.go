package helpdesk

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/text/words"
)

// RoutingInput holds the fields of a ticket that routing uses.
type RoutingInput struct {
	Subject  string
	Body     string
	Email    string
	Channel  parley.TicketChannel
	Priority string
}

// Decision is the result of the rules for a ticket.
type Decision struct {
	Rule     *parley.Rule  // the one that fired; nil if none did
	TeamID   parley.TeamID // empty for the default team, unless there is a member
	MemberID parley.UserID // empty if the team's strategy picks
}

// route returns the decision of the first rule that is enabled and matches. A member who has left the account, and so
// is not among members, is ignored: then the rule's team gets the ticket, or the default team.
func route(rules []parley.Rule, members map[parley.UserID]bool, t RoutingInput) Decision {
	for i := range rules {
		r := &rules[i]
		if !r.Enabled || !matchesRule(r, t) {
			continue
		}
		d := Decision{Rule: r, TeamID: r.TeamID}
		if members[r.MemberID] {
			d.MemberID = r.MemberID
		}
		return d
	}
	return Decision{}
}

// matchesRule reports whether all of the rule's first conditions hold, and one of the others where there are any. A
// rule without conditions holds for every ticket.
func matchesRule(r *parley.Rule, t RoutingInput) bool {
	met := func(c parley.Condition) bool { return matchesCondition(c, t) }
	isUnmet := func(c parley.Condition) bool { return !matchesCondition(c, t) }
	return !slices.ContainsFunc(r.All, isUnmet) && (len(r.Any) == 0 || slices.ContainsFunc(r.Any, met))
}

// The fields and the operators of conditions.
var (
	ConditionFields    = []string{"subject", "body", "email", "domain", "channel", "priority"}
	ConditionOperators = []string{"is", "is_not", "contains", "not_contains", "starts_with", "ends_with"}
)

// matchesCondition reports whether the condition holds. An unknown condition does not.
func matchesCondition(c parley.Condition, t RoutingInput) bool {
	if !slices.Contains(ConditionFields, c.Field) {
		return false
	}
	text := normalize(t.value(c.Field))
	one := func(test func(text, value string) bool) bool {
		return slices.ContainsFunc(c.Values, func(v string) bool { return test(text, normalize(v)) })
	}
	equal := func(a, b string) bool { return a == b }
	switch c.Op {
	case "is":
		return one(equal)
	case "is_not":
		return !one(equal)
	case "contains":
		return one(strings.Contains)
	case "not_contains":
		return !one(strings.Contains)
	case "starts_with":
		return one(strings.HasPrefix)
	case "ends_with":
		return one(strings.HasSuffix)
	default:
		return false
	}
}

// value returns the text of a field. The domain is what comes behind the last @ of the address.
func (in RoutingInput) value(field string) string {
	switch field {
	case "subject":
		return in.Subject
	case "body":
		return in.Body
	case "email":
		return in.Email
	case "domain":
		return in.Email[strings.LastIndexByte(in.Email, '@')+1:]
	case "channel":
		return string(in.Channel)
	default:
		return in.Priority
	}
}

// normalize returns a text without case, accents and surrounding white space.
func normalize(s string) string { return strings.TrimSpace(words.Fold(s)) }
