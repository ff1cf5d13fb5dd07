package wire

import (
	"encoding/json"
	"reflect"

	"parley"
)

// Decode binds a JSON text into the struct that dst points to, by the rules of request bodies, for texts that come another way
// than by HTTP. Members that the struct does not know are refused at every depth. Fails with VALIDATION_INVALID_BODY and dotted
// details, or with VALIDATION_INVALID_JSON.
func Decode(text json.RawMessage, dst any) error {
	v, err := parseJSON(text)
	if err != nil {
		return notJSON(err)
	}
	into := reflect.ValueOf(dst).Elem()
	s := shapeOf(into.Type(), "")
	s.tighten()
	if !s.fits(&v) {
		return parley.Failf(parley.CodeInvalidBody, "It %s.", s.wants())
	}
	var f faults
	s.fill(into, &v, "", &f)
	return f.err()
}

// tighten makes every object of the shape strict.
func (s *shape) tighten() {
	s.strict = true
	for i := range s.fields {
		s.fields[i].shape.tighten()
	}
	for _, inner := range []*shape{s.elem, s.either[0], s.either[1]} {
		if inner != nil {
			inner.tighten()
		}
	}
}
