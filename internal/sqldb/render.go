package sqldb

import (
	"bytes"
	"io/fs"
	"strings"
)

// rendered shows migration files in goose's format, holding only the statements of the dialect.
type rendered struct {
	fs.FS
	dialect Dialect
}

func (r rendered) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return f, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(r.FS, name)
	if err != nil {
		return nil, err
	}
	out := render(string(text), r.dialect)
	return &renderedFile{Reader: bytes.NewReader([]byte(out)), info: renderedInfo{info, int64(len(out))}}, nil
}

func (r rendered) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }

type renderedFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *renderedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *renderedFile) Close() error               { return nil }

type renderedInfo struct {
	fs.FileInfo
	size int64
}

func (i renderedInfo) Size() int64 { return i.size }

func render(text string, dialect Dialect) string {
	var b strings.Builder
	b.WriteString("-- +goose Up\n")
	for _, s := range split(text) {
		if s.only == 0 || s.only == dialect {
			b.WriteString("-- +goose StatementBegin\n" + s.text + "-- +goose StatementEnd\n")
		}
	}
	return b.String()
}

type marked struct {
	only Dialect // 0 = both
	text string
}

// split cuts the file at each semicolon that ends a line, leaving the bodies of triggers and of $$ functions whole.
func split(text string) []marked {
	var all []marked
	var s marked
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(uncommented(line))
		switch strings.TrimSpace(line) {
		case "-- postgres:":
			s.only = Postgres
			continue
		case "-- sqlite:":
			s.only = SQLite
			continue
		}
		if bare == "" && s.text == "" {
			continue // comments before a statement are for the reader of the file
		}
		s.text += strings.TrimRight(line, "\r\n") + "\n"
		if ends(s.text, bare) {
			all = append(all, s)
			s = marked{}
		}
	}
	if s.text != "" {
		all = append(all, s)
	}
	return all
}

// uncommented is the line without a comment at its end.
func uncommented(line string) string {
	for i := 0; i < len(line); {
		switch {
		case strings.HasPrefix(line[i:], "--"):
			return line[:i]
		case line[i] == '\'' || line[i] == '"':
			i += span(line[i:])
		default:
			i++
		}
	}
	return line
}

func ends(statement, line string) bool {
	if !strings.HasSuffix(line, ";") || strings.Count(statement, "$$")%2 == 1 {
		return false
	}
	statement = strings.ToLower(statement)
	if strings.HasPrefix(statement, "create trigger") && !strings.Contains(statement, "execute function") {
		return strings.EqualFold(line, "end;")
	}
	return true
}
