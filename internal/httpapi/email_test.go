package httpapi

import (
	"strings"
	"testing"
)

func TestIsMail(t *testing.T) {
	labels := func(n int) string { return strings.Repeat(strings.Repeat("a", 63)+".", n) }
	for s, want := range map[string]bool{
		"a@x.co": true, "a+b@x.co": true, "A.B-c_d@Sub.Example.COM": true, "o'hara@x.ie": true, "{a|b}~=?@x.co": true,
		"1@x.co": true, "-@x.co": true,
		`"jo smith"@x.co`: true, `"a@b"@x.co`: true, `"a\"b"@x.co`: true, `"a"b"@x.co`: false, `"a\"@x.co`: false,
		`""@x.co`: false, `"@x.co`: false, `"a@x.co`: false, "\"a\nb\"@x.co": false,
		"jo@bücher.de": true, "jo@xn--bcher-kva.de": true, "jörg@x.de": true, "用户@例子.公司": true,
		"δοκιμή@παράδειγμα.δοκιμή": true, "संपर्क@डाटामेल.भारत": true, "☃@x.co": true, "jo@☃.net": false,
		"": false, "@": false, "a": false, "a@": false, "@x.co": false, "a@b": false, "a@localhost": false,
		"a@@x.co": false, "a@b@x.co": false,
		"a..b@x.co": false, ".a@x.co": false, "a.@x.co": false, "a@x..co": false, "a@.x.co": false, "a@x.co.": false,
		"a@-x.co": false, "a@x-.co": false, "a@x_y.co": false, "a@x.c": false,
		" a@x.co": false, "a@x.co ": false, "a b@x.co": false, "a@x .co": false, "a\u00a0b@x.co": false,
		"a\u200bb@x.co": false, "a\u202eb@x.co": false, "a\tb@x.co": false, "a@x.co\n": false, "a\ufffd@x.co": false,
		"Jo <a@x.co>": false, "<a@x.co>": false, "a@x.co, b@x.co": false, "a(c)@x.co": false, "a@[127.0.0.1]": false,
		"a@127.0.0.1": false, "a@x.123": false, "mailto:a@x.co": false,
		strings.Repeat("a", 64) + "@x.co":                        true,
		strings.Repeat("a", 65) + "@x.co":                        false,
		strings.Repeat("é", 64) + "@x.co":                        true,
		"a@" + strings.Repeat("é", 63) + ".co":                   true,
		"a@" + strings.Repeat("a", 64) + ".co":                   false,
		strings.Repeat("a", 63) + "@" + labels(3) + "co" + ".de": true,
		strings.Repeat("a", 61) + "@" + labels(4) + "de":         true, // 320
		strings.Repeat("a", 62) + "@" + labels(4) + "de":         false,
		strings.Repeat("é", 61) + "@" + labels(4) + "de":         true,
		"<script>alert(1)</script>@x.co":                         false,
		`"<script>alert(1)</script>"@x.co`:                       true,
		"a@x.co' or '1'='1":                                      false,
		"test@example.com\r\nBcc: b@x.co":                        false,
	} {
		if got := isMail(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
