package httpapi

import (
	"bytes"
	"unicode/utf8"
)

func (p *parser) parseArray(depth int) (value, error) {
	v := value{kind: jsonArray}
	if p.skipSpace(); p.peek() == ']' {
		p.pos++
		return v, nil
	}
	for {
		p.skipSpace()
		item, err := p.parseValue(depth)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
		if more, err := p.nextSeparator(']'); !more {
			return v, err
		}
	}
}

func (p *parser) parseObject(depth int) (value, error) {
	v := value{kind: jsonObject}
	if p.skipSpace(); p.peek() == '}' {
		p.pos++
		return v, nil
	}
	var seen keySet
	for {
		m, err := p.parseMember(depth)
		if err != nil {
			return v, err
		}
		if !seen.add(v.members, m.key) {
			return v, p.fail("the name " + quoteName(m.key) + " appears twice in one object")
		}
		v.members = append(v.members, m)
		if more, err := p.nextSeparator('}'); !more {
			return v, err
		}
	}
}

func (p *parser) parseMember(depth int) (m member, err error) {
	p.skipSpace()
	start := p.pos
	if p.peek() != '"' {
		return m, p.fail("a name in double quotes is expected")
	}
	if err := p.skipString(); err != nil {
		return m, err
	}
	m.key = unquote(p.text[start:p.pos])
	if p.skipSpace(); p.peek() != ':' {
		return m, p.fail("a colon is expected after a name")
	}
	p.pos++
	p.skipSpace()
	m.value, err = p.parseValue(depth)
	return m, err
}

// nextSeparator steps over a comma, or over the closing bracket.
func (p *parser) nextSeparator(closing byte) (bool, error) {
	p.skipSpace()
	switch p.peek() {
	case ',':
		p.pos++
		return true, nil
	case closing:
		p.pos++
		return false, nil
	}
	if p.pos == len(p.text) {
		return false, p.fail("it ends too early")
	}
	return false, p.fail("a comma or " + string(closing) + " is expected")
}

// keySet tells whether a name was seen before: by looking along short objects, by a map for long ones.
type keySet struct{ names map[string]struct{} }

func (s *keySet) add(members []member, key []byte) bool {
	if s.names == nil && len(members) < 16 {
		for _, m := range members {
			if bytes.Equal(m.key, key) {
				return false
			}
		}
		return true
	}
	if s.names == nil {
		s.names = make(map[string]struct{}, 2*len(members))
		for _, m := range members {
			s.names[string(m.key)] = struct{}{}
		}
	}
	_, dup := s.names[string(key)]
	s.names[string(key)] = struct{}{}
	return !dup
}

// quoteName shows a name of the caller's, shortened, in a message to the caller.
func quoteName(key []byte) string {
	const most = 60
	if len(key) > most {
		cut := most
		for !utf8.RuneStart(key[cut]) {
			cut--
		}
		return `"` + string(key[:cut]) + `…"`
	}
	return `"` + string(key) + `"`
}
