package helpdesk

import (
	"iter"
	"slices"
	"time"

	"parley"
)

// period is the time from start until before end.
type period struct{ start, end time.Time }

const day = 24 * time.Hour

// maxDueTime is how far ahead a time is looked for at which working time has passed.
const maxDueTime = 400 * day

// addWorkTime returns when so much working time has passed since a time; nil if that is more than maxDueTime
// ahead. Without hours all time is working time.
func addWorkTime(hours []parley.WorkingHours, from time.Time, d time.Duration) *time.Time {
	for p := range workPeriods(hours, from, from.Add(maxDueTime)) {
		length := p.end.Sub(p.start)
		if length >= d {
			return new(p.start.Add(d))
		}
		d -= length
	}
	return nil
}

// workTime returns how much working time is between two times.
func workTime(hours []parley.WorkingHours, from, to time.Time) (sum time.Duration) {
	for p := range workPeriods(hours, from, to) {
		sum += p.end.Sub(p.start)
	}
	return sum
}

// workPeriods returns the periods between two times in which somebody with these hours works, in their order. None
// overlap.
func workPeriods(hours []parley.WorkingHours, from, to time.Time) iter.Seq[period] {
	return func(yield func(period) bool) {
		for from.Before(to) {
			next := to
			if len(hours) > 0 && from.Add(day).Before(to) {
				next = from.Add(day)
			}
			for _, p := range periodsWithin(hours, period{from, next}) {
				if !yield(p) {
					return
				}
			}
			from = next
		}
	}
}

// periodsWithin returns the periods of work within one of at most a day; without hours that is all of it.
func periodsWithin(hours []parley.WorkingHours, whole period) []period {
	if len(hours) == 0 {
		return []period{whole}
	}
	var list []period
	for _, shift := range hours {
		// a shift may have begun on the day before, and a day of summer time has 23 hours
		for offset := -1; offset <= 2; offset++ {
			p, ok := shiftOn(shift, whole.start, offset)
			if p.start.Before(whole.start) {
				p.start = whole.start
			}
			if p.end.After(whole.end) {
				p.end = whole.end
			}
			if ok && p.start.Before(p.end) {
				list = append(list, p)
			}
		}
	}
	return mergePeriods(list)
}

// shiftOn returns the shift that begins on the local day of a time, or so many days after it, if there is one.
func shiftOn(s parley.WorkingHours, at time.Time, offset int) (p period, ok bool) {
	from, fromErr := minuteOf(s.From)
	to, toErr := minuteOf(s.To)
	zone := zoneOf(s.TimeZone)
	year, month, date := at.In(zone).Date()
	date += offset
	weekday := time.Date(year, month, date, 12, 0, 0, 0, zone).Weekday()
	if fromErr != nil || toErr != nil || !slices.Contains(s.Days, weekdays[weekday]) {
		return p, false
	}
	if to <= from {
		to += dayMinutes
	}
	return period{time.Date(year, month, date, 0, from, 0, 0, zone), time.Date(year, month, date, 0, to, 0, 0, zone)}, true
}

// mergePeriods returns periods in their order, those that overlap as one.
func mergePeriods(list []period) (merged []period) {
	slices.SortFunc(list, func(a, b period) int { return a.start.Compare(b.start) })
	for _, p := range list {
		last := len(merged) - 1
		switch {
		case last < 0 || p.start.After(merged[last].end):
			merged = append(merged, p)
		case p.end.After(merged[last].end):
			merged[last].end = p.end
		}
	}
	return merged
}
