package httpapi

import (
	"mime/multipart"
	"net/http/httptest"
	"net/textproto"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzMultipart: whatever a stranger uploads, the reply is one of those that are documented and in proportion, and
// nothing stays on the disk.
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

// FuzzFileName: the name of a file is text without folders, and not much longer than it was sent.
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
