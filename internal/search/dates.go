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
	read := func(name, text string) (at, last, before int64) {
		if text == "" {
			return 0, math.MaxInt64, math.MaxInt64
		}
		moment, whole, ok := wire.Moment(text)
		r.want(ok, name, wire.NotAMoment)
		early = early || ok && moment.Before(window)
		at, before = moment.UnixMilli(), wire.Through(moment, whole).UnixMilli()
		if whole {
			return at, before - 1, before
		}
		return at, at, before
	}
	var created, active int64 // the last moments that were named, which the first may not lie behind
	p.created.from, _, _ = read("startDate", q.StartDate)
	_, created, p.created.before = read("endDate", q.EndDate)
	p.active.from, _, _ = read("updatedAfter", q.UpdatedAfter)
	_, active, p.active.before = read("updatedBefore", q.UpdatedBefore)
	return func(window time.Time) error {
		if early {
			return parley.Failf(parley.CodeSearchWindow, "The search reaches back to %s; export older conversations instead.", window.Format(time.DateOnly))
		}
		if p.created.from > created || p.active.from > active {
			return parley.Fail(parley.CodeInvalidDateRange)
		}
		if q.StartDate != "" || q.EndDate != "" {
			p.days = daysOf(max(p.created.from, window.UnixMilli()), p.created.before)
		}
		p.created.from = max(p.created.from, window.UnixMilli())
		return nil
	}
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
