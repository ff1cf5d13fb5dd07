package store

import (
	"database/sql"
	"encoding/json"
	"time"
)

// The types of this file are places into which a column is scanned.

type textDest[S ~string] struct{ dest *S }

// Scan reads a text; null is the empty one.
func (o textDest[S]) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*o.dest = S(s.String)
	return err
}

type timeDest struct{ dest *time.Time }

// Scan reads milliseconds.
func (t timeDest) Scan(v any) error {
	var ms sql.NullInt64
	err := ms.Scan(v)
	*t.dest = timeFromMillis(ms.Int64)
	return err
}

type timePointerDest struct{ dest **time.Time }

// Scan reads milliseconds; null is nil.
func (t timePointerDest) Scan(v any) error {
	var ms sql.NullInt64
	err := ms.Scan(v)
	*t.dest = timeOrNil(ms)
	return err
}

type intPointerDest struct{ dest **int }

// Scan reads a number; null is nil.
func (i intPointerDest) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	if *i.dest = nil; n.Valid {
		whole := int(n.Int64)
		*i.dest = &whole
	}
	return err
}

type rawJSONDest struct{ dest *json.RawMessage }

// Scan reads JSON as it stands; null is nil.
func (j rawJSONDest) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*j.dest = rawOrNil(s)
	return err
}

type jsonDest struct{ dest any }

// Scan decodes JSON; null changes nothing.
func (j jsonDest) Scan(v any) error {
	var s sql.NullString
	if err := s.Scan(v); err != nil {
		return err
	}
	return fromJSON(s, j.dest)
}

type int64Dest struct{ dest *int64 }

// Scan reads a number; null is 0.
func (i int64Dest) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*i.dest = n.Int64
	return err
}

type boolDest struct{ dest *bool }

// Scan reads a 0 or a 1; null is 0.
func (b boolDest) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*b.dest = n.Int64 == 1
	return err
}
