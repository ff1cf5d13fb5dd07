package httpapi

import (
	"io"
	"mime/multipart"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley"
)

type queryInput struct {
	ID    string   `path:"id" id:"uuid"`
	Text  string   `query:"text" max:"20"`
	UUID  string   `query:"uuid" format:"uuid"`
	Limit int      `query:"limit" min:"1" max:"100" default:"20"`
	Size  float64  `query:"size" min:"0"`
	Yes   bool     `query:"yes"`
	Kinds []string `query:"kinds" item:"enum=a|b"`
	Words []string `query:"words" item:"max=5"`
}

// FuzzParams checks that the bound parameters of any address satisfy their rules, or are reported as invalid, and are
// not longer than in the address.
func FuzzParams(f *testing.F) {
	for _, s := range []string{"text=%00&limit=1e3", "kinds=a,b,,a&words=%ff,x&yes=TRUE",
		"uuid=0B6F7A52-0C5E-4B7D-9A54-6F1F3A1E2B10&size=1e999", "limit=%", "text=a;b=c", "limit=1&limit=2"} {
		f.Add("id%00", s)
	}
	plan := newInput(reflect.TypeFor[queryInput]())
	f.Fuzz(func(t *testing.T, id, raw string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.RawQuery = raw
		r.SetPathValue("id", id)
		var in queryInput
		var wrong faults
		plan.bindParams(reflect.ValueOf(&in).Elem(), r, &wrong)
		if len(wrong.details) > len(plan.params) {
			t.Errorf("%q: %v", raw, wrong.details)
		}
		for name, text := range map[string]string{"text": in.Text, "uuid": in.UUID,
			"kinds": strings.Join(in.Kinds, ","), "words": strings.Join(in.Words, ","), "id": in.ID} {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") || len(text) > len("\uFFFD")*(len(raw)+len(id)) {
				t.Errorf("%q: %s is %q", raw, name, text)
			}
		}
		values, err := url.ParseQuery(raw)
		if err == nil && values.Get("text") != "" && in.Text == "" && wrong.details["text"] == "" {
			t.Errorf("%q: text counts as absent", raw)
		}
		if err == nil && wrong.err() == nil && (in.Limit < 1 || in.Limit > 100 || in.Size < 0 ||
			utf8.RuneCountInString(in.Text) > 20 || in.UUID != strings.ToLower(in.UUID)) {
			t.Errorf("%q: %+v", raw, in)
		}
	})
}

// FuzzCursor checks that only cursors which are exactly as the server encodes them are accepted.
func FuzzCursor(f *testing.F) {
	c := Cursors{Key: []byte("key")}
	for _, at := range []parley.Cursor{{SortValue: 1, ID: "a"}, {SortValue: -1 << 63},
		{SortValue: 1 << 62, ID: strings.Repeat("x", 100)}} {
		f.Add("agents", *c.Seal("agents", &at))
	}
	f.Add("agents", "AAAAAAAAAAAAAAAAAAAAAA==")
	f.Add("agents", "\n"+*c.Seal("agents", &parley.Cursor{SortValue: 1, ID: "a"}))
	f.Fuzz(func(t *testing.T, purpose, cursor string) {
		at, err := c.Open(purpose, cursor)
		switch {
		case err != nil && !parley.IsCode(err, parley.CodeInvalidCursor), err == nil && at == nil && cursor != "":
			t.Errorf("%q: %v %v", cursor, at, err)
		case at != nil && (*c.Seal(purpose, at) != cursor || len(at.ID) > len(cursor)):
			t.Errorf("%q is another's: %+v", cursor, at)
		}
	})
}

// FuzzMoment checks that a parsed time can be written and parsed again, and that its end comes after it.
func FuzzMoment(f *testing.F) {
	for _, s := range []string{"2026-02-29", "2024-02-29", "2026-01-01T00:00:00Z", "2026-01-01T23:59:60+14:00",
		"2026-01-01T00:00 02:00", "9999-12-31", "0000-01-01T00:00:00+23:59", "2026-01-01T00:00:00.123456789123Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, day, ok := ParseTime(s)
		if !ok {
			return
		}
		if end := ExclusiveEnd(at, day); !end.After(at) || end.Sub(at) > 24*time.Hour {
			t.Errorf("%q ends %v after it", s, end.Sub(at))
		}
		if midnight := at.Truncate(24 * time.Hour); day && (!midnight.Equal(at) || len(s) != len(time.DateOnly)) {
			t.Errorf("%q is a day from %v", s, at)
		}
		if y := at.UTC().Year(); y < 0 || y > 9999 {
			return // with an offset, the year may be out of range
		}
		if again, _, ok := ParseTime(at.UTC().Format(time.RFC3339Nano)); !ok || !again.Equal(at) {
			t.Errorf("%q is %v, and then %v", s, at, again)
		}
	})
}

// FuzzMail checks that an accepted address is one line of bounded length which other programs accept as well.
func FuzzMail(f *testing.F) {
	for _, s := range []string{"a@b.co", "jo.smith+x@example.co.uk", `"a b"@example.com`, `"a\"b"@example.com`,
		"用户@例子.公司", "a@b", "a@-b.co", "a@@b.co", "a\x00@b.co", `"` + strings.Repeat(`\"`, 31) + `"@b.co`,
		strings.Repeat("a.", 200) + "@b.co"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if isEmail(s) && len(s) > maxMailChars {
			t.Errorf("%q has %d bytes", s, len(s))
		}
		if !isMail(s) {
			return
		}
		at := strings.LastIndexByte(s, '@')
		if utf8.RuneCountInString(s) > maxMailChars || utf8.RuneCountInString(s[:at]) > maxLocalChars ||
			!utf8.ValidString(s) || strings.ContainsAny(s, "\r\n\x00") {
			t.Errorf("%q is taken", s)
		}
		if _, err := mail.ParseAddress("<" + s + ">"); err != nil && isASCII(s) {
			t.Errorf("%q: %v", s, err)
		}
	})
}

// FuzzBody checks that the reply to any body is a documented one.
func FuzzBody(f *testing.F) {
	for _, s := range []string{`{"name":"n","two":[{"type":"dog","bark":true}],"keep":{"color":"#fff"}}`,
		`{"name":1e999,"size":-0.0}`, `[{}]`, `{"keys":{"x":null}}`} {
		f.Add(s)
	}
	served := newTestAPI(&testing.T{}, io.Discard)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("PUT", "/base/things/1", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer key")
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

// FuzzMultipart checks that the reply to any upload is a documented one of proportionate size, and that no file remains
// on the disk.
func FuzzMultipart(f *testing.F) {
	part := func(head, body string) string {
		return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + body + "\r\n"
	}
	for _, s := range []string{
		part(`name="content"`, "Hi") + part(`name="file"; filename="a.txt"`, "text") + "--b--\r\n",
		part(`name="content"`, "\xff\x00") + part(`name="file"; filename*=UTF-8''%e2%82%ac.txt`, "0123456789x") + "--b--",
		part(`name="by"`, "nobody") + part(`name="file"; filename="=?utf-8?q?=ff?="`, "") + "--b--",
		strings.Repeat(part(`name="file"; filename="a"`, "x"), 25) + "--b--",
		"--b\r\n\r\n--b--", "--b--", "--b\nContent-Transfer-Encoding: quoted-printable\n\n=\n--b", "",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	served := newLetterAPI(f, dir, func(IdempotentRequest) {})
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/base/letters/1", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		if n := w.Body.Len(); n > 8*len(body)+4096 || !utf8.Valid(w.Body.Bytes()) {
			t.Errorf("%q: a reply of %d bytes", body, n)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%q: %d files stay, %v", body, len(left), err)
		}
	})
}

// FuzzFileName checks that a file name is text without folders, and not much longer than it was sent.
func FuzzFileName(f *testing.F) {
	for _, s := range []string{`filename="a.txt"`, `filename="../../etc/passwd"`, `filename="C:\\x\\y.pdf"`,
		`filename*=iso-8859-1'en'%e9.txt`, `filename*=UTF-8''a%2Fb`,
		`filename="=?utf-8?q?=ff=00?="`, `filename="=?iso-8859-1?b?Ly8=?="`, `filename="%E2%82%AC.txt"`,
		`filename="%22.txt"`, "filename=\"\x80\xff\"", `filename="a`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, disposition string) {
		p := &multipart.Part{Header: textproto.MIMEHeader{"Content-Disposition": {"form-data; name=\"file\"; " +
			disposition}}}
		name := baseName(p)
		if !utf8.ValidString(name) || strings.ContainsAny(name, "/\\\x00") {
			t.Errorf("%q gives %q", disposition, name)
		}
		if len(name) > 3*len(disposition) {
			t.Errorf("%q gives %d bytes: %q", disposition, len(name), name)
		}
	})
}
