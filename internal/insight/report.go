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
	// MostDays is how many days a report may span.
	MostDays = 366
	// UsualDays is how many days it spans where nothing is said, today included.
	UsualDays = 30

	groupedOpen = 1000 // open questions that are grouped, the newest
	shownOpen   = 50   // groups of them that are shown
	shownTopics = 500
)

// Ask asks for a report of whole days in UTC, both included.
type Ask struct {
	From, To time.Time // the beginnings of the days
	By       store.SumsGroup
}

// Report is what an agent's conversations add up to.
type Report struct {
	Ask
	Totals     store.Sums
	Settling   int64 // resolved ones so young that their user may still come back with the same
	AgainDays  int
	Definition string         // of the resolution rate
	Series     []store.SumsBy // by Ask.By; days without conversations are there, with zeros
	Topics     []TopicSums    // the largest first, with those of their subtopics
	Withheld   bool           // text of conversations does not show up: no questions, no topics but the operator's
	Open       int64          // questions that the sources did not answer
	Lacks      []OpenGroup    // the newest of them in groups, the largest first
}

// TopicSums are the sums of a topic and its subtopics. The name is empty for conversations without a topic.
type TopicSums struct {
	Name   string
	Parent string
	store.Sums
}

// OpenGroup is questions that are about the same and were not answered.
type OpenGroup struct {
	Example     string // the newest
	Count       int
	First, Last time.Time
}

// Rate is the share of the conversations with a question that were resolved; nil where there are none.
func Rate(s store.Sums) *float64 {
	all := s.Resolved + s.Unresolved()
	if all == 0 {
		return nil
	}
	r := float64(s.Resolved) / float64(all)
	return &r
}

// Report adds up the days that are asked for. Fails with AGENT_NOT_FOUND.
func (k *Keeper) Report(ctx context.Context, account *parley.Account, id parley.AgentID, ask Ask) (*Report, error) {
	a, err := k.DB.Agent(ctx, account.ID, id, k.Now())
	if err != nil {
		return nil, err
	}
	days := againDays(a)
	r := &Report{Ask: ask, AgainDays: days, Definition: fmt.Sprintf(Definition, days), Withheld: withheld(account, a)}
	byDay, err := k.DB.SumsOf(ctx, account.ID, id, ask.From, ask.To, store.ByDay)
	if err != nil {
		return nil, err
	}
	unsettled := k.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly)
	for _, d := range byDay {
		r.Totals.Add(d.Sums)
		if d.Key >= unsettled { // of that day those that began later than it is now
			r.Settling += d.Resolved
		}
	}
	topics, err := k.DB.SumsOf(ctx, account.ID, id, ask.From, ask.To, store.ByTopic)
	if err != nil {
		return nil, err
	}
	if r.Withheld {
		topics = onlyOperators(topics, a.Topics)
	}
	r.Topics = rolled(topics, a.Topics)
	switch ask.By {
	case store.ByDay:
		r.Series = everyDay(byDay, ask)
	case store.ByTopic:
		r.Series = topics
	default:
		if r.Series, err = k.DB.SumsOf(ctx, account.ID, id, ask.From, ask.To, ask.By); err != nil {
			return nil, err
		}
	}
	return r, k.lacks(ctx, r, account.ID, id)
}

// everyDay puts zeros where nothing happened.
func everyDay(there []store.SumsBy, ask Ask) []store.SumsBy {
	byKey := map[string]store.SumsBy{}
	for _, d := range there {
		byKey[d.Key] = d
	}
	var all []store.SumsBy
	for day := ask.From; !day.After(ask.To); day = day.AddDate(0, 0, 1) {
		key := day.Format(time.DateOnly)
		all = append(all, store.SumsBy{Key: key, Sums: byKey[key].Sums})
	}
	return all
}

// onlyOperators puts topics that the operator has not named with those without one.
func onlyOperators(there []store.SumsBy, topics []parley.Topic) []store.SumsBy {
	known := paths(topics)
	none := store.SumsBy{}
	list := []store.SumsBy{}
	for _, s := range there {
		if s.Key != "" && known[s.Key] != nil {
			list = append(list, s)
			continue
		}
		none.Add(s.Sums)
	}
	if none.Conversations > 0 {
		list = append([]store.SumsBy{none}, list...)
	}
	return list
}

// rolled counts subtopics with their topics.
func rolled(there []store.SumsBy, topics []parley.Topic) []TopicSums {
	known := paths(topics)
	sums := map[string]*TopicSums{}
	for _, s := range there {
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
			t.Add(s.Sums)
		}
	}
	list := []TopicSums{}
	for _, name := range sortedKeys(sums) {
		list = append(list, *sums[name])
	}
	slices.SortStableFunc(list, func(a, b TopicSums) int { return cmp.Compare(b.Conversations, a.Conversations) })
	return list[:min(shownTopics, len(list))]
}

// lacks groups the newest of the questions that the sources did not answer.
func (k *Keeper) lacks(ctx context.Context, r *Report, account parley.AccountID, agent parley.AgentID) (err error) {
	end := r.To.AddDate(0, 0, 1)
	if r.Open, err = k.DB.CountOpenQuestions(ctx, account, agent, r.From, end); err != nil || r.Withheld || r.Open == 0 {
		return err
	}
	open, err := k.DB.OpenQuestions(ctx, account, agent, r.From, end, groupedOpen)
	r.Lacks = openGroups(open)
	return err
}

// openGroups groups questions; one that is like no other is a group of its own. They come newest first.
func openGroups(open []parley.OpenQuestion) []OpenGroup {
	terms := make([]map[string]float64, len(open))
	for i, q := range open {
		terms[i] = termsOf(q.Text)
	}
	asked := askedOf(terms)
	v := vocabularyOf(asked)
	in := make([]bool, len(open))
	var list []OpenGroup
	for _, c := range clusters(asked, &v, 2) {
		for _, m := range c.members {
			in[m] = true
		}
		list = append(list, groupOf(open, c.members))
	}
	for i := range open {
		if !in[i] {
			list = append(list, groupOf(open, []int{i}))
		}
	}
	slices.SortFunc(list, func(a, b OpenGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.Last.Compare(a.Last), strings.Compare(a.Example, b.Example))
	})
	return list[:min(shownOpen, len(list))]
}

// groupOf tells of the questions at these places.
func groupOf(open []parley.OpenQuestion, members []int) OpenGroup {
	newest, oldest := slices.Min(members), slices.Max(members)
	return OpenGroup{Example: open[newest].Text, Count: len(members), First: open[oldest].AskedAt, Last: open[newest].AskedAt}
}

// ReadDays reads the days of a report; an empty one is the usual. Fails with VALIDATION_INVALID_BODY and details, and with
// VALIDATION_INVALID_DATE_RANGE.
func ReadDays(from, to string, now time.Time) (start, end time.Time, err error) {
	details := map[string]string{}
	read := func(name, text string, usual time.Time) time.Time {
		if text == "" {
			return usual
		}
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			details[name] = "must be a day such as 2026-01-31"
		}
		return day
	}
	now = now.UTC()
	end = read("to", to, time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC))
	start = read("from", from, end.AddDate(0, 0, 1-UsualDays))
	if len(details) == 0 && end.Sub(start) >= MostDays*wholeDay {
		details["from"] = fmt.Sprintf("must be at most %d days before to", MostDays-1)
	}
	switch {
	case len(details) > 0:
		fail := parley.Fail(parley.CodeInvalidBody)
		fail.Details = details
		return start, end, fail
	case start.After(end):
		return start, end, parley.Fail(parley.CodeInvalidDateRange)
	}
	return start, end, nil
}
