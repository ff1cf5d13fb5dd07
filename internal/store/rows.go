package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"parley"
)

func millis(t time.Time) int64 { return t.UnixMilli() }

func millisOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMilli()
}

func timeFromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func timeOrNil(ms sql.NullInt64) *time.Time {
	if !ms.Valid {
		return nil
	}
	t := timeFromMillis(ms.Int64)
	return &t
}

// textOrNil writes the empty string as null.
func textOrNil[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// toJSON encodes a value of ours; nil slices and nil raw messages become null columns.
func toJSON(v any) any {
	switch v := v.(type) {
	case json.RawMessage:
		if v == nil {
			return nil
		}
		return string(v)
	case []string:
		if v == nil {
			return nil
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("store: %T does not encode: %v", v, err)) // our own types always do
	}
	return string(b)
}

func fromJSON(s sql.NullString, into any) error {
	if !s.Valid || s.String == "" {
		return nil
	}
	return json.Unmarshal([]byte(s.String), into)
}

func rawOrNil(s sql.NullString) json.RawMessage {
	if !s.Valid {
		return nil
	}
	return json.RawMessage(s.String)
}

// mapNotFound turns "no rows" into the noun's own failure and passes everything else on.
func mapNotFound(err error, code parley.Code) error {
	if errors.Is(err, sql.ErrNoRows) {
		return parley.NewError(code)
	}
	return err
}

// requireChanged turns "no row was changed" into the noun's own failure.
func requireChanged(n int64, err error, code parley.Code) error {
	if err == nil && n == 0 {
		return parley.NewError(code)
	}
	return err
}

// The types of this file are places into which a column is scanned.

type textDest[S ~string] struct{ dest *S }

// nullableText reads a text; null is the empty one.
func nullableText[S ~string](dest *S) sql.Scanner { return textDest[S]{dest} }

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

// Scan reads JSON without decoding it; null is nil.
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

type creditsDest struct{ dest **parley.Credits }

// Scan reads credits; null is nil.
func (c creditsDest) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	if *c.dest = nil; n.Valid {
		credits := parley.Credits(n.Int64)
		*c.dest = &credits
	}
	return err
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

// startCursor returns the place after which a list that runs from the newest begins: everything lies after the first
// page's.
func startCursor(ask parley.PageRequest) parley.Cursor {
	if ask.After == nil {
		return parley.Cursor{SortValue: math.MaxInt64}
	}
	return *ask.After
}

// cutPage removes the one item too many from a list, which shows that there is a next page, and returns the cursor
// where this one ends.
func cutPage[T any](list []T, limit int, cursorOf func(T) parley.Cursor) ([]T, *parley.Cursor) {
	if len(list) <= limit {
		return list, nil
	}
	m := cursorOf(list[limit-1])
	return list[:limit], &m
}

func listOrNil[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return toJSON(list)
}

// listJSON encodes a list; nil is [].
func listJSON[T any](list []T) any {
	if list == nil {
		return "[]"
	}
	return toJSON(list)
}

// objectJSON writes an object that is JSON already; nil is {}.
func objectJSON(raw []byte) string {
	if len(raw) == 0 {
		return "{}"
	}
	return string(raw)
}

func numberOrNil(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// placeholders writes n parameters in parentheses.
func placeholders(n int) string { return "(?" + strings.Repeat(", ?", n-1) + ")" }

func toAny[T any](list []T) []any {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	return args
}

func intOrNil(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

// qualifiedColumns puts the name of a table before each column of a list.
func qualifiedColumns(table, columns string) string {
	return strings.ReplaceAll(columns, "\n  ", "\n  "+table+".")
}
