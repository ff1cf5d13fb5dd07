package helpdesk

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Candidate is a member of the team that is to take a ticket, and why they got it or did not.
type Candidate struct {
	User       parley.User
	Open       int   // open tickets
	MaxOpen    *int  // at which they get no more; nil is no limit
	LastTurn   int64 // grows with each ticket that went round to them
	IsEligible bool
	IsPicked   bool
	Reason     string
}

// rateCandidates judges each member of the team, in the order in which they joined.
func rateCandidates(team *parley.Team, members []store.MemberWorkload, at time.Time) []Candidate {
	list := make([]Candidate, len(members))
	for i, m := range members {
		c := Candidate{User: m.User, Open: m.OpenTickets, MaxOpen: cmp.Or(m.MaxOpen, team.MaxOpen), LastTurn: m.LastAssignment}
		hours := m.Hours
		if len(hours) == 0 {
			hours = team.Hours
		}
		switch {
		case m.IsAway:
			c.Reason = "is away"
		case !isOnShift(hours, at):
			c.Reason = "is off shift"
		case c.MaxOpen != nil && c.Open >= *c.MaxOpen:
			c.Reason = fmt.Sprintf("has %d open tickets, the most is %d", c.Open, *c.MaxOpen)
		default:
			c.IsEligible = true
		}
		list[i] = c
	}
	return list
}

// pickAssignee marks the one who gets the ticket by the team's strategy, and gives their place in the list; -1 is nobody. Of equal ones, the
// one who joined first and, at the same time, has the smaller id is taken: that is the order of the list.
func pickAssignee(strategy parley.Strategy, list []Candidate) int {
	best := -1
	if strategy != parley.StrategyManual {
		for i, c := range list {
			if c.IsEligible && (best < 0 || compareTurns(strategy, c, list[best]) < 0) {
				best = i
			}
		}
	}
	for i := range list {
		c := &list[i]
		if c.IsPicked = i == best; c.Reason == "" {
			c.Reason = pickReason(strategy, i == best)
		}
	}
	return best
}

// compareTurns compares whose turn it is.
func compareTurns(strategy parley.Strategy, a, b Candidate) int {
	if strategy == parley.StrategyBalanced {
		return cmp.Or(cmp.Compare(a.Open, b.Open), cmp.Compare(a.LastTurn, b.LastTurn))
	}
	return cmp.Compare(a.LastTurn, b.LastTurn)
}

func pickReason(strategy parley.Strategy, picked bool) string {
	switch {
	case strategy == parley.StrategyManual:
		return "the team hands out its tickets itself"
	case strategy == parley.StrategyBalanced && picked:
		return "has the fewest open tickets"
	case strategy == parley.StrategyBalanced:
		return "somebody has fewer open tickets, or has waited longer"
	case picked:
		return "it is their turn"
	default:
		return "it is somebody else's turn"
	}
}

// nextTurn is the number of the next turn: beyond everybody's last one.
func nextTurn(members []store.MemberWorkload) int64 {
	if len(members) == 0 {
		return 1
	}
	return 1 + slices.MaxFunc(members, func(a, b store.MemberWorkload) int { return cmp.Compare(a.LastAssignment, b.LastAssignment) }).LastAssignment
}
