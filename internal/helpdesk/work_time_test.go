package helpdesk

import (
	"testing"
	"time"

	"parley"
)

var (
	weekdayHours = []parley.WorkingHours{{Days: []string{"mon", "tue", "wed", "thu", "fri"}, From: "09:00", To: "17:00",
		TimeZone: "UTC"}}
	nightShifts = []parley.WorkingHours{{Days: []string{"fri", "sat"}, From: "22:00", To: "06:00", TimeZone: "UTC"}}
	berlinHours = []parley.WorkingHours{
		{Days: []string{"sat", "sun", "mon"}, From: "09:00", To: "12:00", TimeZone: "Europe/Berlin"},
		{Days: []string{"sun"}, From: "11:00", To: "13:00", TimeZone: "Europe/Berlin"},
	}
)

// at parses a time such as "2026-11-20 12:00", in UTC.
func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestWorkTime(t *testing.T) {
	for _, c := range []struct {
		name       string
		hours      []parley.WorkingHours
		from       string
		passes     time.Duration
		until      string // the first time at which so much has passed
		isUntilEnd bool   // what follows until the next shift counts nothing
	}{
		{"always", nil, "2026-11-20 12:00", 30 * time.Hour, "2026-11-21 18:00", false},
		{"within a day", weekdayHours, "2026-11-20 12:00", 2 * time.Hour, "2026-11-20 14:00", false},
		{"to the end of a day", weekdayHours, "2026-11-20 12:00", 5 * time.Hour, "2026-11-20 17:00", true},
		{"over a weekend", weekdayHours, "2026-11-20 16:00", 2 * time.Hour, "2026-11-23 10:00", false},
		{"begins in the night", weekdayHours, "2026-11-21 03:00", time.Minute, "2026-11-23 09:01", false},
		{"a week", weekdayHours, "2026-11-20 09:00", 40 * time.Hour, "2026-11-26 17:00", true},
		{"through the night", nightShifts, "2026-11-20 12:00", 5 * time.Hour, "2026-11-21 03:00", false},
		{"from a night into the next", nightShifts, "2026-11-21 05:00", 3 * time.Hour, "2026-11-22 00:00", false},
		{"shifts that overlap", berlinHours, "2026-11-22 07:00", 4 * time.Hour, "2026-11-22 12:00", true},
		{"the clocks go forward", berlinHours, "2026-03-28 10:00", 2 * time.Hour, "2026-03-29 08:00", false},
		{"the clocks go back", berlinHours, "2026-10-24 09:00", 2 * time.Hour, "2026-10-25 09:00", false},
	} {
		from, until := at(t, c.from), at(t, c.until)
		got := addWorkTime(c.hours, from, c.passes)
		if got == nil || !got.Equal(until) {
			t.Errorf("%s: %v have passed at %v, want %v", c.name, c.passes, got, until)
		}
		if passed := workTime(c.hours, from, until); passed != c.passes {
			t.Errorf("%s: %v have passed, want %v", c.name, passed, c.passes)
		}
		if c.isUntilEnd && workTime(c.hours, from, until.Add(time.Hour)) != c.passes {
			t.Errorf("%s: the time behind the shift counts", c.name)
		}
	}
}

func TestNoWorkTimeComes(t *testing.T) {
	unreadable := []parley.WorkingHours{{Days: []string{"mon"}, From: "x", To: "y", TimeZone: "UTC"}}
	if got := addWorkTime(unreadable, noon, time.Hour); got != nil {
		t.Error(got)
	}
	if got := workTime(weekdayHours, noon, noon.Add(-time.Hour)); got != 0 {
		t.Error(got)
	}
}
