package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
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

// requireSome is requireChanged for a queued statement.
func requireSome(code parley.Code) func(affected int64) error {
	return func(affected int64) error { return requireChanged(affected, nil, code) }
}

// The types of this file are places in a noun: a column is scanned into them, and arg is what is written of them.

type textDest[S ~string] struct{ dest *S }

// nullableText is a text; null is the empty one.
func nullableText[S ~string](dest *S) columnDest { return textDest[S]{dest} }

func (t textDest[S]) arg() any { return textOrNil(*t.dest) }

func (t textDest[S]) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*t.dest = S(s.String)
	return err
}

// emailDest is an e-mail address of one of an agent's people as it is kept (composeEmail); null is none.
type emailDest struct{ dest *string }

func (e emailDest) arg() any         { return textOrNil(composeEmail(*e.dest)) }
func (e emailDest) Scan(v any) error { return nullableText(e.dest).Scan(v) }

// timeDest is a time in milliseconds.
type timeDest struct{ dest *time.Time }

func (t timeDest) arg() any { return millis(*t.dest) }

func (t timeDest) Scan(v any) error {
	var ms sql.NullInt64
	err := ms.Scan(v)
	*t.dest = timeFromMillis(ms.Int64)
	return err
}

// timePointerDest is a time in milliseconds; null is nil.
type timePointerDest struct{ dest **time.Time }

func (t timePointerDest) arg() any { return millisOrNil(*t.dest) }

func (t timePointerDest) Scan(v any) error {
	var ms sql.NullInt64
	err := ms.Scan(v)
	*t.dest = timeOrNil(ms)
	return err
}

// durationDest is a duration in whole units.
type durationDest struct {
	dest *time.Duration
	unit time.Duration
}

func (d durationDest) arg() any { return int64(*d.dest / d.unit) }

func (d durationDest) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*d.dest = time.Duration(n.Int64) * d.unit
	return err
}

// rawJSONDest is JSON that is not decoded; null is nil.
type rawJSONDest struct{ dest *json.RawMessage }

func (j rawJSONDest) arg() any { return toJSON(*j.dest) }

func (j rawJSONDest) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*j.dest = rawOrNil(s)
	return err
}

// rawObjectDest is a JSON object that is not decoded; nil is written as {}.
type rawObjectDest struct{ rawJSONDest }

func rawObject(dest *json.RawMessage) columnDest { return rawObjectDest{rawJSONDest{dest}} }

func (r rawObjectDest) arg() any {
	if len(*r.dest) == 0 {
		return "{}"
	}
	return string(*r.dest)
}

// jsonDest is JSON. Null changes nothing.
type jsonDest struct{ dest any }

func (j jsonDest) arg() any { return toJSON(reflect.ValueOf(j.dest).Elem().Interface()) }

func (j jsonDest) Scan(v any) error {
	var s sql.NullString
	if err := s.Scan(v); err != nil {
		return err
	}
	return fromJSON(s, j.dest)
}

// jsonOrDest is JSON that has a form of its own for the zero value.
type jsonOrDest struct {
	jsonDest
	zero any
}

// jsonOr is JSON for which zero is written in place of a zero value, such as "[]" or nil for a nil slice.
func jsonOr(dest, zero any) columnDest { return jsonOrDest{jsonDest{dest}, zero} }

func (j jsonOrDest) arg() any {
	if reflect.ValueOf(j.dest).Elem().IsZero() {
		return j.zero
	}
	return j.jsonDest.arg()
}

// partsTextDest is the text of a message, read of its parts; what cannot be read has none. It is not written.
type partsTextDest struct{ dest *string }

func (p partsTextDest) arg() any { return nil }

func (p partsTextDest) Scan(v any) error {
	var parts sql.NullString
	if err := parts.Scan(v); err != nil {
		return err
	}
	*p.dest = textOfParts(parts.String)
	return nil
}

type listDest[T any] struct{ dest *[]T }

// nullableList is a list as JSON; null is the empty one.
func nullableList[T any](dest *[]T) columnDest { return listDest[T]{dest} }

func (l listDest[T]) Scan(v any) error { return jsonDest{l.dest}.Scan(v) }

func (l listDest[T]) arg() any {
	if len(*l.dest) == 0 {
		return nil
	}
	return toJSON(*l.dest)
}

type numberDest[N ~int | ~int64] struct{ dest *N }

// nullableNumber is a number; null is 0.
func nullableNumber[N ~int | ~int64](dest *N) columnDest { return numberDest[N]{dest} }

func (n numberDest[N]) arg() any {
	if *n.dest == 0 {
		return nil
	}
	return *n.dest
}

func (n numberDest[N]) Scan(v any) error {
	var number sql.NullInt64
	err := number.Scan(v)
	*n.dest = N(number.Int64)
	return err
}

// boolDest is a 0 or a 1; null is 0.
type boolDest struct{ dest *bool }

func (b boolDest) arg() any { return boolToInt(*b.dest) }

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

// firstCursor is startCursor of a list that runs from the oldest to the newest.
func firstCursor(ask parley.PageRequest) parley.Cursor {
	if ask.After == nil {
		return parley.Cursor{SortValue: math.MinInt64}
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

const (
	searchBatch   = 200 // rows that a search reads at a time
	searchBatches = 10  // that it reads for a page
)

// searchPages returns a page of the rows of a list that match. It reads the list in the list's own order, so many rows
// at most, and leaves the others for the next page: a page may have fewer rows than it was asked for, or none.
func searchPages[T any](ask parley.PageRequest, read func(parley.PageRequest) (parley.Page[T], error),
	matches func(*T) bool, cursorOf func(T) parley.Cursor) (parley.Page[T], error) {
	found := parley.Page[T]{Next: ask.After}
	for range searchBatches {
		part, err := read(parley.PageRequest{Limit: searchBatch, After: found.Next})
		if err != nil {
			return parley.Page[T]{}, err
		}
		for i := range part.Items {
			if !matches(&part.Items[i]) {
				continue
			}
			if len(found.Items) == ask.Limit {
				last := cursorOf(found.Items[ask.Limit-1])
				found.Next = &last
				return found, nil
			}
			found.Items = append(found.Items, part.Items[i])
		}
		if found.Next = part.Next; found.Next == nil {
			return found, nil
		}
	}
	return found, nil
}

// containsFold reports whether a part is in a text, whatever the case of their letters.
func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// placeholders writes n parameters in parentheses.
func placeholders(n int) string { return "(?" + strings.Repeat(", ?", n-1) + ")" }

func pointersTo[T any](list []T) []*T {
	pointers := make([]*T, len(list))
	for i := range list {
		pointers[i] = &list[i]
	}
	return pointers
}

func toAny[T any](list []T) []any {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	return args
}
