package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley"
)

func errorsJoin(errs ...error) error { return errors.Join(errs...) }

// rowScanner is what a scan function reads from: *sql.Row and *sql.Rows both are.
type rowScanner interface{ Scan(dest ...any) error }

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
