package v1

import (
	"time"

	"parley"
	"parley/internal/httpapi"
)

// parseDayRange reads a range of days in UTC, each zero-padded YYYY-MM-DD or empty: from the first moment of the one to before the first
// moment after the other. Fails with VALIDATION_INVALID_BODY or VALIDATION_INVALID_DATE_RANGE.
func parseDayRange(start, end string) (from, before *time.Time, err error) {
	if from, err = parseDay("startDate", start); err != nil {
		return nil, nil, err
	}
	last, err := parseDay("endDate", end)
	if err != nil || last == nil {
		return from, nil, err
	}
	if from != nil && last.Before(*from) {
		return nil, nil, parley.NewError(parley.CodeInvalidDateRange)
	}
	next := last.AddDate(0, 0, 1)
	return from, &next, nil
}

func parseDay(field, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return nil, httpapi.InvalidField(field, "must be a day such as 2026-01-31")
	}
	return &t, nil
}
