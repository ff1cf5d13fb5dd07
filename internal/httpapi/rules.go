package httpapi

import (
	"fmt"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

// rules constrain a value. They are read from the tags of its field.
type rules struct {
	min, max      *float64 // code points, items, or the number itself
	enum          []string
	pattern       *regexp.Regexp
	format        string
	uuid          bool   // an id that is a UUID: its letters may come in either case
	defaultText   string // used when the value is absent
	doc           string
	componentName string // of the component that describes the value; empty when it is described inline
}

// formats are the named forms of text. The pattern of "email" is that of the interface that Parley follows.
var formats = map[string]struct {
	message string
	ok      func(string) bool
}{
	"uuid":  {"must be a UUID", parley.IsUUID},
	"uri":   {"must be an http or https URL", IsHTTPURL},
	"url":   {"must be a URL", isURL}, // of any scheme
	"email": {"must be an e-mail address", isEmail},
	"mail":  {"must be an e-mail address", isMail}, // of customers: letters of all scripts
	"name":  {invisibleMessage, parley.IsVisible},
	"color": {"must be a color such as #1a2b3c", isColor},
	"paint": {"must be a color such as #1a2b3c, or transparent", func(s string) bool {
		return s == "transparent" || isColor(s)
	}},
}

const invisibleMessage = "must have a character that can be seen"

var (
	emailForm = regexp.MustCompile(`^\w+([.+-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,})+$`)
	colorForm = regexp.MustCompile(`^#([0-9A-Fa-f]{3}){1,2}$`)
)

func isEmail(s string) bool { return len(s) <= 320 && emailForm.MatchString(s) }

func isColor(s string) bool { return colorForm.MatchString(s) }

// IsHTTPURL reports whether a text is an http or https URL with a host.
func IsHTTPURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && len(s) > len(u.Scheme)+len(":")
}

func parseRules(tag reflect.StructTag) rules {
	r := rules{format: tag.Get("format"), defaultText: tag.Get("default"), doc: tag.Get("doc"),
		componentName: tag.Get("name")}
	r.uuid = r.format == "uuid" || tag.Get("id") == "uuid"
	r.min, r.max = parseBound(tag.Get("min")), parseBound(tag.Get("max"))
	if s := tag.Get("enum"); s != "" {
		r.enum = tagValues(s)
	}
	switch s := tag.Get("pattern"); s {
	case "":
	case "@key":
		r.pattern = regexp.MustCompile(parley.KeyPattern)
	default:
		r.pattern = regexp.MustCompile(s)
	}
	return r
}

// tagValues returns the values that a tag lists: itself, parted by commas, or as "@name" an enumeration of the root
// package.
func tagValues(tag string) []string {
	name, isReference := strings.CutPrefix(tag, "@")
	if !isReference {
		return strings.Split(tag, ",")
	}
	values := parley.EnumValues(name)
	if values == nil {
		panic("httpapi: no enumeration is named " + name)
	}
	return values
}

func parseBound(s string) *float64 {
	if s == "" {
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("httpapi: a bound that is no number: " + s)
	}
	return &f
}

// itemTag turns "min=1,format=email" into the tag of an item. The values of an enum are separated by bars.
func itemTag(s string) reflect.StructTag {
	var b strings.Builder
	for rule := range strings.SplitSeq(s, ",") {
		if name, v, ok := strings.Cut(rule, "="); ok {
			fmt.Fprintf(&b, "%s:%q ", name, strings.ReplaceAll(v, "|", ","))
		}
	}
	return reflect.StructTag(strings.TrimSpace(b.String()))
}

// normalize returns the text in the form in which it is stored.
func (r *rules) normalize(s string) string {
	if r.uuid {
		return parley.NormalizeUUID(s)
	}
	return s
}

// checkText returns what is wrong with a string, or "".
func (r *rules) checkText(s string) string {
	if r.min != nil || r.max != nil {
		if fault := r.checkSize(float64(utf8.RuneCountInString(s)), "character"); fault != "" {
			return fault
		}
	}
	switch {
	case r.enum != nil && !slices.Contains(r.enum, s):
		return r.oneOfMessage()
	case r.pattern != nil && !r.pattern.MatchString(s):
		return "must match " + r.pattern.String()
	case r.format != "" && !formats[r.format].ok(s):
		return formats[r.format].message
	}
	return ""
}

func (r *rules) oneOfMessage() string { return "must be one of: " + strings.Join(r.enum, ", ") }

func (r *rules) checkSize(n float64, unit string) string {
	switch {
	case r.min != nil && n < *r.min:
		return fmt.Sprintf("must have at least %s", pluralize(*r.min, unit))
	case r.max != nil && n > *r.max:
		return fmt.Sprintf("must have at most %s", pluralize(*r.max, unit))
	}
	return ""
}

func pluralize(n float64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " " + unit + "s"
}

// checkNumber returns what is wrong with a number, or "".
func (r *rules) checkNumber(n float64) string {
	switch {
	case math.IsInf(n, 0) || math.IsNaN(n):
		return "is out of range"
	case r.min != nil && r.max != nil && (n < *r.min || n > *r.max):
		return "must be from " + decimal(*r.min) + " to " + decimal(*r.max)
	case r.min != nil && n < *r.min:
		return "must be at least " + decimal(*r.min)
	case r.max != nil && n > *r.max:
		return "must be at most " + decimal(*r.max)
	}
	return ""
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Maximum length in characters of an address, of its local part, and of one label of its domain.
const (
	maxMailChars  = 320
	maxLocalChars = 64
	maxLabelChars = 63
)

// isMail reports whether s is an address that mail can be sent to: local@domain.tld without a display name. Letters
// of all scripts are accepted on both sides; comments, address literals and hosts without a dot are not.
func isMail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && utf8.RuneCountInString(s) <= maxMailChars && isLocal(s[:at]) && isMailHost(s[at+1:])
}

// isLocal accepts words with single dots between them, or one quoted string.
func isLocal(s string) bool {
	if utf8.RuneCountInString(s) > maxLocalChars {
		return false
	}
	if inside, ok := strings.CutPrefix(s, `"`); ok {
		inside, ok = strings.CutSuffix(inside, `"`)
		return ok && isQuoted(inside)
	}
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || strings.ContainsFunc(word, isNotWordRune) {
			return false
		}
	}
	return true
}

func isNotWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return !isAlnum(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
	}
	return r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So)
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// isQuoted accepts what may be between quotation marks: a backslash escapes the next character.
func isQuoted(s string) bool {
	escaped := false
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7F || r == utf8.RuneError || r >= utf8.RuneSelf && !unicode.IsGraphic(r):
			return false
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			return false
		}
	}
	return s != "" && !escaped
}

// isMailHost accepts two labels or more, the last of which is not a number.
func isMailHost(s string) bool {
	labels := strings.Split(s, ".")
	for _, label := range labels {
		if label == "" || utf8.RuneCountInString(label) > maxLabelChars || label[0] == '-' ||
			label[len(label)-1] == '-' || strings.ContainsFunc(label, isNotLabelRune) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && utf8.RuneCountInString(last) > 1 && strings.Trim(last, "0123456789") != ""
}

func isNotLabelRune(r rune) bool {
	if r < utf8.RuneSelf {
		return !isAlnum(r) && r != '-'
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}
