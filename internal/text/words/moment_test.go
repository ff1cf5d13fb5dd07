package words

import (
	"slices"
	"strings"
	"testing"
)

// Days and hours are found in every common form, and what does not show is none.
func TestMoments(t *testing.T) {
	day := func(y, m, d int) Moment { return Moment{Year: y, Month: m, Day: d} }
	for text, want := range map[string][]Moment{
		"What is on December 12th?":           {day(0, 12, 12)},
		"on 12 Dec":                           {day(0, 12, 12)},
		"the 3rd of May, 2026":                {day(2026, 5, 3)},
		"Dec. 1, 2026 at 7 pm":                {day(2026, 12, 1), {Hour: 19}},
		"12.12.2026 oder 04.01.":              {day(2026, 12, 12), day(0, 1, 4)},
		"2026-12-12 19:30":                    {day(2026, 12, 12), {Hour: 19, Minute: 30}},
		"am 4. Januar um 19 Uhr":              {day(0, 1, 4), {Hour: 19}},
		"3. März":                             {day(0, 3, 3)},
		"el 12 de diciembre de 2026":          {day(2026, 12, 12)},
		"le 1er août à 19h":                   {day(0, 8, 1), {Hour: 19}},
		"12 января 2027":                      {day(2027, 1, 12)},
		"2026年12月12日":                         {day(2026, 12, 12)},
		"25/12/2026":                          {day(2026, 12, 25)},
		"12/25/2026":                          {day(2026, 12, 25)},
		"04/01/2026":                          nil,
		"version 6.15.0, 1.299 and 12.99":     nil,
		"may I pay 12 euros in 24h":           nil,
		"12 a.m. and 12 p.m.":                 {{Hour: 0}, {Hour: 12}},
		"at 25:00 or on 32 May or 13.13.2026": nil,
	} {
		got := FindMoments(text)
		for i := range got {
			if got[i].Start >= got[i].End || got[i].End > len(text) {
				t.Errorf("%q: from %d to %d", text, got[i].Start, got[i].End)
			}
			got[i].Start, got[i].End = 0, 0
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	if all := FindMoments("see December 12th, please"); len(all) != 1 || all[0].Start != 4 || all[0].End != 17 {
		t.Errorf("%+v", all)
	}
}

func TestFormsOfMoments(t *testing.T) {
	for _, c := range []struct {
		moment Moment
		forms  string
	}{
		{Moment{Day: 12, Month: 12}, "12 december;december 12;12th december;12 dezember;12 de diciembre;12.12;12.12.2026"},
		{Moment{Day: 4, Month: 1, Year: 2027}, "04.01.2027;4.1.2027;2027-01-04;4 januar 2027;january 4;04.01"},
		{Moment{Hour: 19}, "19:00;7 pm;7pm;19 uhr;19h"},
		{Moment{Hour: 0, Minute: 30}, "0:30;00:30;12:30 am"},
	} {
		for form := range strings.SplitSeq(c.forms, ";") {
			if !slices.Contains(c.moment.Forms(), form) {
				t.Errorf("%+v is not written as %q", c.moment, form)
			}
		}
	}
}
