package httpapi

import (
	"strings"
	"time"
)

// InvalidTimeMessage tells what is wrong with a parameter that Moment does not read.
const InvalidTimeMessage = "must be a day (YYYY-MM-DD) or an ISO 8601 time"

// timeLayouts are the forms of ISO 8601 that a time may have, with a fraction of the second or without.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07"}

// ParseTime reads a day or a time; a time without a zone is UTC. A space stands for the plus of an offset that was not escaped.
func ParseTime(s string) (at time.Time, wholeDay, ok bool) {
	if at, err := time.Parse(time.DateOnly, s); err == nil {
		return at, true, true
	}
	s = strings.Replace(s, " ", "+", 1)
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, s); err == nil {
			return at, false, true
		}
	}
	return time.Time{}, false, false
}

// ExclusiveEnd returns the first millisecond after an end that Moment has read: a day's end is its last, and so is that of a second, since
// replies tell times by the second and what they tell is to be found. An end within a second stays as it is.
func ExclusiveEnd(at time.Time, wholeDay bool) time.Time {
	switch {
	case wholeDay:
		return at.AddDate(0, 0, 1)
	case at.Truncate(time.Second).Equal(at):
		return at.Add(time.Second)
	}
	return at.Add(time.Millisecond)
}
