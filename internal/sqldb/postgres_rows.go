package sqldb

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgresRows is the cursor over the rows of a statement on PostgreSQL.
type postgresRows struct {
	rows    pgx.Rows
	types   *pgtype.Map
	onFirst bool // the first row has been read, and Next has not been called
}

func (r *postgresRows) Next() bool {
	if r.onFirst {
		r.onFirst = false
		return true
	}
	return r.rows.Next()
}

func (r *postgresRows) Err() error { return r.rows.Err() }

func (r *postgresRows) Close() error {
	r.onFirst = false
	r.rows.Close()
	return r.rows.Err()
}

// Scan copies the columns of the row into the pointers, as database/sql does.
func (r *postgresRows) Scan(dest ...any) error {
	values, fields := r.rows.RawValues(), r.rows.FieldDescriptions()
	if len(values) != len(dest) {
		return fmt.Errorf("%d columns, %d destinations", len(values), len(dest))
	}
	for i, raw := range values {
		if err := r.scanColumn(raw, fields[i].DataTypeOID, fields[i].Format, dest[i]); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// scanColumn copies a column into dest. Texts and integers take a short path, since most columns are of these types.
func (r *postgresRows) scanColumn(raw []byte, oid uint32, format int16, dest any) error {
	if raw == nil {
		return assign(dest, nil)
	}
	switch oid {
	case pgtype.TextOID, pgtype.VarcharOID:
		if d, ok := dest.(*string); ok {
			*d = string(raw)
			return nil
		}
		return assign(dest, string(raw))
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID:
		if format == pgx.BinaryFormatCode {
			return assignInt(dest, binaryInt(raw))
		}
	}
	v, err := r.value(raw, oid, format)
	if err != nil {
		return err
	}
	return assign(dest, v)
}

func binaryInt(raw []byte) int64 {
	switch len(raw) {
	case 8:
		return int64(binary.BigEndian.Uint64(raw)) //nolint:gosec // its sign is in the first bit
	case 4:
		return int64(int32(binary.BigEndian.Uint32(raw))) //nolint:gosec // as above
	}
	return int64(int16(binary.BigEndian.Uint16(raw))) //nolint:gosec // as above
}

// value returns a column as int64, float64, bool or []byte, and any other type as string.
func (r *postgresRows) value(raw []byte, oid uint32, format int16) (any, error) {
	switch oid {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID:
		return scanAs[int64](r.types, raw, oid, format)
	case pgtype.Float8OID, pgtype.Float4OID:
		if oid == pgtype.Float8OID && format == pgx.BinaryFormatCode {
			return math.Float64frombits(binary.BigEndian.Uint64(raw)), nil
		}
		return scanAs[float64](r.types, raw, oid, format)
	case pgtype.BoolOID:
		return scanAs[bool](r.types, raw, oid, format)
	case pgtype.ByteaOID:
		return scanAs[[]byte](r.types, raw, oid, format)
	}
	return scanAs[string](r.types, raw, oid, format)
}

func scanAs[T any](types *pgtype.Map, raw []byte, oid uint32, format int16) (any, error) {
	var v T
	err := types.Scan(oid, format, raw, &v)
	return v, err
}
