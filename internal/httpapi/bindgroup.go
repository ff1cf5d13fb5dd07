package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func (s *shape) bindList(dst reflect.Value, v *value, path string, f *faults) {
	f.add(path, s.rules.checkSize(float64(len(v.items)), "item"))
	list := reflect.MakeSlice(s.typ, len(v.items), len(v.items))
	for i := range v.items {
		s.elem.bind(list.Index(i), &v.items[i], join(path, strconv.Itoa(i)), f)
	}
	dst.Set(list)
}

func (s *shape) bindMap(dst reflect.Value, v *value, path string, f *faults) {
	f.add(path, s.rules.checkSize(float64(len(v.members)), "member"))
	m := reflect.MakeMapWithSize(s.typ, len(v.members))
	for i := range v.members {
		name := StripNUL(string(v.members[i].key))
		at := join(path, name)
		if s.keys != nil && !slices.Contains(s.keys, name) {
			f.add(at, "is not one of: "+strings.Join(s.keys, ", "))
			continue
		}
		item := reflect.New(s.typ.Elem()).Elem()
		s.elem.bind(item, &v.members[i].value, at, f)
		m.SetMapIndex(reflect.ValueOf(name), item)
	}
	dst.Set(m)
}

// bindObject binds the members that the shape knows; the others are ignored, or faults where the shape is strict. No
// object of the interface has more than 64.
func (s *shape) bindObject(dst reflect.Value, v *value, path string, f *faults) {
	var found uint64
	for i := range v.members {
		fd, ok := s.byName[string(v.members[i].key)]
		if !ok {
			s.rejectUnknown(v.members[i].key, path, f)
			continue
		}
		found |= 1 << fd.position
		fd.shape.bind(dst.FieldByIndex(fd.index), &v.members[i].value, join(path, fd.name), f)
	}
	for i := range s.fields {
		if found&(1<<i) == 0 {
			s.fields[i].bindAbsent(dst, path, f)
		}
	}
}

func (fd *field) bindAbsent(dst reflect.Value, path string, f *faults) {
	s := fd.shape
	switch {
	case s.rules.defaultText != "":
		text := []byte(s.rules.defaultText)
		if s.kind == kindText {
			text, _ = json.Marshal(s.rules.defaultText)
		}
		v, err := parseJSON(text)
		if err != nil {
			panic("wire: the default of " + fd.name + " is no JSON")
		}
		s.bind(dst.FieldByIndex(fd.index), &v, join(path, fd.name), f)
	case fd.required:
		f.add(join(path, fd.name), "is required")
	}
}

// bindEither binds the first shape that fits by its kind and by its constant fields.
func (s *shape) bindEither(dst reflect.Value, v *value, path string, f *faults) {
	for i, each := range s.either {
		if each.matchesKind(v) && each.matchesConstants(v) {
			each.bindValue(reflect.ValueOf(dst.Addr().Interface().(either).selectShape(i == 1)).Elem(), v, path, f)
			return
		}
	}
	if s.either[0].matchesKind(v) || s.either[1].matchesKind(v) {
		name, values := s.discriminator()
		f.add(join(path, name), "must be one of: "+strings.Join(values, ", "))
		return
	}
	f.add(path, s.eitherExpectation())
}

// eitherExpectation says which two kinds a value may have; of two objects it names what tells them apart.
func (s *shape) eitherExpectation() string {
	first, second := s.either[0].expectation(), s.either[1].expectation()
	if !strings.HasPrefix(second, first) { // of a choice within the choice, the second says more
		return first + " or " + strings.TrimPrefix(second, "must be ")
	}
	if name, values := s.discriminator(); name != "" {
		return first + " whose " + name + " is " + strings.Join(values, " or ")
	}
	return first
}

// matchesConstants reports whether the constant fields of an object have their value.
func (s *shape) matchesConstants(v *value) bool {
	if s.kind == kindEither {
		return s.either[0].matchesConstants(v) || s.either[1].matchesConstants(v)
	}
	for i := range s.fields {
		want, ok := s.fields[i].shape.constant()
		if !ok {
			continue
		}
		for j := range v.members {
			if m := &v.members[j]; string(m.key) == s.fields[i].name {
				return m.value.kind == jsonString && string(unquote(m.value.raw)) == want
			}
		}
		return false
	}
	return true
}

func (s *shape) discriminator() (name string, values []string) {
	for _, each := range s.either {
		if each.kind == kindEither {
			inner, more := each.discriminator()
			name, values = inner, append(values, more...)
		}
		for i := range each.fields {
			if want, ok := each.fields[i].shape.constant(); ok {
				name, values = each.fields[i].name, append(values, want)
			}
		}
	}
	return name, values
}
