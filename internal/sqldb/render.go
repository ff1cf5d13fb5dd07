package sqldb

import "strings"

// render returns a migration file in goose's format, holding only the statements of the dialect.
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

// splitStatements splits the file at each semicolon that ends a line, but not inside the bodies of triggers and $$
// functions.
func splitStatements(text string) []dialectStatement {
	var list []dialectStatement
	var s dialectStatement
	for line := range strings.Lines(text) {
		code := strings.TrimSpace(stripComment(line))
		switch strings.TrimSpace(line) {
		case "-- postgres:":
			s.dialect = Postgres
			continue
		case "-- sqlite:":
			s.dialect = SQLite
			continue
		}
		if code == "" && s.text == "" {
			continue // comments before a statement are not part of it
		}
		s.text += strings.TrimRight(line, "\r\n") + "\n"
		if endsStatement(s.text, code) {
			list = append(list, s)
			s = dialectStatement{}
		}
	}
	if s.text != "" {
		list = append(list, s)
	}
	return list
}

// stripComment returns the line without a comment at its end.
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
