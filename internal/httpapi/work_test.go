//go:build unix

package httpapi

import (
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/testkit/hostile"
)

// The time to read a request is linear in its size.
func TestWork(t *testing.T) {
	plan := newInput(reflect.TypeFor[queryInput]())
	served, uploads := newTestAPI(&testing.T{}, io.Discard),
		newLetterAPI(&testing.T{}, t.TempDir(), func(IdempotentRequest) {})
	query := func(raw string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.RawQuery = raw
		var wrong faults
		plan.bindParams(reflect.ValueOf(new(queryInput)).Elem(), r, &wrong)
	}
	upload := func(body string) {
		r := httptest.NewRequest("POST", "/base/letters/1", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		uploads.ServeHTTP(&discardWriter{http.Header{}}, r)
	}
	hostile.Readers(t, map[string]func(text string){
		"JSON": func(text string) { _, _ = parseJSON([]byte(text)) },
		"body": func(text string) {
			r := httptest.NewRequest("PUT", "/base/things/1", strings.NewReader(`{"name":`+strconv.Quote(text)+`}`))
			r.Header.Set("Authorization", "Bearer key")
			served.ServeHTTP(&discardWriter{http.Header{}}, r)
		},
		"query":     query,
		"parameter": func(text string) { query("text=" + url.QueryEscape(text)); query("words=" + url.QueryEscape(text)) },
		"text":      func(text string) { _ = parley.StorableText(toUTF8(text)) },
		"mail":      func(text string) { isMail(text + "@example.com"); isMail("jo@" + text); isEmail(text) },
		"moment":    func(text string) { ParseTime(text); ParseTime("2026-01-01T" + text) },
		"cursor":    func(text string) { _, _ = Cursors{Key: []byte("key")}.Open("agents", text) },
		"multipart": upload,
		"part":      func(text string) { upload("--b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\n" + text) },
		"file name": func(text string) {
			baseName(&multipart.Part{Header: textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="` +
				text + `"`}}})
		},
	})
}

// The same holds for names, values and parts that are repeated.
func TestWorkOfRepetitions(t *testing.T) {
	uploads := newLetterAPI(&testing.T{}, t.TempDir(), func(IdempotentRequest) {})
	json := func(text string) { _, _ = parseJSON([]byte(text)) }
	upload := func(body string) {
		r := httptest.NewRequest("POST", "/base/letters/1", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		uploads.ServeHTTP(&discardWriter{http.Header{}}, r)
	}
	for _, c := range []struct {
		kind hostile.Kind
		read func(text string)
	}{
		{hostile.Made("values", "[", "1,", "1]"), json},
		{hostile.Made("objects", "[", `{"a":1},`, "1]"), json},
		{hostile.Made("names that differ in an escape", `{"a":1,`, `"\u0061`, `":1}`), json},
		{hostile.Made("lines of a part", "--b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\n", "\r\n--a",
			"\r\n--b--"), upload},
		{hostile.Made("headers of a part", "--b\r\n", "A: b\r\n", "\r\n--b--"), upload},
		{hostile.Made("dashes", "", "--", "b"), upload},
	} {
		hostile.RequireLinear(t, hostile.Size(16<<10), c.kind, c.read)
	}
}

func FuzzWork(f *testing.F) {
	for _, s := range []string{`{"a":`, "a=b&", "\r\n--b", "a.@", "%00"} {
		f.Add(s)
	}
	plan := newInput(reflect.TypeFor[queryInput]())
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) {
			_, _ = parseJSON([]byte("[" + text))
			_ = parley.StorableText(toUTF8(text))
			isMail(text)
			r := httptest.NewRequest("GET", "/", nil)
			r.URL.RawQuery = text
			var wrong faults
			plan.bindParams(reflect.ValueOf(new(queryInput)).Elem(), r, &wrong)
		})
	})
}
