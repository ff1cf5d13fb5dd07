package store

import (
	"database/sql"
	"encoding/json"
	"time"
)

// The types of this file are places into which a column is scanned.

type orEmpty[S ~string] struct{ to *S }

// Scan reads a text; null is the empty one.
func (o orEmpty[S]) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*o.to = S(s.String)
	return err
}

type timeInto struct{ to *time.Time }

// Scan reads milliseconds.
func (t timeInto) Scan(v any) error {
	var ms sql.NullInt64
	err := ms.Scan(v)
	*t.to = timeOf(ms.Int64)
	return err
}

type optTime struct{ to **time.Time }

// Scan reads milliseconds; null is nil.
func (t optTime) Scan(v any) error {
	var ms sql.NullInt64
	err := ms.Scan(v)
	*t.to = timeOrNil(ms)
	return err
}

type optInt struct{ to **int }

// Scan reads a number; null is nil.
func (i optInt) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	if *i.to = nil; n.Valid {
		whole := int(n.Int64)
		*i.to = &whole
	}
	return err
}

type rawInto struct{ to *json.RawMessage }

// Scan reads JSON as it stands; null is nil.
func (j rawInto) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*j.to = rawOrNil(s)
	return err
}

type jsonInto struct{ to any }

// Scan decodes JSON; null changes nothing.
func (j jsonInto) Scan(v any) error {
	var s sql.NullString
	if err := s.Scan(v); err != nil {
		return err
	}
	return fromJSON(s, j.to)
}

type numberInto struct{ to *int64 }

// Scan reads a number; null is 0.
func (i numberInto) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*i.to = n.Int64
	return err
}

type bitInto struct{ to *bool }

// Scan reads a 0 or a 1; null is 0.
func (b bitInto) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*b.to = n.Int64 == 1
	return err
}
