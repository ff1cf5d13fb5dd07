package search

import (
	"math"
	"time"

	"parley"
	"parley/internal/wire"
)

// Window gives the first moment that a search reaches: the first day of the month twelve months ago, UTC (interface 8).
func Window(now time.Time) time.Time {
	now = now.UTC()
	return time.Date(now.Year(), now.Month()-12, 1, 0, 0, 0, 0, time.UTC)
}

// periods reads the four dates. What it gives checks them against the window and each other, once all else is well.
func (r *reader) periods(p *plan, q *Query, window time.Time) func(window time.Time) error {
	early := false
	read := func(name, text string) (from, before int64) {
		if text == "" {
			return 0, math.MaxInt64
		}
		at, whole, ok := wire.Moment(text)
		r.want(ok, name, wire.NotAMoment)
		early = early || ok && at.Before(window)
		if whole {
			return at.UnixMilli(), at.AddDate(0, 0, 1).UnixMilli()
		}
		return at.UnixMilli(), at.UnixMilli() + 1
	}
	p.created.from, _ = read("startDate", q.StartDate)
	_, p.created.before = read("endDate", q.EndDate)
	p.active.from, _ = read("updatedAfter", q.UpdatedAfter)
	_, p.active.before = read("updatedBefore", q.UpdatedBefore)
	return func(window time.Time) error {
		if early {
			return parley.Failf(parley.CodeSearchWindow, "The search reaches back to %s; export older conversations instead.", window.Format(time.DateOnly))
		}
		if p.created.from >= p.created.before || p.active.from >= p.active.before {
			return parley.Fail(parley.CodeInvalidDateRange)
		}
		p.created.before, p.active.before = throughSecond(p.created.before), throughSecond(p.active.before)
		if q.StartDate != "" || q.EndDate != "" {
			p.days = daysOf(max(p.created.from, window.UnixMilli()), p.created.before)
		}
		p.created.from = max(p.created.from, window.UnixMilli())
		return nil
	}
}

// throughSecond moves an end that names a second to that second's own end: replies tell times by the second, and what they tell
// as the end is to be found. An end within a second stays as it is.
func throughSecond(before int64) int64 {
	if before%1000 == 1 {
		return before + 999
	}
	return before
}

const (
	mostDays   = 31
	mostMonths = 14
)

// daysOf names the days or the months that a period touches; none where these are many.
func daysOf(from, before int64) []string {
	first := time.UnixMilli(from).UTC()
	var days, months []string
	for at := first.Truncate(24 * time.Hour); at.UnixMilli() < before && len(days) <= mostDays; at = at.AddDate(0, 0, 1) {
		days = append(days, dayToken(at))
	}
	if len(days) <= mostDays {
		return days
	}
	for at := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC); at.UnixMilli() < before; at = at.AddDate(0, 1, 0) {
		if months = append(months, monthToken(at)); len(months) > mostMonths {
			return nil
		}
	}
	return months
}
