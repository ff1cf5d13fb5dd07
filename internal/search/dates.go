package search

import (
	"math"
	"time"

	"parley"
	"parley/internal/httpapi"
)

// Window returns the first moment that a search reaches: the first day of the month twelve months ago, UTC
// (docs/interface/search.md#window).
func Window(now time.Time) time.Time {
	now = now.UTC()
	return time.Date(now.Year(), now.Month()-12, 1, 0, 0, 0, 0, time.UTC)
}

// readPeriods reads the four dates. The function that it returns checks them against the window and each other, once
// everything else is valid.
func (r *paramReader) readPeriods(p *queryPlan, q *Query, window time.Time) func(window time.Time) error {
	early := false
	read := func(name, text string) (at, last, before int64) {
		if text == "" {
			return 0, math.MaxInt64, math.MaxInt64
		}
		moment, isDay, ok := httpapi.ParseTime(text)
		r.require(ok, name, httpapi.InvalidTimeMessage)
		early = early || ok && moment.Before(window)
		at, before = moment.UnixMilli(), httpapi.ExclusiveEnd(moment, isDay).UnixMilli()
		if isDay {
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
			return parley.NewErrorf(parley.CodeSearchWindow,
				"The search reaches back to %s; export older conversations instead.", window.Format(time.DateOnly))
		}
		if p.created.from > created || p.active.from > active {
			return parley.NewError(parley.CodeInvalidDateRange)
		}
		if q.StartDate != "" || q.EndDate != "" {
			p.days = periodTokens(max(p.created.from, window.UnixMilli()), p.created.before)
		}
		p.created.from = max(p.created.from, window.UnixMilli())
		return nil
	}
}

const (
	maxDayTokens   = 31
	maxMonthTokens = 14
)

// periodTokens names the days or the months that a period touches; none where these are many.
func periodTokens(from, before int64) []string {
	first := time.UnixMilli(from).UTC()
	var days, months []string
	for at := first.Truncate(24 * time.Hour); at.UnixMilli() < before &&
		len(days) <= maxDayTokens; at = at.AddDate(0, 0, 1) {
		days = append(days, dayToken(at))
	}
	if len(days) <= maxDayTokens {
		return days
	}
	for at := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0,
		time.UTC); at.UnixMilli() < before; at = at.AddDate(0, 1, 0) {
		if months = append(months, monthToken(at)); len(months) > maxMonthTokens {
			return nil
		}
	}
	return months
}
