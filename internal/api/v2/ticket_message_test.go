package v2_test

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

// messageWithFiles is a message with files as lists show it.
type messageWithFiles struct {
	ID          string
	Attachments []struct {
		Name, URL, Type string
		Size            int64
	}
}

// ticketFileTest is a help desk with a ticket to which files are sent.
type ticketFileTest struct {
	*uploadTest
	messagesPath string // path
}

func newTicketFileTest(t *testing.T) *ticketFileTest {
	t.Helper()
	d := &ticketFileTest{uploadTest: newUploadTest(t)}
	addMember(t, d.Server, d.Account, "kim@shop.example")
	status, body := sendAs(t, d.Server, d.Key, "POST", "/agents/"+d.agent+"/helpdesk/tickets",
		`{"subject": "S", "description": "D", "customer": {"email": "jo@x.co"}}`)
	if status != 201 {
		t.Fatal(status, body)
	}
	d.messagesPath = "/agents/" + d.agent + "/helpdesk/tickets/1/messages"
	return d
}

// writeNote sends a note with parts beside its text.
func (tt *ticketFileTest) writeNote(parts ...formPart) uploadReply {
	tt.Helper()
	return tt.upload("POST", tt.messagesPath, append([]formPart{{`name="type"`, "note"},
		{`name="content"`, "See the *files*."}, {`name="authorEmail"`, "kim@shop.example"}}, parts...)...)
}

func (tt *ticketFileTest) listMessages() []messageWithFiles {
	tt.Helper()
	var page struct{ Data []messageWithFiles }
	tt.Do(tt, "GET", tt.messagesPath+"?types=note", tt.Key, nil).Decode(tt, http.StatusOK, &page)
	return page.Data
}

// fetchWithoutKey asks for an address without a key, as a browser does, and follows nothing.
func (tt *ticketFileTest) fetchWithoutKey(method, address string) *http.Response {
	tt.Helper()
	if strings.HasPrefix(address, "/") {
		address = tt.URL + address
	}
	req, err := http.NewRequestWithContext(tt.Context(), method, address, nil)
	tt.requireNoError(err)
	req.Header.Set("Origin", "https://elsewhere.example")
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Do(req)
	tt.requireNoError(err)
	tt.Cleanup(func() { _ = res.Body.Close() })
	if res.Header.Get("Access-Control-Allow-Origin") != "" || res.Header.Get("X-Request-Id") == "" ||
		res.Header.Get("X-RateLimit-Limit") == "" {
		tt.Errorf("%s %s: %v", method, address, res.Header)
	}
	return res
}

// isNotFound reports whether nothing is at the address, in the envelope.
func (tt *ticketFileTest) isNotFound(address string) bool {
	tt.Helper()
	res := tt.fetchWithoutKey("GET", address)
	body, err := io.ReadAll(res.Body)
	tt.requireNoError(err)
	return res.StatusCode == http.StatusNotFound &&
		strings.Contains(string(body), `"code":"RESOURCE_NOT_FOUND","message":"There is no such file`)
}

func TestFilesOfATicket(t *testing.T) {
	d := newTicketFileTest(t)
	page := "<html><script>alert(1)</script>"
	if u := d.writeNote(filePart("Beleg ü.txt", "paid"), filePart("page.html", page)); u.status != 201 ||
		!strings.Contains(u.body, `"contentText":"See the files."`) {
		t.Fatal(u.status, u.body)
	}
	files := d.listMessages()[0].Attachments
	if len(files) != 2 || files[0].Name != "Beleg ü.txt" || files[0].Type != "text/plain; charset=utf-8" ||
		files[0].Size != 4 || files[1].Name != "page.html" {
		t.Fatalf("%+v", files)
	}
	for i, want := range []struct{ body, kind string }{{"paid", "text/plain; charset=utf-8"},
		{page, "application/octet-stream"}} {
		hop := d.fetchWithoutKey("GET", files[i].URL)
		if hop.StatusCode != http.StatusFound {
			t.Fatal(hop.Status)
		}
		res := d.fetchWithoutKey("GET", hop.Header.Get("Location"))
		body, err := io.ReadAll(res.Body)
		d.requireNoError(err)
		h := res.Header
		if res.StatusCode != 200 || string(body) != want.body || h.Get("Content-Type") != want.kind ||
			h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(h.Get("Content-Disposition"), "attachment; ") ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
			!strings.Contains(h.Get("Cache-Control"), "no-store") {
			t.Errorf("%d %q %v", res.StatusCode, body, h)
		}
	}
	head := d.fetchWithoutKey("HEAD", d.fetchWithoutKey("HEAD", files[0].URL).Header.Get("Location"))
	if head.StatusCode != 200 || head.ContentLength != 4 {
		t.Error(head.Status, head.ContentLength)
	}
}

func TestLinksToFilesExpire(t *testing.T) {
	d := newTicketFileTest(t)
	if u := d.writeNote(filePart("a.txt", "one"), filePart("b.txt", "two")); u.status != 201 {
		t.Fatal(u.body)
	}
	files := d.listMessages()[0].Attachments
	content := d.fetchWithoutKey("GET", files[0].URL).Header.Get("Location")
	d.clock.Advance(119 * time.Second)
	if res := d.fetchWithoutKey("GET", content); res.StatusCode != 200 {
		t.Error("before its time is over:", res.Status)
	}
	d.clock.Advance(time.Second)
	if !d.isNotFound(content) {
		t.Error("after its time it still works")
	}
	if res := d.fetchWithoutKey("GET", files[0].URL); res.StatusCode != http.StatusFound {
		t.Error("the file's own address:", res.Status)
	}
	link, err := url.Parse(content)
	d.requireNoError(err)
	query := link.Query()
	query.Set("expires", "99999999999")
	token, other := files[0].URL[strings.Index(files[0].URL, "?"):], files[1].URL[:strings.Index(files[1].URL, "?")]
	for name, address := range map[string]string{"a later end": link.Path + "?" + query.Encode(),
		"another's token": other + token, "no token": other, "a token that is cut": files[0].URL[:len(files[0].URL)-1],
		"no such file": strings.Replace(files[0].URL, "attachments/", "attachments/0", 1), "no signature": link.Path,
		"no end": link.Path + "?signature=" + query.Get("signature")} {
		if !d.isNotFound(address) {
			t.Errorf("%s: it is handed out", name)
		}
	}
	if status, body := sendAs(t, d.Server, d.Key, "DELETE", "/agents/"+d.agent, ""); status != 200 {
		t.Fatal(body)
	}
	if !d.isNotFound(files[0].URL) {
		t.Error("it outlives its agent")
	}
}

func TestRefusedFiles(t *testing.T) {
	d := newTicketFileTest(t)
	many := make([]formPart, 11)
	for i := range many {
		many[i] = filePart(fmt.Sprint(i, ".txt"), fmt.Sprint(i))
	}
	for name, parts := range map[string][]formPart{"eleven": many, "an empty one": {filePart("a", "")},
		"one too large": {filePart("a", strings.Repeat("x", 20<<20+1))}} {
		if u := d.writeNote(parts...); u.status != 400 || u.record.Error.Details["file"] == "" {
			t.Errorf("%s: %d %s", name, u.status, u.body)
		}
	}
	if left := d.listMessages(); len(left) != 0 {
		t.Errorf("left of what was refused: %+v", left)
	}
	if u := d.writeNote(many[:10]...); u.status != 201 || len(d.listMessages()[0].Attachments) != 10 {
		t.Error("ten:", u.status, u.body)
	}
	contentType, body := encodeForm(formPart{`name="type"`, "reply"}, formPart{`name="authorEmail"`, "x"},
		filePart("a", "b"))
	d.clock.Advance(time.Minute)
	if u := d.send(d.Key, "POST", d.messagesPath, contentType, bytes.NewReader(body)); u.status != 400 ||
		u.record.Error.Details["content"] != "is required" || u.record.Error.Details["authorEmail"] == "" {
		t.Error(u.status, u.body)
	}
}

func TestFilesWithAKeyAreSentOnce(t *testing.T) {
	d := newTicketFileTest(t)
	send := func(content string) uploadReply {
		contentType, body := encodeForm(formPart{`name="type"`, "reply"}, formPart{`name="content"`, "Here."},
			formPart{`name="authorEmail"`, "kim@shop.example"}, filePart("a.txt", content))
		return d.send(d.Key, "POST", d.messagesPath, contentType, bytes.NewReader(body), "Idempotency-Key", "once")
	}
	first, again, other := send("one"), send("one"), send("two")
	if first.status != 201 || again.status != 201 || again.replayed != "true" || again.body != first.body ||
		other.status != 422 {
		t.Error(first, again, other)
	}
}
