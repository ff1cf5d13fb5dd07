package sqldb

import (
	"slices"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	cases := []struct {
		name, text       string
		sqlite, postgres []string
	}{
		{"both", "create table a (id text);\ncreate table b (id text); -- why\n",
			[]string{"create table a (id text);", "create table b (id text); -- why"},
			[]string{"create table a (id text);", "create table b (id text); -- why"}},
		{"a mark holds for one statement", "-- sqlite:\na;\nb;\n-- postgres:\nc;\n-- a comment; with a semicolon\nd;",
			[]string{"a;", "b;", "d;"}, []string{"b;", "c;", "d;"}},
		{"several lines", "create table a (\n  id text, -- the id;\n  note text default ';--'\n);\n",
			[]string{"create table a (\n  id text, -- the id;\n  note text default ';--'\n);"},
			[]string{"create table a (\n  id text, -- the id;\n  note text default ';--'\n);"}},
		{"a trigger is one statement",
			"-- sqlite:\ncreate trigger t after insert on a begin\n  delete from b;\n  delete from c;\nend;\nx;",
			[]string{"create trigger t after insert on a begin\n  delete from b;\n  delete from c;\nend;", "x;"},
			[]string{"x;"}},
		{"a function is one statement",
			"-- postgres:\ncreate function f() returns void as $$\nbegin\n  x;\nend;\n$$ language plpgsql;\ny;",
			[]string{"y;"}, []string{"create function f() returns void as $$\nbegin\n  x;\nend;\n$$ language plpgsql;", "y;"}},
		{"no semicolon at the end", "a;\nb", []string{"a;", "b"}, []string{"a;", "b"}},
	}
	for _, c := range cases {
		for dialect, want := range map[Dialect][]string{SQLite: c.sqlite, Postgres: c.postgres} {
			var got []string
			text := strings.TrimPrefix(render(c.text, dialect), "-- +goose Up\n")
			for part := range strings.SplitSeq(text, "-- +goose StatementBegin\n") {
				if part != "" {
					got = append(got, strings.TrimSuffix(part, "\n-- +goose StatementEnd\n"))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", c.name, dialect, got, want)
			}
		}
	}
}
