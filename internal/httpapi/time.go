package httpapi

import (
	"strings"
	"time"
)

// InvalidTimeMessage is the fault of a parameter that ParseTime does not accept.
const InvalidTimeMessage = "must be a day (YYYY-MM-DD) or an ISO 8601 time"

// timeLayouts are the accepted forms of ISO 8601 times. time.Parse accepts a fraction of the second in all of them.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07"}

// ParseTime parses a day or a time; a time without a zone is UTC. A space is taken for the plus of an offset that
// was not escaped.
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

// ExclusiveEnd returns the first moment after an end that ParseTime has parsed. A whole day is included, and so is
// a whole second: replies hold times in seconds, and a client that sends one of them as the end expects to find the
// item. An end with a fraction of a second includes that millisecond.
func ExclusiveEnd(at time.Time, wholeDay bool) time.Time {
	switch {
	case wholeDay:
		return at.AddDate(0, 0, 1)
	case at.Truncate(time.Second).Equal(at):
		return at.Add(time.Second)
	}
	return at.Add(time.Millisecond)
}
