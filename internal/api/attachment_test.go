package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// filedMessage is a message with files as lists show it.
type filedMessage struct {
	ID          string
	Attachments []struct {
		Name, URL, Type string
		Size            int64
	}
}

// correspondence is a desk with a ticket to which files are sent.
type correspondence struct {
	*desk
	messages string // path
}

func corresponding(t *testing.T) *correspondence {
	t.Helper()
	d := &correspondence{desk: uploading(t)}
	memberOf(t, d.House, d.Account, "kim@shop.example")
	status, body := send(t, d.House, d.Key, "POST", "/agents/"+d.agent+"/helpdesk/tickets", `{"subject": "S", "description": "D", "customer": {"email": "jo@x.co"}}`)
	if status != 201 {
		t.Fatal(status, body)
	}
	d.messages = "/agents/" + d.agent + "/helpdesk/tickets/1/messages"
	return d
}

// write sends a note with parts beside its text.
func (d *correspondence) write(parts ...part) uploaded {
	d.Helper()
	return d.upload("POST", d.messages, append([]part{{`name="type"`, "note"}, {`name="content"`, "See the *files*."}, {`name="authorEmail"`, "kim@shop.example"}}, parts...)...)
}

func (d *correspondence) written() []filedMessage {
	d.Helper()
	var page struct{ Data []filedMessage }
	d.Do(d, "GET", d.messages+"?types=note", d.Key, nil).Decode(d, http.StatusOK, &page)
	return page.Data
}

// fetch asks for an address without a key, as a browser does, and follows nothing.
func (d *correspondence) fetch(method, address string) *http.Response {
	d.Helper()
	if strings.HasPrefix(address, "/") {
		address = d.URL + address
	}
	req, err := http.NewRequestWithContext(d.Context(), method, address, nil)
	d.must(err)
	req.Header.Set("Origin", "https://elsewhere.example")
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Do(req)
	d.must(err)
	d.Cleanup(func() { _ = res.Body.Close() })
	if res.Header.Get("Access-Control-Allow-Origin") != "" || res.Header.Get("X-Request-Id") == "" || res.Header.Get("X-RateLimit-Limit") == "" {
		d.Errorf("%s %s: %v", method, address, res.Header)
	}
	return res
}

// gone reports whether nothing is at the address, in the envelope.
func (d *correspondence) gone(address string) bool {
	d.Helper()
	res := d.fetch("GET", address)
	body, err := io.ReadAll(res.Body)
	d.must(err)
	return res.StatusCode == http.StatusNotFound && strings.Contains(string(body), `"code":"RESOURCE_NOT_FOUND","message":"There is no such file`)
}

func TestFilesOfATicket(t *testing.T) {
	d := corresponding(t)
	page := "<html><script>alert(1)</script>"
	if u := d.write(file("Beleg ü.txt", "paid"), file("page.html", page)); u.status != 201 || !strings.Contains(u.body, `"contentText":"See the files."`) {
		t.Fatal(u.status, u.body)
	}
	files := d.written()[0].Attachments
	if len(files) != 2 || files[0].Name != "Beleg ü.txt" || files[0].Type != "text/plain; charset=utf-8" || files[0].Size != 4 || files[1].Name != "page.html" {
		t.Fatalf("%+v", files)
	}
	for i, want := range []struct{ body, kind string }{{"paid", "text/plain; charset=utf-8"}, {page, "application/octet-stream"}} {
		hop := d.fetch("GET", files[i].URL)
		if hop.StatusCode != http.StatusFound {
			t.Fatal(hop.Status)
		}
		res := d.fetch("GET", hop.Header.Get("Location"))
		body, err := io.ReadAll(res.Body)
		d.must(err)
		h := res.Header
		if res.StatusCode != 200 || string(body) != want.body || h.Get("Content-Type") != want.kind || h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(h.Get("Content-Disposition"), "attachment; ") || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || !strings.Contains(h.Get("Cache-Control"), "no-store") {
			t.Errorf("%d %q %v", res.StatusCode, body, h)
		}
	}
	head := d.fetch("HEAD", d.fetch("HEAD", files[0].URL).Header.Get("Location"))
	if head.StatusCode != 200 || head.ContentLength != 4 {
		t.Error(head.Status, head.ContentLength)
	}
}

func TestLinksToFilesEnd(t *testing.T) {
	d := corresponding(t)
	if u := d.write(file("a.txt", "one"), file("b.txt", "two")); u.status != 201 {
		t.Fatal(u.body)
	}
	files := d.written()[0].Attachments
	content := d.fetch("GET", files[0].URL).Header.Get("Location")
	d.clock.Turn(119 * time.Second)
	if res := d.fetch("GET", content); res.StatusCode != 200 {
		t.Error("before its time is over:", res.Status)
	}
	d.clock.Turn(time.Second)
	if !d.gone(content) {
		t.Error("after its time it still works")
	}
	if res := d.fetch("GET", files[0].URL); res.StatusCode != http.StatusFound {
		t.Error("the file's own address:", res.Status)
	}
	here, err := url.Parse(content)
	d.must(err)
	query := here.Query()
	query.Set("expires", "99999999999")
	token, other := files[0].URL[strings.Index(files[0].URL, "?"):], files[1].URL[:strings.Index(files[1].URL, "?")]
	for what, address := range map[string]string{"a later end": here.Path + "?" + query.Encode(), "another's token": other + token, "no token": other, "a token that is cut": files[0].URL[:len(files[0].URL)-1],
		"no such file": strings.Replace(files[0].URL, "attachments/", "attachments/0", 1), "no signature": here.Path, "no end": here.Path + "?signature=" + query.Get("signature")} {
		if !d.gone(address) {
			t.Errorf("%s: it is handed out", what)
		}
	}
	if status, body := send(t, d.House, d.Key, "DELETE", "/agents/"+d.agent, ""); status != 200 {
		t.Fatal(body)
	}
	if !d.gone(files[0].URL) {
		t.Error("it outlives its agent")
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	d := corresponding(t)
	many := make([]part, 11)
	for i := range many {
		many[i] = file(fmt.Sprint(i, ".txt"), fmt.Sprint(i))
	}
	for what, parts := range map[string][]part{"eleven": many, "an empty one": {file("a", "")}, "one too large": {file("a", strings.Repeat("x", 20<<20+1))}} {
		if u := d.write(parts...); u.status != 400 || u.record.Error.Details["file"] == "" {
			t.Errorf("%s: %d %s", what, u.status, u.body)
		}
	}
	if left := d.written(); len(left) != 0 {
		t.Errorf("left of what was refused: %+v", left)
	}
	if u := d.write(many[:10]...); u.status != 201 || len(d.written()[0].Attachments) != 10 {
		t.Error("ten:", u.status, u.body)
	}
	contentType, body := form(part{`name="type"`, "reply"}, part{`name="authorEmail"`, "x"}, file("a", "b"))
	d.clock.Turn(time.Minute)
	if u := d.send(d.Key, "POST", d.messages, contentType, bytes.NewReader(body)); u.status != 400 || u.record.Error.Details["content"] != "is required" || u.record.Error.Details["authorEmail"] == "" {
		t.Error(u.status, u.body)
	}
}

func TestFilesAreSentOnce(t *testing.T) {
	d := corresponding(t)
	send := func(content string) uploaded {
		contentType, body := form(part{`name="type"`, "reply"}, part{`name="content"`, "Here."}, part{`name="authorEmail"`, "kim@shop.example"}, file("a.txt", content))
		return d.send(d.Key, "POST", d.messages, contentType, bytes.NewReader(body), "Idempotency-Key", "once")
	}
	first, again, other := send("one"), send("one"), send("two")
	if first.status != 201 || again.status != 201 || again.replayed != "true" || again.body != first.body || other.status != 422 {
		t.Error(first, again, other)
	}
}
