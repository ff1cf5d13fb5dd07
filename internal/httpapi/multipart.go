package httpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
)

// Form describes the multipart body that an operation takes as an alternative to JSON: a part "file" and a part
// "name"; or, with MaxFiles, several parts "file", while the other parts are the members of the body. The
// operation's input has a field of type *Upload, which is nil if the body is JSON.
type Form struct {
	RequiredPart               string // the part that is required; empty if either will do
	MinFileBytes, MaxFileBytes int64  // bytes of a file
	FileDescription            string // of the file, for the document
	// maximum number of files, if the other parts are members of the body; 0 for one file and its name
	MaxFiles     int
	FilePartName string // of a form with MaxFiles: the name of their parts; empty for "file"
}

// Upload is a multipart body. Its files are removed once the request is answered; a handler that keeps one moves it
// elsewhere.
type Upload struct {
	Name *string       // nil when the part is missing
	File *UploadedFile // nil when the part is missing

	Files []UploadedFile    // of a form with MaxFiles
	texts map[string]string // its other parts
}

// UploadedFile is a file as it was received.
type UploadedFile struct {
	Name string // base name, as the client sent it; may be empty
	Path string // of the temporary file
	Size int64
	Hash string // SHA-256, hex
}

const (
	uploadTimeout = 5 * time.Minute // how long a client may take to send a file
	maxParts      = 20
	maxNameChars  = 100 // code points of a name
	maxNameBytes  = 4 << 10
	maxExtraBytes = 1 << 20 // of an upload besides its files
)

// accepts reports whether the body of the request is multipart and the operation takes a form.
func (fm *Form) accepts(r *http.Request) bool {
	return fm != nil && strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/")
}

// receive reads the body into up. Files are written to the folder that uploadDir returns.
func (fm *Form) receive(up *Upload, rec *recorder, r *http.Request, uploadDir func() (string, error), f *faults) error {
	// A file that is only a little too large is read to its end, so that the client reads the response.
	maxBytes := int64(1+max(1, fm.MaxFiles))*fm.MaxFileBytes + maxExtraBytes
	if r.ContentLength > maxBytes {
		f.add(fm.filePart(), fm.tooLarge())
		return nil
	}
	dir, err := uploadDir()
	if err != nil {
		return err
	}
	rc := http.NewResponseController(rec)
	_ = rc.SetReadDeadline(deadlineIn(uploadTimeout)) // fails only in tests, whose writers have no deadlines
	body := http.MaxBytesReader(rec, r.Body, maxBytes)
	if err := fm.readParts(up, r, body, dir, f); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, body); err != nil { // what follows the last part
		return fm.bodyError(err, f)
	}
	rec.bodyUnread = false
	_ = rc.SetReadDeadline(time.Time{})
	fm.checkMissing(up, f)
	return nil
}

func (fm *Form) readParts(up *Upload, r *http.Request, body io.Reader, dir string, f *faults) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		f.add("body", "must be multipart/form-data with a boundary")
		return f.err()
	}
	reader := multipart.NewReader(body, params["boundary"])
	for n := 0; ; n++ {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if n == maxParts {
			f.add("body", "has too many parts")
			return f.err()
		}
		if err == nil {
			err = fm.readPart(up, part, dir, f)
		}
		if err != nil {
			return fm.bodyError(err, f)
		}
	}
}

// bodyError returns the failure of a body that could not be read.
func (fm *Form) bodyError(err error, f *faults) error {
	var diskErr *diskError
	var tooLargeErr *http.MaxBytesError
	switch {
	case errors.As(err, &diskErr):
		return fmt.Errorf("keep an upload: %w", err)
	case errors.As(err, &tooLargeErr):
		f.add(fm.filePart(), fm.tooLarge())
	case errors.Is(err, os.ErrDeadlineExceeded):
		f.add("body", "took too long")
	default:
		f.add("body", "is not well-formed multipart/form-data")
	}
	e := parley.WrapError(parley.CodeInvalidBody, err)
	e.Details = f.details
	return e
}

func (fm *Form) readPart(up *Upload, p *multipart.Part, dir string, f *faults) error {
	switch name := p.FormName(); {
	case fm.MaxFiles > 0:
		return fm.readMultiPart(up, p, dir, f)
	case name == "file" && up.File != nil, name == "name" && up.Name != nil:
		f.add(name, "must be given once")
	case name == "file":
		up.File = &UploadedFile{Name: baseName(p)}
		return fm.saveFile(up.File, p, dir, f)
	case name == "name":
		return readName(up, p, f)
	}
	_, err := io.Copy(io.Discard, p)
	return err
}

func readName(up *Upload, p io.Reader, f *faults) error {
	b, err := io.ReadAll(io.LimitReader(p, maxNameBytes))
	if err != nil {
		return err
	}
	name := parley.StorableText(toUTF8(string(b)))
	switch n := utf8.RuneCountInString(name); {
	case n < 1:
		f.add("name", "must have at least 1 character")
	case n > maxNameChars:
		f.add("name", fmt.Sprintf("must have at most %d characters", maxNameChars))
	case !parley.IsVisible(name):
		f.add("name", invisibleMessage)
	}
	up.Name = &name
	_, err = io.Copy(io.Discard, p)
	return err
}

// saveFile writes a part to the disk.
func (fm *Form) saveFile(to *UploadedFile, p io.Reader, dir string, f *faults) error {
	out, err := os.CreateTemp(dir, "upload-*")
	if err != nil {
		return &diskError{err}
	}
	to.Path = out.Name()
	s := newHashingWriter(out)
	to.Size, err = io.Copy(s, io.LimitReader(p, fm.MaxFileBytes+1))
	if closed := out.Close(); err == nil && closed != nil {
		err = &diskError{closed}
	}
	if err != nil {
		return err
	}
	to.Hash = s.hexSum()
	switch {
	case to.Size > fm.MaxFileBytes:
		f.add(fm.filePart(), fm.tooLarge())
	case to.Size < fm.MinFileBytes:
		f.add(fm.filePart(), "must have at least "+pluralize(float64(fm.MinFileBytes), "byte"))
	}
	_, err = io.Copy(io.Discard, p)
	return err
}

func (fm *Form) tooLarge() string {
	return fmt.Sprintf("must have at most %d MB", (fm.MaxFileBytes+1)>>20)
}

func (fm *Form) filePart() string { return cmp.Or(fm.FilePartName, "file") }

// checkMissing records a fault for each part that is required and missing.
func (fm *Form) checkMissing(up *Upload, f *faults) {
	switch {
	case fm.MaxFiles > 0:
	case fm.RequiredPart == "file" && up.File == nil:
		f.add("file", "is required")
	case fm.RequiredPart == "" && up.File == nil && up.Name == nil:
		f.add("file", "is required where no name is given")
	}
}

// maxTextBytes is the maximum size of a part that is a member of the body.
const maxTextBytes = 256 << 10

// readMultiPart reads a part of a form with MaxFiles: a file, or a member of the body.
func (fm *Form) readMultiPart(up *Upload, p *multipart.Part, dir string, f *faults) error {
	name := p.FormName()
	switch {
	case name != fm.filePart():
		return up.readText(name, p, f)
	case len(up.Files) == fm.MaxFiles:
		f.add(name, fmt.Sprintf("must be given at most %d times", fm.MaxFiles))
		_, err := io.Copy(io.Discard, p)
		return err
	}
	up.Files = append(up.Files, UploadedFile{Name: baseName(p)})
	return fm.saveFile(&up.Files[len(up.Files)-1], p, dir, f)
}

func (up *Upload) readText(name string, p io.Reader, f *faults) error {
	b, err := io.ReadAll(io.LimitReader(p, maxTextBytes+1))
	if err != nil {
		return err
	}
	if len(b) > maxTextBytes {
		f.add(name, fmt.Sprintf("must have at most %d bytes", maxTextBytes))
		_, err = io.Copy(io.Discard, p)
		return err
	}
	if _, twice := up.texts[name]; twice {
		f.add(name, "must be given once")
	}
	if up.texts == nil {
		up.texts = make(map[string]string)
	}
	up.texts[name] = toUTF8(string(b))
	return nil
}

// bindTexts binds the text parts of a form as the members of a JSON body.
func (b *bodyField) bindTexts(dst reflect.Value, texts map[string]string, f *faults) error {
	text := []byte("{}")
	if texts != nil {
		var err error
		if text, err = json.Marshal(texts); err != nil {
			return fmt.Errorf("read a form: %w", err)
		}
	}
	v, err := parseJSON(text)
	if err != nil {
		return jsonError(err)
	}
	b.shape.bind(dst.FieldByIndex(b.fieldIndex), &v, "", f)
	return nil
}

// mediaTypeObject describes the form in the OpenAPI document; b is the shape of the body.
func (fm *Form) mediaTypeObject(c *schemas, b *shape) object {
	if fm.MaxFiles == 0 {
		return fm.singleFileContent()
	}
	schema := c.membersSchema(b)
	file := object{"type": "string", "format": "binary", "description": fm.FileDescription}
	schema["properties"].(object)[fm.filePart()] = object{"type": "array", "maxItems": fm.MaxFiles, "items": file}
	return object{"schema": schema}
}

// partsIdentity identifies the parts of a form with MaxFiles, whatever the order of the texts.
func (up *Upload) partsIdentity() (text string) {
	for _, name := range slices.Sorted(maps.Keys(up.texts)) {
		text += "\ntext " + sha256Hex([]byte(name)) + " " + sha256Hex([]byte(up.texts[name]))
	}
	for _, file := range up.Files {
		text += "\nfile " + sha256Hex([]byte(file.Name)) + " " + file.Hash
	}
	return text
}

// hashingWriter hashes what it writes to the disk. It marks its errors, to tell those of the disk from those of the
// client.
type hashingWriter struct {
	out    io.Writer
	hasher hash.Hash
}

func newHashingWriter(to io.Writer) *hashingWriter { return &hashingWriter{to, sha256.New()} }

func (w *hashingWriter) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	w.hasher.Write(b[:n])
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

func (w *hashingWriter) hexSum() string { return hex.EncodeToString(w.hasher.Sum(nil)) }

// diskError is an error of writing to the disk.
type diskError struct{ error }

func (e *diskError) Unwrap() error { return e.error }

// identity identifies the content of an upload. It does not depend on the boundary between its parts.
func (up *Upload) identity() []byte {
	text := "upload"
	if up.Name != nil {
		text += "\nname " + sha256Hex([]byte(*up.Name))
	}
	if up.File != nil {
		text += "\nfile " + sha256Hex([]byte(up.File.Name)) + " " + up.File.Hash
	}
	return []byte(text + up.partsIdentity())
}

// discard removes the files that have not been moved elsewhere.
func (up *Upload) discard() {
	if up == nil {
		return
	}
	for _, file := range up.Files {
		_ = os.Remove(file.Path) // a file that remains is removed later by a sweep
	}
	if up.File != nil && up.File.Path != "" {
		_ = os.Remove(up.File.Path) // a file that remains is removed later by a sweep
	}
}

// uploadIn returns the upload of a bound input, or nil.
func (in *input) uploadIn(v reflect.Value) *Upload {
	if in.upload == nil {
		return nil
	}
	up, _ := v.FieldByIndex(in.upload).Interface().(*Upload)
	return up
}

// singleFileContent describes a form with one file in the OpenAPI document.
func (fm *Form) singleFileContent() object {
	schema := object{"type": "object", "properties": object{
		"name": object{"type": "string", "minLength": 1, "maxLength": maxNameChars,
			"description": "A name to show; a new file has its own where this is missing."},
		"file": object{"type": "string", "format": "binary", "description": fm.FileDescription},
	}}
	if fm.RequiredPart != "" {
		schema["required"] = []string{fm.RequiredPart}
	}
	return object{"schema": schema}
}
