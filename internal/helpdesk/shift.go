package helpdesk

import (
	"fmt"
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // for systems without a database of time zones

	"parley"
)

// weekdays are the days of a shift as they are written, in the order of time.Weekday.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

const dayMinutes = 24 * 60

// isOnShift reports whether somebody with these hours works at the time; without hours they always do. Hours are local
// times of the shift's zone, so that 09:00 is 09:00 in summer and in winter. An unknown zone counts as UTC.
func isOnShift(hours []parley.WorkingHours, at time.Time) bool {
	return len(hours) == 0 || slices.ContainsFunc(hours, func(s parley.WorkingHours) bool { return isDuring(s, at) })
}

// isDuring reports whether the time is in the shift, which begins on one of its days and may end on the next one.
func isDuring(s parley.WorkingHours, at time.Time) bool {
	from, fromErr := minuteOf(s.From)
	to, toErr := minuteOf(s.To)
	if fromErr != nil || toErr != nil {
		return false
	}
	local := at.In(zoneOf(s.TimeZone))
	minute, today := local.Hour()*60+local.Minute(), local.Weekday()
	on := func(d time.Weekday) bool { return slices.Contains(s.Days, weekdays[(d+7)%7]) }
	if from < to {
		return on(today) && from <= minute && minute < to
	}
	return on(today) && minute >= from || on(today-1) && minute < to
}

// zoneCache caches time zones: loading one takes longer than everything else here.
var zoneCache sync.Map

func zoneOf(name string) *time.Location {
	if zone, ok := zoneCache.Load(name); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	zoneCache.Store(name, zone)
	return zone
}

// minuteOf parses a time such as 09:30 as minutes since midnight; 24:00 is the end of the day.
func minuteOf(clock string) (int, error) {
	if clock == "24:00" {
		return dayMinutes, nil
	}
	t, err := time.Parse("15:04", clock)
	if err != nil || len(clock) != len("15:04") {
		return 0, fmt.Errorf("helpdesk: %q is no time of the day", clock)
	}
	return t.Hour()*60 + t.Minute(), nil
}

// maxShifts is the most shifts that a team or a member has.
const maxShifts = 50

// CheckHours checks shifts. Fails with VALIDATION_INVALID_BODY, with details below path.
func CheckHours(path string, hours []parley.WorkingHours) error {
	faults := map[string]string{}
	checkHours(faults, path, hours)
	return parley.InvalidFields(faults)
}

func checkHours(faults map[string]string, path string, hours []parley.WorkingHours) {
	if len(hours) > maxShifts {
		faults[path] = fmt.Sprintf("must have at most %d shifts", maxShifts)
		return
	}
	for i, s := range hours {
		at := fmt.Sprintf("%s.%d.", path, i)
		if len(s.Days) == 0 || len(s.Days) > len(weekdays) {
			faults[at+"days"] = "must name some of: mon, tue, wed, thu, fri, sat, sun"
			continue
		}
		for _, day := range s.Days {
			if !slices.Contains(weekdays, day) {
				faults[at+"days"] = fmt.Sprintf("%q must be one of: mon, tue, wed, thu, fri, sat, sun", day)
			}
		}
		if n, err := minuteOf(s.From); err != nil || n == dayMinutes {
			faults[at+"from"] = "must be a time of the day such as 09:00"
		}
		if _, err := minuteOf(s.To); err != nil {
			faults[at+"to"] = "must be a time of the day such as 17:30, or 24:00"
		}
		if _, err := time.LoadLocation(s.TimeZone); err != nil || s.TimeZone == "" || s.TimeZone == "Local" {
			faults[at+"zone"] = "must be a time zone such as Europe/Berlin"
		}
	}
}
