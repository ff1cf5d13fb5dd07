package store

import (
	"context"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// PassagesByID finds those of the passages that are still there, in no order. It is the operator's view and asks for no
// account.
func (db *DB) PassagesByID(ctx context.Context, ids []parley.PassageID) ([]parley.Passage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return sqldb.All(ctx, db.sql, scanPassage, `select p.id, p.source_id, p.version_id, p.ordinal, p.heading, p.start_byte, p.end_byte, p.text, s.name, s.url
		from passages p join sources s on s.id = p.source_id and s.account_id = p.account_id where p.id in `+placeholders(len(ids)), toAny(ids)...)
}

func scanPassage(scan sqldb.Scan) (p parley.Passage, err error) {
	err = scan(&p.ID, &p.SourceID, &p.VersionID, &p.Ordinal, &p.Heading, &p.Start, &p.End, &p.Text, &p.SourceName, &p.SourceURL)
	return p, err
}

// MessagesByID finds those of the messages that are still there, in no order. It is the operator's view and asks for no
// account.
func (db *DB) MessagesByID(ctx context.Context, ids []parley.MessageID) ([]parley.Message, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	scan := func(scan sqldb.Scan) (m parley.Message, err error) {
		found, err := scanMessage(scanFunc(scan))
		if err != nil {
			return m, err
		}
		return *found, nil
	}
	return sqldb.All(ctx, db.sql, scan, `select `+messageColumns+` from messages where type = 'reply' and id in `+placeholders(len(ids)), toAny(ids)...)
}

// scanFunc is a row that is there only as its Scan.
type scanFunc sqldb.Scan

func (s scanFunc) Scan(dest ...any) error { return s(dest...) }

// placeholders writes n parameters in parentheses.
func placeholders(n int) string { return "(?" + strings.Repeat(", ?", n-1) + ")" }

func toAny[T any](list []T) []any {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	return args
}
