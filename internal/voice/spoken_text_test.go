package voice

import "testing"

func TestHeardBytes(t *testing.T) {
	for _, c := range []struct {
		text  string
		share float64
		want  string
	}{
		{"It costs ten euros a month for each person.", 0.5, "It costs ten euros a"},
		{"It costs ten euros a month for each person.", 0, ""},
		{"It costs ten euros a month for each person.", 1, "It costs ten euros a month for each person."},
		{"The number is 4711 4711 and that is all.", 0.45, "The number is 4711"},
		{"See [the rules](https://example.com/a/very/long/path/that/nobody/reads/out) before you order.", 0.5,
			"See [the rules](https://example.com/a/very/long/path/that/nobody/reads/out)"},
		{"At https://www.example.com/a/very/long/path/that/nobody/reads you find more of it.", 0.1, "At"},
		{"At https://www.example.com/a/very/long/path/that/nobody/reads you find more of it.", 0.38,
			"At https://www.example.com/a/very/long/path/that/nobody/reads"},
		{"Yes. And then the rest of it follows.", 0.25, "Yes."},
		{"Price: 3.50 euros, tax 1,000.00.", 0.2, "Price:"},
		{"", 0.5, ""},
		{"[", 0.5, ""},
	} {
		if got := c.text[:heardBytes(c.text, c.share)]; got != c.want {
			t.Errorf("%q at %v: %q instead of %q", c.text, c.share, got, c.want)
		}
	}
}

// What was heard never becomes less as the share grows.
func FuzzHeardOf(f *testing.F) {
	f.Add("See [the rules](https://example.com/r), 30 % off. 返品は30日以内です。 Ok?")
	f.Add("https://a/b)c [x](y(z) <b>q</b>\n\n- one\n- two")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for share := 0.0; share <= 1; share += 0.05 {
			at := heardBytes(text, share)
			if at < last || at > len(text) {
				t.Fatalf("%q: %d after %d", text, at, last)
			}
			last = at
		}
	})
}
