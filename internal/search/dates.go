package search

import (
	"math"
	"time"

	"parley"
)

// Window gives the first moment that a search reaches: the first day of the month twelve months ago, UTC (interface 8).
func Window(now time.Time) time.Time {
	now = now.UTC()
	return time.Date(now.Year(), now.Month()-12, 1, 0, 0, 0, 0, time.UTC)
}

const notADate = "must be a day (YYYY-MM-DD) or an ISO 8601 time"

// moment reads a day or a time; a time without a zone is UTC.
func moment(s string) (at time.Time, wholeDay, ok bool) {
	if at, err := time.Parse(time.DateOnly, s); err == nil {
		return at, true, true
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, false, true
		}
	}
	return time.Time{}, false, false
}

// periods reads the four dates. What it gives checks them against the window and each other, once all else is well.
func (r *reader) periods(p *plan, q *Query, window time.Time) func(window time.Time) error {
	early := false
	read := func(name, text string) (from, before int64) {
		if text == "" {
			return 0, math.MaxInt64
		}
		at, whole, ok := moment(text)
		r.want(ok, name, notADate)
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
