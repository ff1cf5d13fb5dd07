package sqldb

import (
	"bytes"
	"io/fs"
	"strings"
)

// renderedFS shows migration files in goose's format, holding only the statements of the dialect.
type renderedFS struct {
	fs.FS
	dialect Dialect
}

func (r renderedFS) Open(name string) (fs.File, error) {
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

func (r renderedFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }

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
	for _, s := range splitStatements(text) {
		if s.dialect == 0 || s.dialect == dialect {
			b.WriteString("-- +goose StatementBegin\n" + s.text + "-- +goose StatementEnd\n")
		}
	}
	return b.String()
}

type dialectStatement struct {
	dialect Dialect // 0 = both
	text    string
}

// splitStatements cuts the file at each semicolon that ends a line, leaving the bodies of triggers and of $$ functions
// whole.
func splitStatements(text string) []dialectStatement {
	var all []dialectStatement
	var s dialectStatement
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(stripComment(line))
		switch strings.TrimSpace(line) {
		case "-- postgres:":
			s.dialect = Postgres
			continue
		case "-- sqlite:":
			s.dialect = SQLite
			continue
		}
		if bare == "" && s.text == "" {
			continue // comments before a statement are for the reader of the file
		}
		s.text += strings.TrimRight(line, "\r\n") + "\n"
		if endsStatement(s.text, bare) {
			all = append(all, s)
			s = dialectStatement{}
		}
	}
	if s.text != "" {
		all = append(all, s)
	}
	return all
}

// stripComment is the line without a comment at its end.
func stripComment(line string) string {
	for i := 0; i < len(line); {
		switch {
		case strings.HasPrefix(line[i:], "--"):
			return line[:i]
		case line[i] == '\'' || line[i] == '"':
			i += quotedLength(line[i:])
		default:
			i++
		}
	}
	return line
}

func endsStatement(statement, line string) bool {
	if !strings.HasSuffix(line, ";") || strings.Count(statement, "$$")%2 == 1 {
		return false
	}
	statement = strings.ToLower(statement)
	if strings.HasPrefix(statement, "create trigger") && !strings.Contains(statement, "execute function") {
		return strings.EqualFold(line, "end;")
	}
	return true
}
