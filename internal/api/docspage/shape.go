package docspage

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rowView is a parameter, or a member of a shape.
type rowView struct {
	Name, Place string
	Mark        string // "required" in what is sent, "optional" in what comes back
	Type        []piece
	Rules, Text string
}

const (
	required = "required"
	optional = "optional"
)

// piece is a part of a type's name. If it names a shape, it links to it.
type piece struct{ Text, Shape string }

// memberRows lists the members of an object, and marks either the required or the optional ones. Members of objects
// that are no components are listed inline, with dotted names.
func memberRows(s *openSchema, above, mark string) []rowView {
	var rows []rowView
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		row := rowView{Name: above + name, Type: typePieces(p), Rules: describeRules(p), Text: p.Description}
		if slices.Contains(s.Required, name) == (mark == required) {
			row.Mark = mark
		}
		rows = append(append(rows, row), memberRows(p, above+name+".", mark)...)
		if p.Items != nil {
			rows = append(rows, memberRows(p.Items, above+name+"[].", mark)...)
		}
	}
	return rows
}

// typePieces describes a type for people.
func typePieces(s *openSchema) []piece {
	switch {
	case s == nil:
		return []piece{{Text: "any JSON"}}
	case s.Ref != "":
		name := schemaName(s.Ref)
		return []piece{{name, name}}
	case len(s.OneOf) > 0:
		return joinPieces(s.OneOf, typePieces)
	}
	names := typeNames(s.Type)
	if len(names) == 0 {
		return []piece{{Text: "any JSON"}}
	}
	return joinPieces(names, s.namedType)
}

func (s *openSchema) namedType(name string) []piece {
	switch name {
	case "array":
		return append([]piece{{Text: "array of "}}, typePieces(s.Items)...)
	case "object":
		var values openSchema
		if json.Unmarshal(s.AdditionalProperties, &values) == nil && len(s.AdditionalProperties) > 2 {
			return append([]piece{{Text: "object of "}}, typePieces(&values)...)
		}
	}
	return []piece{{Text: name}}
}

// joinPieces describes a choice.
func joinPieces[T any](choices []T, describe func(T) []piece) []piece {
	var all []piece
	for i, each := range choices {
		if i > 0 {
			all = append(all, piece{Text: " or "})
		}
		all = append(all, describe(each)...)
	}
	return all
}

func typeNames(t any) []string {
	switch t := t.(type) {
	case string:
		return []string{t}
	case []any:
		var names []string
		for _, each := range t {
			names = append(names, fmt.Sprint(each))
		}
		return names
	}
	return nil
}

// describeRules describes the constraints on a value.
func describeRules(s *openSchema) string {
	if s == nil {
		return ""
	}
	var rules []string
	add := func(format string, args ...any) { rules = append(rules, fmt.Sprintf(format, args...)) }
	if len(s.Enum) == 1 {
		add("always %s", formatEnum(s.Enum))
	} else if len(s.Enum) > 0 {
		add("one of %s", formatEnum(s.Enum))
	}
	if s.Items != nil && len(s.Items.Enum) > 0 {
		add("each one of %s", formatEnum(s.Items.Enum))
	}
	for _, b := range []struct {
		minimum, maximum *float64
		unit             string
	}{{s.Minimum, s.Maximum, ""}, {s.MinLength, s.MaxLength, " characters"}, {s.MinItems, s.MaxItems, " items"}} {
		if text := formatRange(b.minimum, b.maximum); text != "" {
			add("%s", formatCount(text, b.unit))
		}
	}
	if s.Format != "" {
		add("%s", s.Format)
	}
	if s.Pattern != "" {
		add("matches %s", s.Pattern)
	}
	if len(s.Default) > 0 {
		add("default %s", s.Default)
	}
	return strings.Join(rules, "; ")
}

func formatCount(text, unit string) string {
	if text == "at least 1" || text == "at most 1" {
		unit = strings.TrimSuffix(unit, "s")
	}
	return text + unit
}

func formatEnum(enum []any) string {
	var names []string
	for _, v := range enum {
		if v != nil {
			names = append(names, fmt.Sprint(v))
		}
	}
	return strings.Join(names, ", ")
}

func formatRange(minimum, maximum *float64) string {
	number := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case minimum != nil && maximum != nil:
		return number(minimum) + " to " + number(maximum)
	case minimum != nil:
		return "at least " + number(minimum)
	case maximum != nil:
		return "at most " + number(maximum)
	}
	return ""
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// renderMarkdown renders the Markdown that the document uses, which is paragraphs and code, as HTML.
func renderMarkdown(text string) template.HTML {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		b.WriteString("<p>" + codeSpan.ReplaceAllString(html.EscapeString(paragraph), "<code>$1</code>") + "</p>")
	}
	return template.HTML(b.String()) //nolint:gosec // escaped above
}
