package wire

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
)

// Form describes the multipart body that an operation takes beside JSON: a part "file", and a part "name"; or, with Files, several
// parts "file", while the others are the members of the body. Its input has a field Upload of type *Upload, which is nil where the
// body is JSON.
type Form struct {
	Needs       string // the part that must be there; empty where either will do
	Least, Most int64  // bytes of a file
	Says        string // of the file, for the document
	Files       int    // most files, where the other parts are the body's members; 0 for one file and its name
	Part        string // of a form with Files: what their part is called; empty for "file"
}

// Upload is a multipart body. Its file lies on the disk until the request is answered; who wants it moves it away before.
type Upload struct {
	Name *string       // nil when the part is missing
	File *UploadedFile // nil when the part is missing

	Files []UploadedFile    // of a form with Files
	texts map[string]string // its other parts
}

// UploadedFile is a file as it was received.
type UploadedFile struct {
	Name string // base name as the client gives it; may be empty
	Path string // where it lies
	Size int64
	Hash string // SHA-256, hex
}

const (
	uploadTime = 5 * time.Minute // the longest a client may take to send a file
	mostParts  = 20
	mostName   = 100 // code points of a name
	partBytes  = 4 << 10
	beside     = 1 << 20 // bytes that the rest of an upload may have
)

// accepts reports whether the body of the request is one that the form describes.
func (fm *Form) accepts(r *http.Request) bool {
	return fm != nil && strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/")
}

// receive reads the body into up, whose file is written into a folder that spool names.
func (fm *Form) receive(up *Upload, w http.ResponseWriter, r *http.Request, spool func() (string, error), f *faults) error {
	most := int64(1+max(1, fm.Files))*fm.Most + beside // what is too large by little is read to its end, so that the client is there to hear so
	if r.ContentLength > most {
		w.Header().Set("Connection", "close")
		f.add(fm.filePart(), fm.tooLarge())
		return nil
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(inTime(uploadTime)) // a writer that has no deadlines is a test's
	body := http.MaxBytesReader(w, r.Body, most)
	dir, err := spool()
	if err != nil {
		pass(w, r, body)
		return err
	}
	if err := fm.parts(up, r, body, dir, f); err != nil {
		w.Header().Set("Connection", "close")
		if ours := (*diskError)(nil); errors.As(err, &ours) {
			_, _ = io.Copy(io.Discard, body) // the client is there to hear so only once it has sent all
		}
		return err
	}
	_ = rc.SetReadDeadline(time.Time{})
	fm.missing(up, f)
	return nil
}

// pass reads a body that nobody wants, unless the client still waits to be asked for it.
func pass(w http.ResponseWriter, r *http.Request, body io.Reader) {
	if r.Header.Get("Expect") == "" {
		_, _ = io.Copy(io.Discard, body) // whatever comes of it, the request is refused
	}
	w.Header().Set("Connection", "close")
}

func (fm *Form) parts(up *Upload, r *http.Request, body io.Reader, dir string, f *faults) error {
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
		if n == mostParts {
			f.add("body", "has too many parts")
			return f.err()
		}
		if err == nil {
			err = fm.part(up, part, dir, f)
		}
		if err != nil {
			return fm.cut(err, f)
		}
	}
}

// cut words the end of a body before its time.
func (fm *Form) cut(err error, f *faults) error {
	var ours *diskError
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &ours):
		return fmt.Errorf("keep an upload: %w", err)
	case errors.As(err, &over):
		f.add(fm.filePart(), fm.tooLarge())
	default:
		f.add("body", "is not well-formed multipart/form-data")
	}
	e := parley.Because(parley.CodeInvalidBody, err)
	e.Details = f.details
	return e
}

func (fm *Form) part(up *Upload, p *multipart.Part, dir string, f *faults) error {
	switch name := p.FormName(); {
	case fm.Files > 0:
		return fm.piece(up, p, dir, f)
	case name == "file" && up.File != nil, name == "name" && up.Name != nil:
		f.add(name, "must be given once")
	case name == "file":
		up.File = &UploadedFile{Name: baseName(p)}
		return fm.file(up.File, p, dir, f)
	case name == "name":
		return readName(up, p, f)
	}
	_, err := io.Copy(io.Discard, p)
	return err
}

func readName(up *Upload, p io.Reader, f *faults) error {
	b, err := io.ReadAll(io.LimitReader(p, partBytes))
	if err != nil {
		return err
	}
	name := Clean(legible(string(b)))
	switch n := utf8.RuneCountInString(name); {
	case n < 1:
		f.add("name", "must have at least 1 character")
	case n > mostName:
		f.add("name", fmt.Sprintf("must have at most %d characters", mostName))
	}
	up.Name = &name
	_, err = io.Copy(io.Discard, p)
	return err
}

// file writes a part to the disk.
func (fm *Form) file(to *UploadedFile, p io.Reader, dir string, f *faults) error {
	out, err := os.CreateTemp(dir, "upload-*")
	if err != nil {
		return &diskError{err}
	}
	to.Path = out.Name()
	s := newSink(out)
	to.Size, err = io.Copy(s, io.LimitReader(p, fm.Most+1))
	if closed := out.Close(); err == nil && closed != nil {
		err = &diskError{closed}
	}
	if err != nil {
		return err
	}
	to.Hash = s.hash()
	switch {
	case to.Size > fm.Most:
		f.add(fm.filePart(), fm.tooLarge())
	case to.Size < fm.Least:
		f.add(fm.filePart(), "must have at least "+count(float64(fm.Least), "byte"))
	}
	_, err = io.Copy(io.Discard, p)
	return err
}

func (fm *Form) tooLarge() string { return fmt.Sprintf("must have at most %d MB", (fm.Most+1)>>20) }

func (fm *Form) filePart() string { return cmp.Or(fm.Part, "file") }

// missing finds parts that should be there.
func (fm *Form) missing(up *Upload, f *faults) {
	switch {
	case fm.Files > 0:
	case fm.Needs == "file" && up.File == nil:
		f.add("file", "is required")
	case fm.Needs == "" && up.File == nil && up.Name == nil:
		f.add("file", "is required where no name is given")
	}
}
