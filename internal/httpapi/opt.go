package httpapi

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Opt is a field that may be absent, null or hold a value.
type Opt[T any] struct {
	Present bool // the field was sent
	Null    bool // it was sent as null
	Value   T
}

// Some returns a field with the value v.
func Some[T any](v T) Opt[T] { return Opt[T]{Present: true, Value: v} }

// IsZero reports whether the field is absent, so that the option omitzero omits it.
func (o Opt[T]) IsZero() bool { return !o.Present }

// Ptr returns the value, or nil when it is absent or null.
func (o Opt[T]) Ptr() *T {
	if !o.Present || o.Null {
		return nil
	}
	return &o.Value
}

// Replace sets dst to the value that was sent, if any. Null, where the body allows it, is the zero value.
func (o Opt[T]) Replace(dst *T) {
	if o.Present {
		*dst = o.Value
	}
}

// MarshalJSON writes the value; absent and null are null.
func (o Opt[T]) MarshalJSON() ([]byte, error) { return Marshal(o.Ptr()) }

func (Opt[T]) elem() reflect.Type { return reflect.TypeFor[T]() }

func (o *Opt[T]) set(null bool) any {
	o.Present, o.Null = true, null
	return &o.Value
}

// opt is implemented by every *Opt.
type opt interface {
	elem() reflect.Type
	set(null bool) any
}

// Raw is a value of type T as JSON. When it is bound from a request it holds T as it was bound: validated, without
// unknown fields, and with defaults. Nil is null.
type Raw[T any] json.RawMessage

// MarshalJSON returns the JSON.
func (r Raw[T]) MarshalJSON() ([]byte, error) { return json.RawMessage(r).MarshalJSON() }

func (Raw[T]) elem() reflect.Type { return reflect.TypeFor[T]() }

func (r *Raw[T]) setJSON(b []byte) { *r = b }

type raw interface {
	elem() reflect.Type
	setJSON([]byte)
}

// Either is a value of one of two types, which differ by their kind of JSON or, for two objects, by a field whose
// enum has one value.
type Either[A, B any] struct {
	A *A
	B *B
}

// MarshalJSON encodes the value that is set.
func (e Either[A, B]) MarshalJSON() ([]byte, error) {
	if e.A != nil {
		return Marshal(e.A)
	}
	return Marshal(e.B)
}

// Value returns a pointer to the value that is set; of a choice within the choice, to the value chosen there.
func (e Either[A, B]) Value() any {
	if e.A != nil {
		return innermost(e.A)
	}
	return innermost(e.B)
}

func innermost(v any) any {
	if inner, ok := v.(interface{ Value() any }); ok {
		return inner.Value()
	}
	return v
}

func (Either[A, B]) shapeTypes() [2]reflect.Type {
	return [2]reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B]()}
}

func (e *Either[A, B]) selectShape(second bool) any {
	if second {
		e.B = new(B)
		return e.B
	}
	e.A = new(A)
	return e.A
}

type either interface {
	shapeTypes() [2]reflect.Type
	selectShape(second bool) any
}

// Marshal is json.Marshal without the escapes meant for HTML pages.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// MergeJSON replaces stored members by those that were sent, objects member by member.
func MergeJSON(stored, sent json.RawMessage) (json.RawMessage, error) {
	var merged, changed map[string]json.RawMessage
	if json.Unmarshal(sent, &changed) != nil || changed == nil { // not an object: it replaces what was there
		return sent, nil //nolint:nilerr // see above
	}
	if json.Unmarshal(stored, &merged) != nil || merged == nil {
		merged = map[string]json.RawMessage{}
	}
	for name, value := range changed {
		var err error
		if merged[name], err = MergeJSON(merged[name], value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(merged)
}

// ConvertList converts each item of a list. The result is never nil.
func ConvertList[From, To any](list []From, convert func(*From) To) []To {
	out := make([]To, len(list))
	for i := range list {
		out[i] = convert(&list[i])
	}
	return out
}
