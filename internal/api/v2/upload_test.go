package v2_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// uploadTest is a server to which files are uploaded.
type uploadTest struct {
	*testkit.Server
	*testing.T
	dataDir string
	agent   string
	clock   *clock.Clock
}

func newUploadTest(t *testing.T, options ...testkit.Option) *uploadTest {
	t.Helper()
	d := &uploadTest{T: t, dataDir: t.TempDir(), clock: clock.New()}
	d.Server = testkit.Open(t, append(options, testkit.WithClock(d.clock), testkit.WithConfig(func(c *server.Config) {
		c.Data = d.dataDir
	}))...)
	d.agent = createAgent(t, d.Server)
	return d
}

// formPart is one of a multipart body: Disposition follows "form-data; ".
type formPart struct{ disposition, content string }

func filePart(name, content string) formPart {
	return formPart{`name="file"; filename="` + name + `"`, content}
}
func namePart(name string) formPart { return formPart{`name="name"`, name} }

func encodeForm(parts ...formPart) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{"Content-Disposition": {"form-data; " + p.disposition},
			"Content-Type": {"application/octet-stream"}}
		out, _ := w.CreatePart(h) // a buffer takes everything
		_, _ = io.WriteString(out, p.content)
	}
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

type uploadReply struct {
	status     int
	body       string
	retryAfter string
	header     http.Header
	replayed   string
	record     struct {
		ID, Type, Name, Status string
		Size                   int64
		Metadata               any
		Data                   struct{ ID string }
		Error                  struct {
			Code    string
			Details map[string]string
		}
	}
}

// send sends a body in chunks of unknown number, as a stream does.
func (ut *uploadTest) send(key, method, path, contentType string, body io.Reader, headers ...string) (u uploadReply) {
	ut.Helper()
	req, err := http.NewRequestWithContext(ut.Context(), method, ut.URL+v2.Base+path, io.MultiReader(body))
	ut.requireNoError(err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := ut.Client.Do(req)
	ut.requireNoError(err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	ut.requireNoError(err)
	u.status, u.body, u.retryAfter, u.replayed, u.header = res.StatusCode, string(text), res.Header.Get("Retry-After"),
		res.Header.Get("Idempotent-Replayed"), res.Header
	if len(text) > 0 {
		ut.requireNoError(json.Unmarshal(text, &u.record))
	}
	return u
}

func (ut *uploadTest) requireNoError(err error) {
	ut.Helper()
	if err != nil {
		ut.Fatal(err)
	}
}

func (ut *uploadTest) sourcesPath() string { return "/agents/" + ut.agent + "/sources" }

// upload sends parts and sees that nothing is left of what was refused.
func (ut *uploadTest) upload(method, path string, parts ...formPart) uploadReply {
	ut.Helper()
	ut.clock.Advance(7 * time.Second)
	contentType, body := encodeForm(parts...)
	u := ut.send(ut.Key, method, path, contentType, bytes.NewReader(body))
	if left := ut.listFiles("incoming"); len(left) > 0 {
		ut.Errorf("left over of an upload: %v", left)
	}
	return u
}

// listFiles lists what lies in the folder of files, or in one below it.
func (ut *uploadTest) listFiles(below string) (list []string) {
	ut.Helper()
	root := filepath.Join(ut.dataDir, "blobs", below)
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, filepath.Base(path))
		}
		return nil
	})
	return list
}

// countStoredFiles counts the files in the folder and in the database.
func (ut *uploadTest) countStoredFiles() (n int) {
	ut.Helper()
	ut.requireNoError(ut.DB.SQL().QueryRow(ut.Context(), `select count(distinct hash) from blob_data`).Scan(&n))
	return n + len(ut.listFiles(""))
}

func (ut *uploadTest) get(path string) (u uploadReply) {
	return ut.send(ut.Key, "GET", path, "", strings.NewReader(""))
}

// waitUntilTrained waits until the source has come to an end.
func (ut *uploadTest) waitUntilTrained(id, status string) uploadReply {
	ut.Helper()
	var got uploadReply
	testkit.Eventually(ut, "a source that is "+status, func() bool {
		got = ut.get(ut.sourcesPath() + "/" + id)
		return got.record.Status == status
	})
	return got
}

const handbookText = "# Deliveries\n\nA parcel takes three days to arrive. On islands it takes a week.\n\n# " +
	"Opening hours\n\nThe depot opens at half past six.\n"

func TestUploadedFileAnswers(t *testing.T) {
	d := newUploadTest(t)
	u := d.upload("POST", d.sourcesPath(), filePart("handbook.md", handbookText))
	if u.status != 201 || u.record.Data.ID != u.record.ID || u.record.Type != "file" ||
		u.record.Name != "handbook.md" || u.record.Status != "untrained" ||
		u.record.Size != int64(len(handbookText)) || u.record.Metadata != nil ||
		!strings.Contains(u.body, `"metadata":null`) {
		t.Fatal(u.status, u.body)
	}
	got := d.waitUntilTrained(u.record.ID, "trained")
	if strings.Contains(got.body, `"data"`) {
		t.Error("an id twice where nothing was uploaded:", got.body)
	}
	reply := d.send(d.Key, "POST", "/agents/"+d.agent+"/chat", "application/json",
		strings.NewReader(`{"message":"When does the depot open?"}`))
	if !strings.Contains(reply.body, "half past six") {
		t.Error(reply.body)
	}
	if sum := d.get(d.sourcesPath() + "/summary"); !strings.Contains(sum.body,
		fmt.Sprintf(`"files":{"count":1,"size":%d}`, len(handbookText))) {
		t.Error(sum.body)
	}
	if again := d.upload("POST", d.sourcesPath(),
		filePart("handbook.md", handbookText)); again.record.Error.Code != "SOURCE_DUPLICATE" {
		t.Error(again.status, again.body)
	}
}

func TestUploadedFileIsReplaced(t *testing.T) {
	d := newUploadTest(t)
	uploaded := d.upload("POST", d.sourcesPath(), namePart("Guide"), filePart("a.txt", handbookText))
	path := d.sourcesPath() + "/" + uploaded.record.ID
	d.waitUntilTrained(uploaded.record.ID, "trained")
	next := strings.ReplaceAll(handbookText, "three days", "nine hours")
	u := d.upload("PUT", path, filePart("b.txt", next))
	if u.status != 200 || u.record.Status != "updated" || u.record.Name != "Guide" ||
		u.record.Data.ID != uploaded.record.ID {
		t.Fatal(u.status, u.body)
	}
	d.waitUntilTrained(uploaded.record.ID, "trained")
	if same := d.upload("PUT", path, filePart("b.txt", next)); same.status != 200 || same.record.Status != "trained" {
		t.Error("the same file is trained again:", same.body)
	}
	if u := d.upload("PUT", path, namePart("Manual")); u.status != 200 || u.record.Name != "Manual" ||
		u.record.Status != "updated" {
		t.Error(u.status, u.body)
	}
	d.waitUntilTrained(uploaded.record.ID, "trained")
	if u := d.send(d.Key, "PUT", path, "application/json", strings.NewReader(`{"name":"By JSON"}`)); u.status != 200 ||
		u.record.Name != "By JSON" || u.record.Data.ID != "" {
		t.Error(u.status, u.body)
	}
	d.waitUntilTrained(uploaded.record.ID, "trained")
	if p := d.get(path + "/passages"); !strings.Contains(p.body, "nine hours") {
		t.Error(p.body)
	}
	d.clock.Advance(time.Hour) // the earlier versions go, with the first file
	d.Queue.Wake()
	testkit.Eventually(t, "one file on the disk", func() bool { return len(d.listFiles("")) == 1 })
}

func TestUploadKeepsNames(t *testing.T) {
	d := newUploadTest(t)
	for i, c := range []struct{ disposition, name string }{
		{`name="file"; filename="Über uns – 日本.txt"`, "Über uns – 日本.txt"},
		{`name="file"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%C3%BC.txt`, "日本 ü.txt"},
		{`name="file"; filename="plain.txt"; filename*=utf-8''%C3%A4.txt`, "ä.txt"},
		{`name="file"; filename*=iso-8859-1'de'%DCber%20uns.txt`, "Über uns.txt"},
		{"name=\"file\"; filename=\"\xdcber uns \x96 \x80.txt\"", "Über uns – €.txt"},
		{`name="file"; filename="%C3%9Cber%20uns.txt"`, "Über uns.txt"},
		{`name="file"; filename="100%25 of %22all%22.txt"`, `100%25 of "all".txt`},
		{`name="file"; filename="an \"odd\" name.txt"`, `an "odd" name.txt`},
		{`name="file"; filename="=?utf-8?B?w5xiZXIgdW5zLnR4dA==?="`, "Über uns.txt"},
		{`name="file"; filename="C:\fakepath\win.txt"`, "win.txt"},
		{`name="file"; filename="../../etc/passwd"`, "passwd"},
		{`name="file"; filename="` + strings.Repeat("é", 120) + `.txt"`, strings.Repeat("é", 100)},
	} {
		u := d.upload("POST", d.sourcesPath(), formPart{c.disposition, fmt.Sprint(handbookText, i)})
		if u.status != 201 || u.record.Name != c.name {
			t.Errorf("%s: %d %s", c.disposition, u.status, u.body)
		}
	}
	u := d.upload("POST", d.sourcesPath(), formPart{`name="other"`, "ignored"}, filePart("x.txt", handbookText+"last"),
		namePart("Zürich 🚚"))
	if u.status != 201 || u.record.Name != "Zürich 🚚" {
		t.Error(u.status, u.body)
	}
}

func TestRefusedUploads(t *testing.T) {
	d := newUploadTest(t)
	uploaded := d.upload("POST", d.sourcesPath(), filePart("a.txt", handbookText))
	path := d.sourcesPath() + "/" + uploaded.record.ID
	large := strings.Repeat("0123456789abcdef", 20<<16) + "x"
	for name, c := range map[string]struct {
		method, path string
		parts        []formPart
		field        string
	}{
		"too small":           {"POST", d.sourcesPath(), []formPart{filePart("a.txt", strings.Repeat("x", 49))}, "file"},
		"too large":           {"POST", d.sourcesPath(), []formPart{filePart("a.txt", large)}, "file"},
		"larger than is read": {"POST", d.sourcesPath(), []formPart{filePart("a.txt", large+large+large)}, "file"},
		"a picture": {"POST", d.sourcesPath(),
			[]formPart{filePart("a.pdf", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 99))}, "file"},
		"no file": {"POST", d.sourcesPath(), []formPart{namePart("A")}, "file"},
		"two files": {"POST", d.sourcesPath(),
			[]formPart{filePart("a.txt", handbookText), filePart("b.txt", handbookText)}, "file"},
		"an empty name": {"POST", d.sourcesPath(), []formPart{namePart(""), filePart("a.txt", handbookText)}, "name"},
		"a long name": {"POST", d.sourcesPath(),
			[]formPart{filePart("a.txt", handbookText), namePart(strings.Repeat("ä", 101))}, "name"},
		"a blank name": {"POST", d.sourcesPath(),
			[]formPart{namePart(" \u202e"), filePart("a.txt", handbookText)}, "name"},
		"a file with a blank name": {"POST", d.sourcesPath(), []formPart{filePart(" ", handbookText)}, "name"},
		"neither name nor all":     {"PUT", path, nil, "file"},
		"a picture instead":        {"PUT", path, []formPart{filePart("a.gif", "GIF89a"+strings.Repeat("x", 99))}, "file"},
	} {
		u := d.upload(c.method, c.path, c.parts...)
		if u.status != 400 || u.record.Error.Code != "VALIDATION_INVALID_BODY" || u.record.Error.Details[c.field] == "" {
			t.Errorf("%s: %d %s", name, u.status, u.body)
		}
	}
	contentType, body := encodeForm(filePart("a.txt", handbookText+"cut"))
	for name, c := range map[string]struct{ contentType, body string }{
		"cut short":   {contentType, string(body[:len(body)-20])},
		"no boundary": {"multipart/form-data", string(body)},
		"mixed":       {strings.Replace(contentType, "form-data", "mixed", 1), string(body)},
	} {
		d.clock.Advance(time.Minute)
		if u := d.send(d.Key, "POST", d.sourcesPath(), c.contentType, strings.NewReader(c.body)); u.status != 400 ||
			u.record.Error.Details["body"] == "" {
			t.Errorf("%s: %d %s", name, u.status, u.body)
		}
	}
	if left := d.listFiles(""); len(left) != 1 {
		t.Errorf("on the disk: %v", left)
	}
}

func TestUploadsAreCounted(t *testing.T) {
	d := newUploadTest(t)
	contentType, body := encodeForm(filePart("a.txt", "too small"))
	for i := range 10 {
		if u := d.send(d.Key, "POST", d.sourcesPath(), contentType, bytes.NewReader(body)); u.status != 400 {
			t.Fatal(i, u.status, u.body)
		}
		d.clock.Advance(time.Second)
	}
	contentType, body = encodeForm(filePart("a.txt", handbookText))
	u := d.send(d.Key, "POST", d.sourcesPath(), contentType, bytes.NewReader(body))
	if u.status != 429 || u.record.Error.Code != "RATE_LIMIT_TOO_MANY_REQUESTS" || u.retryAfter != "50" {
		t.Fatal(u.status, u.body, u.retryAfter)
	}
	reset := strconv.FormatInt(d.clock.Now().Add(50*time.Second).Unix(), 10)
	for name, want := range map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0",
		"X-RateLimit-Reset": reset} {
		if got := u.header.Get(name); got != want {
			t.Errorf("%s: %s instead of %s", name, got, want)
		}
	}
	if other := d.send(d.OtherKey, "POST", d.sourcesPath(), contentType, bytes.NewReader(body)); other.status != 404 {
		t.Error("the other account waits too:", other.status)
	}
	d.clock.Advance(50 * time.Second)
	if u := d.send(d.Key, "POST", d.sourcesPath(), contentType, bytes.NewReader(body)); u.status != 201 {
		t.Error(u.status, u.body)
	}
}

func TestUploadsAreIsolated(t *testing.T) {
	d := newUploadTest(t)
	uploaded := d.upload("POST", d.sourcesPath(), filePart("a.txt", handbookText))
	contentType, body := encodeForm(filePart("b.txt", handbookText))
	own := createAgentFor(t, d.Server, d.OtherKey)
	for _, c := range []struct{ method, path, unknown string }{
		{"POST", d.sourcesPath(), "/agents/AAAAAAAAAAAAAAAAAAAAA/sources"},
		{"PUT", d.sourcesPath() + "/" + uploaded.record.ID, "/agents/AAAAAAAAAAAAAAAAAAAAA/sources/" + uploaded.record.ID},
		{"PUT", "/agents/" + own + "/sources/" + uploaded.record.ID,
			"/agents/" + own + "/sources/00000000-0000-4000-8000-000000000000"},
	} {
		others := d.send(d.OtherKey, c.method, c.path, contentType, bytes.NewReader(body))
		missing := d.send(d.OtherKey, c.method, c.unknown, contentType, bytes.NewReader(body))
		if others.status != 404 || others.body != missing.body {
			t.Errorf("%s %s: %d %s, unknown: %s", c.method, c.path, others.status, others.body, missing.body)
		}
	}
	if left := d.listFiles(""); len(left) != 1 {
		t.Errorf("on the disk: %v", left)
	}
}

func createAgentFor(t *testing.T, srv *testkit.Server, key string) string {
	t.Helper()
	status, body := sendAs(t, srv, key, "POST", "/agents", `{"name": "Other"}`)
	var uploaded struct{ ID string }
	if err := json.Unmarshal([]byte(body), &uploaded); err != nil || status != 201 {
		t.Fatal(status, body)
	}
	return uploaded.ID
}

func TestUnreadableFileKeepsTheEarlierVersion(t *testing.T) {
	d := newUploadTest(t)
	uploaded := d.upload("POST", d.sourcesPath(), filePart("a.pdf", handbookText))
	d.waitUntilTrained(uploaded.record.ID, "trained")
	broken := "%PDF-1.4\n" + strings.Repeat("nothing that a PDF holds\n", 9)
	if u := d.upload("PUT", d.sourcesPath()+"/"+uploaded.record.ID, filePart("a.pdf", broken)); u.status != 200 ||
		u.record.Status != "updated" {
		t.Fatal(u.status, u.body)
	}
	d.waitUntilTrained(uploaded.record.ID, "failed")
	var reason string
	d.requireNoError(d.DB.SQL().QueryRow(t.Context(), `select failure from sources where id = ?`,
		uploaded.record.ID).Scan(&reason))
	if !strings.Contains(reason, "damaged") {
		t.Error(reason)
	}
	if p := d.get(d.sourcesPath() + "/" + uploaded.record.ID + "/passages"); !strings.Contains(p.body, "three days") {
		t.Error(p.body)
	}
}

func TestFilesAreDeletedWithTheirLastSource(t *testing.T) {
	for name, option := range map[string]testkit.Option{"sqlite": testkit.WithConfig(func(*server.Config) {}),
		"postgres": testkit.WithPostgres()} {
		t.Run(name, func(t *testing.T) {
			d := newUploadTest(t, option)
			uploaded := d.upload("POST", d.sourcesPath(), filePart("a.txt", handbookText))
			d.waitUntilTrained(uploaded.record.ID, "trained")
			var copied struct{ ID string }
			status, body := sendAs(t, d.Server, d.Key, "POST", "/agents/"+d.agent+"/clone", "")
			d.requireNoError(json.Unmarshal([]byte(body), &copied))
			if status != 201 || d.countStoredFiles() != 1 {
				t.Fatal(status, body, d.countStoredFiles())
			}
			sendAs(t, d.Server, d.Key, "DELETE", d.sourcesPath()+"/"+uploaded.record.ID, "")
			testkit.Eventually(t, "one row", func() bool {
				var n int
				d.requireNoError(d.DB.SQL().QueryRow(t.Context(), `select count(*) from blobs`).Scan(&n))
				return n == 1
			})
			if d.countStoredFiles() != 1 {
				t.Error("the copy has lost its file")
			}
			sendAs(t, d.Server, d.Key, "DELETE", "/agents/"+copied.ID, "")
			testkit.Eventually(t, "no file", func() bool { return d.countStoredFiles() == 0 })
		})
	}
}

func TestUploadsWithAKeyAreStoredOnce(t *testing.T) {
	d := newUploadTest(t)
	again := func(content string) uploadReply {
		d.clock.Advance(7 * time.Second)
		contentType, body := encodeForm(filePart("a.txt", content)) // with another boundary each time
		return d.send(d.Key, "POST", d.sourcesPath(), contentType, bytes.NewReader(body), "Idempotency-Key", "one")
	}
	first, second, other := again(handbookText), again(handbookText), again(handbookText+"!")
	if first.status != 201 || second.status != 201 || second.record.ID != first.record.ID ||
		second.record.Data.ID != first.record.ID || second.replayed != "true" {
		t.Errorf("%s\n%s", first.body, second.body)
	}
	if other.record.Error.Code != "IDEMPOTENCY_KEY_REUSED" {
		t.Error(other.status, other.body)
	}
}

func TestStorageLimitOfFiles(t *testing.T) {
	plans := filepath.Join(t.TempDir(), "plans.yaml")
	text := "unlimited: {api: true, voice: true, gpt4: true, agents: unlimited, storagePerAgent: unlimited, " +
		"creditsPerMonth: unlimited, creditsPerVoiceMinute: 0}\n" +
		"tiny: {api: true, voice: false, gpt4: false, agents: 3, storagePerAgent: 90, creditsPerMonth: 5, " +
		"creditsPerVoiceMinute: 0}\n"
	if err := os.WriteFile(plans, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newUploadTest(t, testkit.WithConfig(func(c *server.Config) { c.Plans = plans }))
	_, d.Key = d.NewAccount(t, admin.NewAccount{Name: "Tiny", Plan: "tiny"})
	d.agent = createAgentFor(t, d.Server, d.Key)
	if u := d.upload("POST", d.sourcesPath(), filePart("a.txt", handbookText)); u.status != 422 ||
		u.record.Error.Code != "SOURCE_SIZE_LIMIT_EXCEEDED" || len(d.listFiles("")) != 0 {
		t.Error(u.status, u.body, d.listFiles(""))
	}
	if u := d.upload("POST", d.sourcesPath(), filePart("a.txt", handbookText[:60])); u.status != 201 {
		t.Error(u.status, u.body)
	}
}

// A PDF in scripts that run to the left answers as its text does when that is pasted, and cites the letters that
// people type.
func TestUploadedPDFInRightToLeftScripts(t *testing.T) {
	d := newUploadTest(t)
	data, err := os.ReadFile("../../ingest/extract/testdata/scripts.pdf")
	d.requireNoError(err)
	// what the page says from which the PDF was printed
	text, err := os.ReadFile("../../ingest/extract/testdata/scripts.html.golden")
	d.requireNoError(err)
	pdf := d.upload("POST", d.sourcesPath(), filePart("scripts.pdf", string(data)))
	d.waitUntilTrained(pdf.record.ID, "trained")
	uploaded := d.agent
	d.agent = createAgent(t, d.Server)
	pasted := d.upload("POST", d.sourcesPath(), filePart("scripts.md", string(text)))
	d.waitUntilTrained(pasted.record.ID, "trained")
	for question, want := range map[string]string{
		"كم السعر شامل الضريبة؟":              "السعر 1,250.50 ريال (شامل الضريبة)",
		"ﻛﻢ اﻟﺴﻌﺮ ﺷﺎﻣﻞ اﻟﻀﺮﻳﺒﺔ؟":              "السعر 1,250.50 ريال (شامل الضريبة)",
		"خلال كم يوم يمكن إرجاع المنتج؟":      "لإرجاع المنتج خلال 14 يومًا",
		"מה המחיר אחרי הנחה?":                 "250.50",
		"Which affidavit does the oﬃce file?": "The office files the official affidavit",
	} {
		for where, agent := range map[string]string{"uploaded": uploaded, "pasted": d.agent} {
			body, err := json.Marshal(map[string]any{"message": question})
			d.requireNoError(err)
			reply := d.send(d.Key, "POST", "/agents/"+agent+"/chat", "application/json", bytes.NewReader(body))
			if reply.status != 200 || !strings.Contains(reply.body, want) {
				t.Errorf("%s, %s: %d %s", where, question, reply.status, reply.body)
			}
		}
	}
}
