package sqldb

import (
	"database/sql"
	"fmt"
	"reflect"
	"strconv"
)

// assign stores a column's value (int64, float64, bool, []byte, string or nil) in a pointer, as database/sql does.
func assign(dest, v any) error {
	switch d := dest.(type) {
	case *any:
		*d = v
		return nil
	case sql.Scanner:
		return d.Scan(v)
	case *[]byte:
		*d = bytesOf(v)
		return nil
	}
	if n, ok := v.(int64); ok {
		return assignInt(dest, n)
	}
	return assignReflected(reflect.ValueOf(dest), v)
}

// assignInt is assign for an integer, as most columns are texts and integers.
func assignInt(dest any, n int64) error {
	switch d := dest.(type) {
	case *int64:
		*d = n
	case *int:
		*d = int(n)
	case *bool:
		return setBool(d, n)
	case *any:
		*d = n
	case sql.Scanner:
		return d.Scan(n)
	default:
		return assignReflected(reflect.ValueOf(dest), n)
	}
	return nil
}

func setBool(dest *bool, n int64) error {
	if n != 0 && n != 1 {
		return fmt.Errorf("%d is no truth value", n)
	}
	*dest = n == 1
	return nil
}

func bytesOf(v any) []byte {
	switch v := v.(type) {
	case nil:
		return nil
	case []byte:
		return v
	}
	return []byte(textOf(v))
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func assignReflected(dest reflect.Value, v any) error {
	if dest.Kind() != reflect.Pointer || dest.IsNil() {
		return fmt.Errorf("the destination is no pointer but %s", dest.Type())
	}
	to := dest.Elem()
	switch {
	case to.Kind() == reflect.Pointer && v == nil:
		to.SetZero()
		return nil
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Interface(), v)
	case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
		to.SetBytes(bytesOf(v))
		return nil
	case v == nil:
		return fmt.Errorf("converting NULL to %s is unsupported", dest.Type())
	}
	return setReflected(to, v)
}

func setReflected(to reflect.Value, v any) error {
	switch {
	case to.Kind() == reflect.String:
		to.SetString(textOf(v))
	case to.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(textOf(v))
		if err != nil {
			return err
		}
		to.SetBool(b)
	case to.CanInt():
		n, err := intOf(v, to.Type())
		if err != nil {
			return err
		}
		to.SetInt(n)
	case to.CanUint():
		n, err := strconv.ParseUint(textOf(v), 10, to.Type().Bits())
		if err != nil {
			return err
		}
		to.SetUint(n)
	case to.CanFloat():
		f, err := strconv.ParseFloat(textOf(v), to.Type().Bits())
		if err != nil {
			return err
		}
		to.SetFloat(f)
	default:
		return fmt.Errorf("a destination of type %s", to.Type())
	}
	return nil
}

func intOf(v any, to reflect.Type) (int64, error) {
	if n, ok := v.(int64); ok && !reflect.Zero(to).OverflowInt(n) {
		return n, nil
	}
	return strconv.ParseInt(textOf(v), 10, to.Bits())
}
