package stream

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// However the bytes are split, each piece that is passed on is valid UTF-8, and together they are the same text.
func FuzzRepair(f *testing.F) {
	f.Add([]byte("\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80\xff\x00\xed\xa0"), 4)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		at = min(max(at, 0), len(data))
		var whole, cut utf8Repairer
		want := append(whole.appendValid(nil, data), whole.flush()...)
		first := cut.appendValid(nil, data[:at])
		second := append(cut.appendValid(nil, data[at:]), cut.flush()...)
		if !utf8.Valid(first) || !utf8.Valid(second) || string(want) != string(first)+string(second) {
			t.Fatalf("%q cut at %d: %q + %q, want %q", data, at, first, second, want)
		}
	})
}

func FuzzRepairedText(f *testing.F) {
	f.Add("plain", 3)
	f.Add("a\"b\\c\n\u2028é😀\x00", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "?")
		}
		at = min(max(at, 0), len(text))
		var r utf8Repairer
		got := r.appendValid(r.appendValid(nil, []byte(text[:at])), []byte(text[at:]))
		if want := strings.ReplaceAll(text, "\x00", "\uFFFD"); string(got)+string(r.flush()) != want {
			t.Fatalf("cut at %d: %q of %q", at, got, want)
		}
	})
}
