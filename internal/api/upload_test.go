package api_test

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

	"parley/internal/admin"
	"parley/internal/api"
	"parley/internal/house"
	"parley/internal/rig"
)

// desk is a house to which files are uploaded.
type desk struct {
	*rig.House
	*testing.T
	data  string
	agent string
	clock *rig.Clock
}

func uploading(t *testing.T, options ...rig.Option) *desk {
	t.Helper()
	d := &desk{T: t, data: t.TempDir(), clock: rig.NewClock()}
	d.House = rig.Open(t, append(options, rig.ByClock(d.clock), rig.With(func(c *house.Config) { c.Data = d.data }))...)
	d.agent = agentOf(t, d.House)
	return d
}

// part is one of a multipart body: Disposition follows "form-data; ".
type part struct{ disposition, content string }

func file(name, content string) part { return part{`name="file"; filename="` + name + `"`, content} }
func named(name string) part         { return part{`name="name"`, name} }

func form(parts ...part) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{"Content-Disposition": {"form-data; " + p.disposition}, "Content-Type": {"application/octet-stream"}}
		out, _ := w.CreatePart(h) // a buffer takes everything
		_, _ = io.WriteString(out, p.content)
	}
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

type uploaded struct {
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
func (d *desk) send(key, method, path, contentType string, body io.Reader, headers ...string) (u uploaded) {
	d.Helper()
	req, err := http.NewRequestWithContext(d.Context(), method, d.URL+api.Base+path, io.MultiReader(body))
	d.must(err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.Client.Do(req)
	d.must(err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	d.must(err)
	u.status, u.body, u.retryAfter, u.replayed, u.header = res.StatusCode, string(text), res.Header.Get("Retry-After"), res.Header.Get("Idempotent-Replayed"), res.Header
	if len(text) > 0 {
		d.must(json.Unmarshal(text, &u.record))
	}
	return u
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *desk) sources() string { return "/agents/" + d.agent + "/sources" }

// upload sends parts and sees that nothing is left of what was refused.
func (d *desk) upload(method, path string, parts ...part) uploaded {
	d.Helper()
	d.clock.Turn(7 * time.Second)
	contentType, body := form(parts...)
	u := d.send(d.Key, method, path, contentType, bytes.NewReader(body))
	if left := d.files("incoming"); len(left) > 0 {
		d.Errorf("left over of an upload: %v", left)
	}
	return u
}

// files lists what lies in the folder of files, or in one below it.
func (d *desk) files(below string) (list []string) {
	d.Helper()
	root := filepath.Join(d.data, "blobs", below)
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, filepath.Base(path))
		}
		return nil
	})
	return list
}

// kept counts the files in the folder and in the database.
func (d *desk) kept() (n int) {
	d.Helper()
	d.must(d.DB.SQL().QueryRow(d.Context(), `select count(distinct hash) from blob_data`).Scan(&n))
	return n + len(d.files(""))
}

func (d *desk) get(path string) (u uploaded) {
	return d.send(d.Key, "GET", path, "", strings.NewReader(""))
}

// trained waits until the source has come to an end.
func (d *desk) trained(id, status string) uploaded {
	d.Helper()
	var got uploaded
	rig.Eventually(d, "a source that is "+status, func() bool {
		got = d.get(d.sources() + "/" + id)
		return got.record.Status == status
	})
	return got
}

const handbook = "# Deliveries\n\nA parcel takes three days to arrive. On islands it takes a week.\n\n# Opening hours\n\nThe depot opens at half past six.\n"

func TestUploadedFileAnswers(t *testing.T) {
	d := uploading(t)
	u := d.upload("POST", d.sources(), file("handbook.md", handbook))
	if u.status != 201 || u.record.Data.ID != u.record.ID || u.record.Type != "file" || u.record.Name != "handbook.md" || u.record.Status != "untrained" ||
		u.record.Size != int64(len(handbook)) || u.record.Metadata != nil || !strings.Contains(u.body, `"metadata":null`) {
		t.Fatal(u.status, u.body)
	}
	got := d.trained(u.record.ID, "trained")
	if strings.Contains(got.body, `"data"`) {
		t.Error("an id twice where nothing was uploaded:", got.body)
	}
	reply := d.send(d.Key, "POST", "/agents/"+d.agent+"/chat", "application/json", strings.NewReader(`{"message":"When does the depot open?"}`))
	if !strings.Contains(reply.body, "half past six") {
		t.Error(reply.body)
	}
	if sum := d.get(d.sources() + "/summary"); !strings.Contains(sum.body, fmt.Sprintf(`"files":{"count":1,"size":%d}`, len(handbook))) {
		t.Error(sum.body)
	}
	if again := d.upload("POST", d.sources(), file("handbook.md", handbook)); again.record.Error.Code != "SOURCE_DUPLICATE" {
		t.Error(again.status, again.body)
	}
}

func TestUploadedFileIsReplaced(t *testing.T) {
	d := uploading(t)
	made := d.upload("POST", d.sources(), named("Guide"), file("a.txt", handbook))
	path := d.sources() + "/" + made.record.ID
	d.trained(made.record.ID, "trained")
	next := strings.ReplaceAll(handbook, "three days", "nine hours")
	u := d.upload("PUT", path, file("b.txt", next))
	if u.status != 200 || u.record.Status != "updated" || u.record.Name != "Guide" || u.record.Data.ID != made.record.ID {
		t.Fatal(u.status, u.body)
	}
	d.trained(made.record.ID, "trained")
	if same := d.upload("PUT", path, file("b.txt", next)); same.status != 200 || same.record.Status != "trained" {
		t.Error("the same file is trained again:", same.body)
	}
	if u := d.upload("PUT", path, named("Manual")); u.status != 200 || u.record.Name != "Manual" || u.record.Status != "updated" {
		t.Error(u.status, u.body)
	}
	d.trained(made.record.ID, "trained")
	if u := d.send(d.Key, "PUT", path, "application/json", strings.NewReader(`{"name":"By JSON"}`)); u.status != 200 || u.record.Name != "By JSON" || u.record.Data.ID != "" {
		t.Error(u.status, u.body)
	}
	d.trained(made.record.ID, "trained")
	if p := d.get(path + "/passages"); !strings.Contains(p.body, "nine hours") {
		t.Error(p.body)
	}
	d.clock.Turn(time.Hour) // the earlier versions go, with the first file
	d.Queue.Wake()
	rig.Eventually(t, "one file on the disk", func() bool { return len(d.files("")) == 1 })
}

func TestUploadKeepsNames(t *testing.T) {
	d := uploading(t)
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
		u := d.upload("POST", d.sources(), part{c.disposition, fmt.Sprint(handbook, i)})
		if u.status != 201 || u.record.Name != c.name {
			t.Errorf("%s: %d %s", c.disposition, u.status, u.body)
		}
	}
	u := d.upload("POST", d.sources(), part{`name="other"`, "ignored"}, file("x.txt", handbook+"last"), named("Zürich 🚚"))
	if u.status != 201 || u.record.Name != "Zürich 🚚" {
		t.Error(u.status, u.body)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	d := uploading(t)
	made := d.upload("POST", d.sources(), file("a.txt", handbook))
	path := d.sources() + "/" + made.record.ID
	large := strings.Repeat("0123456789abcdef", 20<<16) + "x"
	for name, c := range map[string]struct {
		method, path string
		parts        []part
		field        string
	}{
		"too small":            {"POST", d.sources(), []part{file("a.txt", strings.Repeat("x", 49))}, "file"},
		"too large":            {"POST", d.sources(), []part{file("a.txt", large)}, "file"},
		"larger than is read":  {"POST", d.sources(), []part{file("a.txt", large+large+large)}, "file"},
		"a picture":            {"POST", d.sources(), []part{file("a.pdf", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 99))}, "file"},
		"no file":              {"POST", d.sources(), []part{named("A")}, "file"},
		"two files":            {"POST", d.sources(), []part{file("a.txt", handbook), file("b.txt", handbook)}, "file"},
		"an empty name":        {"POST", d.sources(), []part{named(""), file("a.txt", handbook)}, "name"},
		"a long name":          {"POST", d.sources(), []part{file("a.txt", handbook), named(strings.Repeat("ä", 101))}, "name"},
		"neither name nor all": {"PUT", path, nil, "file"},
		"a picture instead":    {"PUT", path, []part{file("a.gif", "GIF89a"+strings.Repeat("x", 99))}, "file"},
	} {
		u := d.upload(c.method, c.path, c.parts...)
		if u.status != 400 || u.record.Error.Code != "VALIDATION_INVALID_BODY" || u.record.Error.Details[c.field] == "" {
			t.Errorf("%s: %d %s", name, u.status, u.body)
		}
	}
	contentType, body := form(file("a.txt", handbook+"cut"))
	for name, c := range map[string]struct{ contentType, body string }{
		"cut short":   {contentType, string(body[:len(body)-20])},
		"no boundary": {"multipart/form-data", string(body)},
		"mixed":       {strings.Replace(contentType, "form-data", "mixed", 1), string(body)},
	} {
		d.clock.Turn(time.Minute)
		if u := d.send(d.Key, "POST", d.sources(), c.contentType, strings.NewReader(c.body)); u.status != 400 || u.record.Error.Details["body"] == "" {
			t.Errorf("%s: %d %s", name, u.status, u.body)
		}
	}
	if left := d.files(""); len(left) != 1 {
		t.Errorf("on the disk: %v", left)
	}
}

func TestUploadsAreCounted(t *testing.T) {
	d := uploading(t)
	contentType, body := form(file("a.txt", "too small"))
	for i := range 10 {
		if u := d.send(d.Key, "POST", d.sources(), contentType, bytes.NewReader(body)); u.status != 400 {
			t.Fatal(i, u.status, u.body)
		}
		d.clock.Turn(time.Second)
	}
	contentType, body = form(file("a.txt", handbook))
	u := d.send(d.Key, "POST", d.sources(), contentType, bytes.NewReader(body))
	if u.status != 429 || u.record.Error.Code != "RATE_LIMIT_TOO_MANY_REQUESTS" || u.retryAfter != "50" {
		t.Fatal(u.status, u.body, u.retryAfter)
	}
	reset := strconv.FormatInt(d.clock.Now().Add(50*time.Second).Unix(), 10)
	for name, want := range map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset} {
		if got := u.header.Get(name); got != want {
			t.Errorf("%s: %s instead of %s", name, got, want)
		}
	}
	if other := d.send(d.OtherKey, "POST", d.sources(), contentType, bytes.NewReader(body)); other.status != 404 {
		t.Error("the other account waits too:", other.status)
	}
	d.clock.Turn(50 * time.Second)
	if u := d.send(d.Key, "POST", d.sources(), contentType, bytes.NewReader(body)); u.status != 201 {
		t.Error(u.status, u.body)
	}
}

func TestUploadsAreIsolated(t *testing.T) {
	d := uploading(t)
	made := d.upload("POST", d.sources(), file("a.txt", handbook))
	contentType, body := form(file("b.txt", handbook))
	own := agentIn(t, d.House, d.OtherKey)
	for _, c := range []struct{ method, path, unknown string }{
		{"POST", d.sources(), "/agents/AAAAAAAAAAAAAAAAAAAAA/sources"},
		{"PUT", d.sources() + "/" + made.record.ID, "/agents/AAAAAAAAAAAAAAAAAAAAA/sources/" + made.record.ID},
		{"PUT", "/agents/" + own + "/sources/" + made.record.ID, "/agents/" + own + "/sources/00000000-0000-4000-8000-000000000000"},
	} {
		theirs := d.send(d.OtherKey, c.method, c.path, contentType, bytes.NewReader(body))
		nobody := d.send(d.OtherKey, c.method, c.unknown, contentType, bytes.NewReader(body))
		if theirs.status != 404 || theirs.body != nobody.body {
			t.Errorf("%s %s: %d %s, unknown: %s", c.method, c.path, theirs.status, theirs.body, nobody.body)
		}
	}
	if left := d.files(""); len(left) != 1 {
		t.Errorf("on the disk: %v", left)
	}
}

func agentIn(t *testing.T, h *rig.House, key string) string {
	t.Helper()
	status, body := send(t, h, key, "POST", "/agents", `{"name": "Other"}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 201 {
		t.Fatal(status, body)
	}
	return made.ID
}

func TestUnreadableFileFailsAndTheEarlierAnswers(t *testing.T) {
	d := uploading(t)
	made := d.upload("POST", d.sources(), file("a.pdf", handbook))
	d.trained(made.record.ID, "trained")
	broken := "%PDF-1.4\n" + strings.Repeat("nothing that a PDF holds\n", 9)
	if u := d.upload("PUT", d.sources()+"/"+made.record.ID, file("a.pdf", broken)); u.status != 200 || u.record.Status != "updated" {
		t.Fatal(u.status, u.body)
	}
	d.trained(made.record.ID, "failed")
	var reason string
	d.must(d.DB.SQL().QueryRow(t.Context(), `select failure from sources where id = ?`, made.record.ID).Scan(&reason))
	if !strings.Contains(reason, "damaged") {
		t.Error(reason)
	}
	if p := d.get(d.sources() + "/" + made.record.ID + "/passages"); !strings.Contains(p.body, "three days") {
		t.Error(p.body)
	}
}

func TestFilesGoWithTheirLastSource(t *testing.T) {
	for name, option := range map[string]rig.Option{"sqlite": rig.With(func(*house.Config) {}), "postgres": rig.OnPostgres()} {
		t.Run(name, func(t *testing.T) {
			d := uploading(t, option)
			made := d.upload("POST", d.sources(), file("a.txt", handbook))
			d.trained(made.record.ID, "trained")
			var copied struct{ ID string }
			status, body := send(t, d.House, d.Key, "POST", "/agents/"+d.agent+"/clone", "")
			d.must(json.Unmarshal([]byte(body), &copied))
			if status != 201 || d.kept() != 1 {
				t.Fatal(status, body, d.kept())
			}
			send(t, d.House, d.Key, "DELETE", d.sources()+"/"+made.record.ID, "")
			rig.Eventually(t, "one row", func() bool {
				var n int
				d.must(d.DB.SQL().QueryRow(t.Context(), `select count(*) from blobs`).Scan(&n))
				return n == 1
			})
			if d.kept() != 1 {
				t.Error("the copy has lost its file")
			}
			send(t, d.House, d.Key, "DELETE", "/agents/"+copied.ID, "")
			rig.Eventually(t, "no file", func() bool { return d.kept() == 0 })
		})
	}
}

func TestUploadsWithAKeyHappenOnce(t *testing.T) {
	d := uploading(t)
	again := func(content string) uploaded {
		d.clock.Turn(7 * time.Second)
		contentType, body := form(file("a.txt", content)) // with another boundary each time
		return d.send(d.Key, "POST", d.sources(), contentType, bytes.NewReader(body), "Idempotency-Key", "one")
	}
	first, second, other := again(handbook), again(handbook), again(handbook+"!")
	if first.status != 201 || second.status != 201 || second.record.ID != first.record.ID || second.record.Data.ID != first.record.ID || second.replayed != "true" {
		t.Errorf("%s\n%s", first.body, second.body)
	}
	if other.record.Error.Code != "IDEMPOTENCY_KEY_REUSED" {
		t.Error(other.status, other.body)
	}
}

func TestStorageBoundsFiles(t *testing.T) {
	plans := filepath.Join(t.TempDir(), "plans.yaml")
	text := "unlimited: {api: true, voice: true, gpt4: true, agents: unlimited, storagePerAgent: unlimited, creditsPerMonth: unlimited, creditsPerVoiceMinute: 0}\n" +
		"tiny: {api: true, voice: false, gpt4: false, agents: 3, storagePerAgent: 90, creditsPerMonth: 5, creditsPerVoiceMinute: 0}\n"
	if err := os.WriteFile(plans, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := uploading(t, rig.With(func(c *house.Config) { c.Plans = plans }))
	_, d.Key = d.NewAccount(t, admin.NewAccount{Name: "Tiny", Plan: "tiny"})
	d.agent = agentIn(t, d.House, d.Key)
	if u := d.upload("POST", d.sources(), file("a.txt", handbook)); u.status != 422 || u.record.Error.Code != "SOURCE_SIZE_LIMIT_EXCEEDED" || len(d.files("")) != 0 {
		t.Error(u.status, u.body, d.files(""))
	}
	if u := d.upload("POST", d.sources(), file("a.txt", handbook[:60])); u.status != 201 {
		t.Error(u.status, u.body)
	}
}

// A PDF in scripts that run to the left answers as its text does when that is pasted, and cites the letters that
// people type.
func TestUploadedPDFOfOtherScriptsAnswersAsItsText(t *testing.T) {
	d := uploading(t)
	data, err := os.ReadFile("../ingest/extract/testdata/scripts.pdf")
	d.must(err)
	text, err := os.ReadFile("../ingest/extract/testdata/scripts.html.golden") // what the page says from which the PDF was printed
	d.must(err)
	pdf := d.upload("POST", d.sources(), file("scripts.pdf", string(data)))
	d.trained(pdf.record.ID, "trained")
	uploaded := d.agent
	d.agent = agentOf(t, d.House)
	pasted := d.upload("POST", d.sources(), file("scripts.md", string(text)))
	d.trained(pasted.record.ID, "trained")
	for question, want := range map[string]string{
		"كم السعر شامل الضريبة؟":              "السعر 1,250.50 ريال (شامل الضريبة)",
		"ﻛﻢ اﻟﺴﻌﺮ ﺷﺎﻣﻞ اﻟﻀﺮﻳﺒﺔ؟":              "السعر 1,250.50 ريال (شامل الضريبة)",
		"خلال كم يوم يمكن إرجاع المنتج؟":      "لإرجاع المنتج خلال 14 يومًا",
		"מה המחיר אחרי הנחה?":                 "250.50",
		"Which affidavit does the oﬃce file?": "The office files the official affidavit",
	} {
		for where, agent := range map[string]string{"uploaded": uploaded, "pasted": d.agent} {
			body, err := json.Marshal(map[string]any{"message": question})
			d.must(err)
			reply := d.send(d.Key, "POST", "/agents/"+agent+"/chat", "application/json", bytes.NewReader(body))
			if reply.status != 200 || !strings.Contains(reply.body, want) {
				t.Errorf("%s, %s: %d %s", where, question, reply.status, reply.body)
			}
		}
	}
}
