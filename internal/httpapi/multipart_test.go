package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"parley"
)

type letterIn struct {
	Number int64 `path:"number" min:"1"`
	Body   letterBody
	Upload *Upload
}

type letterBody struct {
	Type    string      `json:"type" enum:"reply,note" default:"reply"`
	Content string      `json:"content" min:"1" max:"5"`
	By      Opt[string] `json:"by,omitzero" format:"mail"`
}

type letterOut struct {
	Number int64    `json:"number"`
	Type   string   `json:"type"`
	Text   string   `json:"text"`
	Files  []string `json:"files"`
}

// newLetterAPI serves one operation for letters with at most two files of 1 to 10 bytes.
func newLetterAPI(t testing.TB, dir string, once func(IdempotentRequest)) *API {
	t.Helper()
	f := New(Config{
		BasePath:    "/base",
		Admit:       func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil },
		UploadDir:   func(context.Context, *http.Request, any) (string, error) { return dir, nil },
		RunOnce:     func(ctx context.Context, _ *Call, o IdempotentRequest) (any, error) { once(o); return o.Run(ctx) },
		RenderError: RenderEnvelope, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	Handle(f, TypedOperation[letterIn, letterOut]{Operation{Name: "post", Method: "POST", Path: "/letters/{number}",
		Form: &Form{MinFileBytes: 1, MaxFileBytes: 10, MaxFiles: 2, FileDescription: "A file."}},
		func(_ context.Context, _ *Call, in *letterIn) (*letterOut, error) {
			out := &letterOut{Number: in.Number, Type: in.Body.Type, Text: in.Body.Content + " " + in.Body.By.Value}
			for _, file := range in.Upload.Files {
				b, err := os.ReadFile(file.Path)
				if err != nil {
					return nil, err
				}
				out.Files = append(out.Files, fmt.Sprintf("%s %s %d", file.Name, b, file.Size))
			}
			return out, nil
		}})
	return f
}

// newLetterRequest writes a form; each part is name=text, or a file as @name=content.
func newLetterRequest(t *testing.T, path string, parts ...string) *http.Request {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, part := range parts {
		name, text, _ := strings.Cut(part, "=")
		var to io.Writer
		var err error
		if file, ok := strings.CutPrefix(name, "@"); ok {
			to, err = w.CreateFormFile("file", file)
		} else {
			to, err = w.CreateFormField(name)
		}
		if err == nil {
			_, err = io.WriteString(to, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/base/letters/"+path, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

func TestFormHoldsABodyAndFiles(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"texts and files": {[]string{"content=Hé", "@a.txt=one", "by=jo@x.co", "type=note", "@b.txt=two"},
			`{"number":7,"type":"note","text":"Hé jo@x.co","files":["a.txt one 3","b.txt two 3"]}`},
		"a default": {[]string{"content=Hi"}, `{"number":7,"type":"reply","text":"Hi ","files":null}`},
		"strangers": {[]string{"content=Hi", "else=5"}, `{"number":7,"type":"reply","text":"Hi ","files":null}`},
		"nothing":   {[]string{"@a.txt=one"}, `"details":{"content":"is required"}`},
		"faults": {[]string{"content=toolong", "by=x", "type=event"},
			`"details":{"by":"must be an e-mail address","content":"must have at most 5 characters","type":"must ` +
				`be one of: reply, note"}`},
		"a third file": {[]string{"content=Hi", "@a=1", "@b=2", "@c=3"},
			`"details":{"file":"must be given at most 2 times"}`},
		"an empty file": {[]string{"content=Hi", "@a="}, `"details":{"file":"must have at least 1 byte"}`},
		"a large file":  {[]string{"content=Hi", "@a=12345678901"}, `"details":{"file":"must have at most`},
		"twice":         {[]string{"content=Hi", "content=Ho"}, `"details":{"content":"must be given once"}`},
		"a long text":   {[]string{"content=" + strings.Repeat("x", maxTextBytes+1)}, `must have at most`},
	} {
		w := httptest.NewRecorder()
		newLetterAPI(t, dir, func(IdempotentRequest) {}).ServeHTTP(w, newLetterRequest(t, "7", c.parts...))
		if !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%s: not removed: %v %v", name, left, err)
		}
	}
}

// Forms with the same content have the same hash, whatever the order of their texts and the boundary.
func TestEqualFormsHaveOneHash(t *testing.T) {
	hash := func(parts ...string) (h string) {
		r := newLetterRequest(t, "1", parts...)
		r.Header.Set(IdempotencyKey, "key")
		newLetterAPI(t, t.TempDir(), func(o IdempotentRequest) { h = o.Hash }).ServeHTTP(httptest.NewRecorder(), r)
		return h
	}
	same := hash("content=Hi", "type=note", "@a=1", "@b=2")
	if same == "" || same != hash("type=note", "@a=1", "content=Hi", "@b=2") {
		t.Error("another order is another form")
	}
	for _, other := range []string{hash("content=Ho", "type=note", "@a=1", "@b=2"), hash("content=Hi", "type=note",
		"@a=2", "@b=2"), hash("content=Hi", "type=note", "@b=1", "@b=2"), hash("content=Hi", "type=note", "@a=1")} {
		if other == same {
			t.Error("another form is the same")
		}
	}
}

func TestNumbersInPaths(t *testing.T) {
	for path, want := range map[string]string{"7": "7", "007": "-1", "+7": "-1", "-7": "-1", "7.0": "-1", "x": "-1",
		"%00": "-1", "9223372036854775807": "9223372036854775807", "9223372036854775808": "-1", "0": "0"} {
		w := httptest.NewRecorder()
		newLetterAPI(t, t.TempDir(), func(IdempotentRequest) {}).ServeHTTP(w, newLetterRequest(t, path, "content=Hi"))
		if !strings.Contains(w.Body.String(), `"number":`+want+`,`) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

func TestDocumentDescribesFormsWithFiles(t *testing.T) {
	doc, err := newLetterAPI(t, "", func(IdempotentRequest) {}).OpenAPI(Info{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"multipart/form-data"`, `"maxItems": 2`, `"format": "binary"`, `"format": "email"`,
		string(parley.CodeInvalidBody)} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("the document lacks %s", want)
		}
	}
}

func TestFileNamesAreReadAsUTF8OrWindows1252(t *testing.T) {
	if len(windows1252) != 0x20 {
		t.Fatal(len(windows1252))
	}
	for _, c := range []struct{ raw, want string }{
		{"plain.txt", "plain.txt"}, {"Über – €.txt", "Über – €.txt"}, {"\xdcber \x96 \x80.txt", "Über – €.txt"},
		{"\x93odd\x94 \x9f\xff", "“odd” Ÿÿ"},
	} {
		if got := toUTF8(c.raw); got != c.want {
			t.Errorf("%q: %q, want %q", c.raw, got, c.want)
		}
	}
}
