package words

import (
	"slices"
	"testing"
)

func TestDaysIn(t *testing.T) {
	for _, c := range []struct {
		text string
		want Days
	}{
		{"open from Tuesday to Sunday", 0b1111110}, {"Mon–Fri", 0b0011111}, {"from Friday to Monday", 0b1110001},
		{"on Monday and Thursday", 0b0001001}, {"every day", 0b1111111}, {"on weekdays", 0b0011111},
		{"von Dienstag bis Freitag", 0b0011110}, {"Di–So", 0b1111110}, {"täglich", 0b1111111},
		{"de martes a domingo", 0b1111110}, {"du mardi au samedi", 0b0111110}, {"dal martedì alla domenica", 0b1111110},
		{"de terça a sexta", 0b0011110}, {"de terça-feira a sábado", 0b0111110}, {"dinsdag tot en met zaterdag", 0b0111110},
		{"со вторника по субботу", 0b0111110}, {"من الثلاثاء إلى الأحد", 0b1111110}, {"周二至周日", 0b1111110},
		{"火曜日から土曜日まで", 0b0111110}, {"화요일부터 금요일까지", 0b0011110},
		{"The sun sat on the wed", 0}, {"do so", 0}, {"mon ami", 0}, {"", 0},
	} {
		if got := DaysIn(c.text); got != c.want {
			t.Errorf("%q: %07b, want %07b", c.text, got, c.want)
		}
	}
}

func TestOnlyDays(t *testing.T) {
	for _, c := range []struct {
		text string
		want Days
	}{
		{"Wed", 0b0000100}, {"- Tue–Fri", 0b0011110}, {"Sa + So", 0b1100000}, {"Mo, Mi", 0b0000101}, {"Sunday", 0b1000000},
		{"Dienstag bis Freitag", 0b0011110}, {"水曜日", 0b0000100}, {"Mon ami", 0}, {"Fri only", 0}, {"9", 0}, {"", 0},
	} {
		if got := OnlyDays(c.text); got != c.want {
			t.Errorf("%q: %07b, want %07b", c.text, got, c.want)
		}
	}
}

func TestFindDays(t *testing.T) {
	text := "open on Wednesday or 水曜日?"
	var found []string
	for _, s := range FindDays(text) {
		found = append(found, text[s.Start:s.End])
	}
	if !slices.Equal(found, []string{"Wednesday", "水曜日"}) {
		t.Errorf("%q", found)
	}
}

func TestVerbForms(t *testing.T) {
	for _, c := range []struct {
		lang       Language
		word, form string
	}{{German, "andern", "geandert"}, {German, "geandert", "andern"}, {German, "ausleeren", "ausgeleert"},
		{German, "abgeholt", "abholen"}, {German, "umgetauscht", "umtauschen"}, {Dutch, "gewerkt", "werken"}} {
		if forms := c.lang.VerbForms(c.word); !slices.Contains(forms, c.form) {
			t.Errorf("%s: %q lacks %s", c.word, forms, c.form)
		}
	}
	if forms := English.VerbForms("given"); forms != nil {
		t.Errorf("%q", forms)
	}
}
