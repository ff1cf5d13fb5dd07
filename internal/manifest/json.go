package manifest

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// parseObject reads an object; nil text is an empty one.
func parseObject(text json.RawMessage) (map[string]json.RawMessage, error) {
	m := map[string]json.RawMessage{}
	if text == nil {
		return m, nil
	}
	err := json.Unmarshal(text, &m)
	if err == nil && m == nil { // null
		m = map[string]json.RawMessage{}
	}
	return m, err
}

// mergeObjects returns an object with the members of both; those of over win.
func mergeObjects(under, over json.RawMessage) (json.RawMessage, error) {
	low, err := parseObject(under)
	if err != nil {
		return nil, err
	}
	high, err := parseObject(over)
	if err != nil {
		return nil, err
	}
	for name, v := range high {
		low[name] = v
	}
	return json.Marshal(low)
}

// differences returns those members of two objects that differ, or nil twice.
func differences(before, after json.RawMessage) (oldParts, newParts json.RawMessage) {
	b, errB := parseObject(before)
	a, errA := parseObject(after)
	if errB != nil || errA != nil {
		return before, after
	}
	differ := map[string]json.RawMessage{}
	for name, v := range a {
		if !equalJSON(b[name], v) {
			differ[name] = v
		}
	}
	for name := range b {
		if a[name] == nil {
			differ[name] = nil
		}
	}
	if len(differ) == 0 {
		return nil, nil
	}
	return selectMembers(before, differ), selectMembers(after, differ)
}

// equalJSON reports whether two texts are the same JSON, whatever the order of members and the white space.
func equalJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decodeJSON(a)
	y, errY := decodeJSON(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// decodeJSON decodes JSON with numbers as they are written: a float would lose digits of large ones.
func decodeJSON(text json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// selectMembers returns the object with the members that are named, in the order they have.
func selectMembers(object json.RawMessage, named map[string]json.RawMessage) json.RawMessage {
	out := bytes.NewBufferString("{")
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return object
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return object
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return object
		}
		if _, ok := named[name.(string)]; !ok {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(mustJSON(name))
		out.WriteByte(':')
		out.Write(v)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func jsonObject(name string, value any) json.RawMessage { return mustJSON(map[string]any{name: value}) }

// mustJSON writes a value of ours as JSON.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own types always encode
	}
	return b
}
