package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"parley"
	"parley/internal/httpapi"
)

// weekdays are the days as they are written.
var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// parseShifts reads working hours such as "mon-fri 09:00-17:00 Europe/Berlin"; the word always stands for none. What its parts may be is
// judged by the helpdesk.
func parseShifts(texts []string) ([]parley.WorkingHours, error) {
	if len(texts) == 1 && texts[0] == "always" {
		return []parley.WorkingHours{}, nil
	}
	var list []parley.WorkingHours
	for _, text := range texts {
		words := strings.Fields(text)
		if len(words) != 3 {
			return nil, newUsageError("--hours: %q is not days, times and a time zone, such as \"mon-fri 09:00-17:00 Europe/Berlin\"", text)
		}
		from, to, ok := strings.Cut(words[1], "-")
		if !ok {
			return nil, newUsageError("--hours: %q is not two times such as 09:00-17:00", words[1])
		}
		list = append(list, parley.WorkingHours{Days: parseDays(words[0]), From: from, To: to, TimeZone: words[2]})
	}
	return list, nil
}

// parseDays reads mon,wed or mon-fri; a stretch may go over the end of the week.
func parseDays(text string) (list []string) {
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		first, last, stretch := strings.Cut(part, "-")
		from, to := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if !stretch || from < 0 || to < 0 {
			list = append(list, part)
			continue
		}
		for i := from; ; i = (i + 1) % len(weekdays) {
			list = append(list, weekdays[i])
			if i == to {
				break
			}
		}
	}
	return list
}

// formatShifts writes shifts as they are typed.
func formatShifts(list []parley.WorkingHours) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, strings.Join(s.Days, ",")+" "+s.From+"-"+s.To+" "+s.TimeZone)
	}
	return strings.Join(parts, "; ")
}

// ticketLimitFlag is a number of open tickets, or the word none, which is null.
type ticketLimitFlag struct{ httpapi.Opt[int] }

// Decode reads the flag's value.
func (f *ticketLimitFlag) Decode(ctx *kong.DecodeContext) error {
	text, err := ctx.Scan.PopValue("number")
	if err != nil {
		return err
	}
	if text.String() == "none" {
		f.Opt = httpapi.Opt[int]{Present: true, Null: true}
		return nil
	}
	n, err := strconv.Atoi(text.String())
	if err != nil {
		return fmt.Errorf("%q is neither a whole number nor \"none\"", text.String())
	}
	f.Opt = httpapi.Some(n)
	return nil
}
