package search

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
)

// Query is a search as a client asks for it (docs/interface/search.md#query). Empty texts ask for nothing; lists stand
// between commas.
type Query struct {
	Text             string `json:"query"`
	Source           string `json:"source"`
	Sentiment        string `json:"sentiment"`
	Topic            string `json:"topic"`
	UserID           string `json:"userId"`
	ActivityState    string `json:"activityState"`
	Feedback         string `json:"feedback"`
	Escalated        string `json:"escalated"` // true
	ActionType       string `json:"actionType"`
	Tool             string `json:"tool"`
	ToolOutcome      string `json:"toolOutcome"`
	Procedure        string `json:"procedure"`
	ProcedureOutcome string `json:"procedureOutcome"`
	HasVoice         string `json:"hasVoice"` // true or false
	StartDate        string `json:"startDate"`
	EndDate          string `json:"endDate"`
	UpdatedAfter     string `json:"updatedAfter"`
	UpdatedBefore    string `json:"updatedBefore"`

	WithoutTrials bool `json:"withoutTrials,omitempty"` // leaves out the conversations of the playground
	ByCustomer    bool `json:"-"`                       // finds those too whose customer's name or address has the text

	Limit  int    `json:"-"` // 1 to 25; 0 is 25
	Cursor string `json:"-"`
}

// The bounds of a search (docs/interface/search.md#limits; what it leaves open is ours).
const (
	MaxLimit       = 25
	MaxQueryRunes  = 512 // characters of the query
	maxFilterItems = 100 // of a filter
)

// The values that filters take where the list is closed.
var (
	sentiments     = append(parley.EnumValues("sentiment"), unspecified)
	activityStates = append(parley.EnumValues("conversationStatus"), "paused")
	toolOutcomes   = []string{string(parley.ToolSuccess), string(parley.ToolError), string(parley.ToolPending),
		string(parley.ToolIgnored)}
	procedureOutcomes = []string{string(parley.ProcedureCompleted), string(parley.ProcedureFailed),
		string(parley.ProcedureAbandoned), string(parley.ProcedureEscalated)}
)

// queryPlan is a search that has been understood.
type queryPlan struct {
	text    string
	words   []queryWord // that a conversation must hold; none where the text has none
	filters [][]string  // of each group a conversation has one of the facets
	days    []string    // facets of the time of creation, where it is narrow enough to name them
	created period
	active  period
	limit   int
}

// period is a time from a moment, in milliseconds, and before another.
type period struct{ from, before int64 }

func (p period) contains(at int64) bool { return p.from <= at && at < p.before }

// compile understands the query. Fails with VALIDATION_INVALID_BODY, naming everything that is wrong at once, with
// VALIDATION_SEARCH_WINDOW_EXCEEDED and with VALIDATION_INVALID_DATE_RANGE.
func (q *Query) compile(now time.Time) (*queryPlan, error) {
	r := paramReader{details: map[string]string{}}
	p := &queryPlan{text: q.Text, limit: q.Limit}
	if p.limit == 0 {
		p.limit = MaxLimit
	}
	r.require(p.limit >= 1 && p.limit <= MaxLimit, "limit", fmt.Sprintf("must be from 1 to %d", MaxLimit))
	r.require(utf8.RuneCountInString(q.Text) <= MaxQueryRunes, "query",
		fmt.Sprintf("must have at most %d characters", MaxQueryRunes))
	p.words = queryWords(q.Text)
	r.filter(p, bySource, "source", q.Source, channelNames())
	if q.WithoutTrials {
		p.add(customerChannelTokens())
	}
	r.filter(p, bySentiment, "sentiment", q.Sentiment, sentiments)
	r.filter(p, byUser, "userId", q.UserID, nil)
	r.filter(p, byState, "activityState", q.ActivityState, activityStates)
	r.filter(p, byFeedback, "feedback", q.Feedback, parley.Ratings())
	r.filter(p, byActionType, "actionType", q.ActionType, nil)
	r.outcomeFilter(p, "tool", q.Tool, "toolOutcome", q.ToolOutcome, toolOutcomes,
		[3]facet{byTool, byOutcome, byToolOutcome})
	r.outcomeFilter(p, "procedure", q.Procedure, "procedureOutcome", q.ProcedureOutcome, procedureOutcomes,
		[3]facet{byProcedure, byProcedureEnd, byProcedureOutcome})
	r.boolFilter(p, byEscalation, "escalated", q.Escalated, "true")
	r.boolFilter(p, byVoice, "hasVoice", q.HasVoice, "true", "false")
	r.topicFilter(p, q.Topic)
	window := Window(now)
	times := r.readPeriods(p, q, window)
	if len(r.details) > 0 {
		return nil, parley.InvalidFields(maps.Clone(r.details))
	}
	return p, times(window)
}

func channelNames() []string {
	var list []string
	for _, c := range parley.Channels() {
		list = append(list, string(c))
	}
	return list
}

// customerChannelTokens returns the facets of all channels but the playground, in which no customer writes.
func customerChannelTokens() (group []string) {
	for _, c := range parley.Channels() {
		if c != parley.ChannelPlayground {
			group = append(group, facetToken(bySource, string(c)))
		}
	}
	return group
}

// asksForCustomers reports whether the first page has conversations that are found by their customer: nothing but the
// text narrows the search.
func (q *Query) asksForCustomers() bool {
	return q.ByCustomer && q.Text != "" && *q == Query{Text: q.Text, WithoutTrials: q.WithoutTrials, ByCustomer: true,
		Limit: q.Limit}
}

// fingerprint distinguishes searches by everything but limit and cursor.
func (q *Query) fingerprint(ref parley.AgentRef) string {
	text, _ := json.Marshal(q) // texts always encode
	sum := sha256.Sum256(slices.Concat([]byte(ref.Account), []byte{0}, []byte(ref.Agent), []byte{0}, text))
	return hex.EncodeToString(sum[:fingerprintSize/2])
}

// fingerprintSize is how many characters a fingerprint has.
const fingerprintSize = 24

// expr is what the rows of a conversation are to hold.
func (p *queryPlan) expr(hasMultipleBuckets bool) expr {
	var e expr
	for _, w := range p.words {
		e.groups = append(e.groups, w.forms)
	}
	e.groups = append(e.groups, p.filters...)
	if len(p.days) > 0 {
		e.groups = append(e.groups, p.days)
	}
	if hasMultipleBuckets && len(p.words) > 0 && len(e.groups) > 1 {
		e.looseTokens = distinctForms(p.words)
	}
	return e
}

// hasOnlyWords reports whether every conversation that holds the words is found, but for those before the window.
func (p *queryPlan) hasOnlyWords() bool {
	return len(p.filters) == 0 && len(p.days) == 0 && p.created.before == math.MaxInt64 &&
		p.active == period{0, math.MaxInt64}
}

// isInPeriod reports whether a conversation has the times that the search asks for.
func (p *queryPlan) isInPeriod(d *doc) bool {
	return p.created.contains(d.created) && p.active.contains(d.active)
}

// matches reports whether a conversation has the facets and the times that the search asks for.
func (p *queryPlan) matches(d *doc) bool {
	if !p.isInPeriod(d) {
		return false
	}
	for _, group := range p.filters {
		if !slices.ContainsFunc(group, func(t string) bool { return strings.Contains(d.facets, t) }) {
			return false
		}
	}
	return true
}
