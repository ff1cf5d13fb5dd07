package insight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	// MaxReportDays is how many days a report may span.
	MaxReportDays = 366
	// DefaultReportDays is how many days it spans where nothing is said, today included.
	DefaultReportDays = 30

	maxGroupedQuestions = 1000 // open questions that are grouped, the newest
	maxShownGroups      = 50   // groups of them that are shown
	maxShownTopics      = 500
)

// ReportRange is the range of a report: whole days in UTC, both included.
type ReportRange struct {
	From time.Time           `json:"from"` // the beginnings of the days
	To   time.Time           `json:"to"`
	By   parley.InsightGroup `json:"by"`
}

// Report is what an agent's conversations add up to.
type Report struct {
	ReportRange
	Totals store.InsightSums `json:"totals"`
	// resolved ones so young that their user may still come back with the same
	Settling   int64  `json:"settling"`
	AgainDays  int    `json:"againDays"`
	Definition string `json:"definition"` // of the resolution rate
	// by ReportRange.By; days without conversations are there, with zeros
	Series []store.GroupedSums `json:"series"`
	Topics []TopicSums         `json:"topics"` // the largest first, with those of their subtopics
	// text of conversations does not show up: no questions, no topics but the operator's
	Withheld bool        `json:"withheld"`
	Open     int64       `json:"unanswered"` // questions that the sources did not answer
	Lacks    []OpenGroup `json:"groups"`     // the newest of them in groups, the largest first
}

// TopicSums are the sums of a topic and its subtopics. The name is empty for conversations without a topic.
type TopicSums struct {
	Name   string `json:"name"`
	Parent string `json:"parent"`
	store.InsightSums
}

// OpenGroup is questions that are about the same and were not answered.
type OpenGroup struct {
	Example string    `json:"example"` // the newest
	Count   int       `json:"count"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`

	Conversations []parley.ConversationID `json:"-"` // in which they were asked, the newest first
}

// ResolutionRate is the share of the conversations with a question that were resolved; nil if there are none.
func ResolutionRate(s store.InsightSums) *float64 {
	all := s.Resolved + s.Unresolved()
	if all == 0 {
		return nil
	}
	r := float64(s.Resolved) / float64(all)
	return &r
}

// Report adds up the days that are asked for. Fails with AGENT_NOT_FOUND.
func (s *Service) Report(ctx context.Context, account *parley.Account, id parley.AgentID, ask ReportRange) (*Report,
	error) {
	a, err := s.DB.Agent(ctx, account.ID.AgentRef(id), s.Now())
	if err != nil {
		return nil, err
	}
	days := askedAgainDays(a)
	r := &Report{ReportRange: ask, AgainDays: days, Definition: fmt.Sprintf(Definition, days),
		Withheld: hidesText(account, a)}
	byDay, err := s.DB.SumInsights(ctx, account.ID.AgentRef(id), ask.From, ask.To, parley.GroupByDay)
	if err != nil {
		return nil, err
	}
	unsettled := s.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly)
	for _, d := range byDay {
		r.Totals.Add(d.InsightSums)
		if d.Key >= unsettled { // of that day those that began later than it is now
			r.Settling += d.Resolved
		}
	}
	topics, err := s.DB.SumInsights(ctx, account.ID.AgentRef(id), ask.From, ask.To, parley.GroupByTopic)
	if err != nil {
		return nil, err
	}
	if r.Withheld {
		topics = operatorTopicsOnly(topics, a.Topics)
	}
	r.Topics = rollUpTopics(topics, a.Topics)
	switch ask.By {
	case parley.GroupByDay:
		r.Series = fillDays(byDay, ask)
	case parley.GroupByTopic:
		r.Series = topics
	default:
		if r.Series, err = s.DB.SumInsights(ctx, account.ID.AgentRef(id), ask.From, ask.To, ask.By); err != nil {
			return nil, err
		}
	}
	return r, s.addOpenGroups(ctx, r, account.ID.AgentRef(id))
}

// fillDays puts zeros where nothing happened.
func fillDays(existing []store.GroupedSums, ask ReportRange) []store.GroupedSums {
	byKey := map[string]store.GroupedSums{}
	for _, d := range existing {
		byKey[d.Key] = d
	}
	var all []store.GroupedSums
	for day := ask.From; !day.After(ask.To); day = day.AddDate(0, 0, 1) {
		key := day.Format(time.DateOnly)
		all = append(all, store.GroupedSums{Key: key, InsightSums: byKey[key].InsightSums})
	}
	return all
}

// operatorTopicsOnly puts topics that the operator has not named with those without one.
func operatorTopicsOnly(existing []store.GroupedSums, topics []parley.Topic) []store.GroupedSums {
	known := topicPaths(topics)
	none := store.GroupedSums{}
	list := []store.GroupedSums{}
	for _, s := range existing {
		if s.Key != "" && known[s.Key] != nil {
			list = append(list, s)
			continue
		}
		none.Add(s.InsightSums)
	}
	if none.Conversations > 0 {
		list = append([]store.GroupedSums{none}, list...)
	}
	return list
}

// rollUpTopics counts subtopics with their topics.
func rollUpTopics(existing []store.GroupedSums, topics []parley.Topic) []TopicSums {
	known := topicPaths(topics)
	sums := map[string]*TopicSums{}
	for _, s := range existing {
		path := known[s.Key]
		if path == nil {
			path = []string{s.Key}
		}
		for i, name := range path {
			t := sums[name]
			if t == nil {
				t = &TopicSums{Name: name}
				sums[name] = t
			}
			if i+1 < len(path) {
				t.Parent = path[i+1]
			}
			t.Add(s.InsightSums)
		}
	}
	list := []TopicSums{}
	for _, name := range sortedKeys(sums) {
		list = append(list, *sums[name])
	}
	slices.SortStableFunc(list, func(a, b TopicSums) int { return cmp.Compare(b.Conversations, a.Conversations) })
	return list[:min(maxShownTopics, len(list))]
}

// addOpenGroups groups the newest of the questions that the sources did not answer.
func (s *Service) addOpenGroups(ctx context.Context, r *Report, ref parley.AgentRef) (err error) {
	end := r.To.AddDate(0, 0, 1)
	if r.Open, err = s.DB.CountOpenQuestions(ctx, ref, r.From, end); err != nil || r.Withheld || r.Open == 0 {
		return err
	}
	open, err := s.DB.OpenQuestions(ctx, ref, r.From, end, maxGroupedQuestions)
	r.Lacks = groupOpenQuestions(open)
	return err
}

// groupOpenQuestions groups questions; one that is like no other is a group of its own. They come newest first.
func groupOpenQuestions(open []parley.OpenQuestion) []OpenGroup {
	terms := make([]map[string]float64, len(open))
	for i, q := range open {
		terms[i] = termsOf(q.Text)
	}
	parsed := newQuestions(terms)
	v := newVocabulary(parsed)
	in := make([]bool, len(open))
	var list []OpenGroup
	for _, c := range clusterQuestions(parsed, &v, 2) {
		for _, m := range c.members {
			in[m] = true
		}
		list = append(list, newOpenGroup(open, c.members))
	}
	for i := range open {
		if !in[i] {
			list = append(list, newOpenGroup(open, []int{i}))
		}
	}
	slices.SortFunc(list, func(a, b OpenGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.Last.Compare(a.Last), strings.Compare(a.Example, b.Example))
	})
	return list[:min(maxShownGroups, len(list))]
}

// newOpenGroup describes the questions at these places.
func newOpenGroup(open []parley.OpenQuestion, members []int) OpenGroup {
	members = slices.Sorted(slices.Values(members))
	newest, oldest := members[0], members[len(members)-1]
	g := OpenGroup{Example: open[newest].Text, Count: len(members), First: open[oldest].AskedAt,
		Last: open[newest].AskedAt}
	for _, m := range members {
		if id := open[m].ConversationID; !slices.Contains(g.Conversations, id) {
			g.Conversations = append(g.Conversations, id)
		}
	}
	return g
}

// OpenGroupConversations lists the conversations in which the questions of a group of the report of some days were
// asked, the newest first: of the group whose newest question is of the second. There are none where the agent's texts
// are withheld. Fails with AGENT_NOT_FOUND.
func (s *Service) OpenGroupConversations(ctx context.Context, account *parley.Account, id parley.AgentID,
	ask ReportRange, askedAt int64) (list []parley.ConversationID, err error) {
	ref := account.ID.AgentRef(id)
	a, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return nil, err
	}
	r := &Report{ReportRange: ask, Withheld: hidesText(account, a)}
	err = s.addOpenGroups(ctx, r, ref)
	for _, g := range r.Lacks {
		if g.Last.Unix() == askedAt {
			list = append(list, g.Conversations...)
		}
	}
	return list, err
}

// ParseDays reads the days of a report; an empty one is the usual. Fails with VALIDATION_INVALID_BODY and details, and
// with VALIDATION_INVALID_DATE_RANGE.
func ParseDays(from, to string, now time.Time) (start, end time.Time, err error) {
	details := map[string]string{}
	read := func(name, text string, fallback time.Time) time.Time {
		if text == "" {
			return fallback
		}
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			details[name] = "must be a day such as 2026-01-31"
		}
		return day
	}
	now = now.UTC()
	end = read("to", to, time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC))
	start = read("from", from, end.AddDate(0, 0, 1-DefaultReportDays))
	if len(details) == 0 && end.Sub(start) >= MaxReportDays*dayLength {
		details["from"] = fmt.Sprintf("must be at most %d days before to", MaxReportDays-1)
	}
	switch {
	case len(details) > 0:
		return start, end, parley.InvalidFields(details)
	case start.After(end):
		return start, end, parley.NewError(parley.CodeInvalidDateRange)
	}
	return start, end, nil
}
