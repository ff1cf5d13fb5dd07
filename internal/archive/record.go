package archive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// A record is a JSON object on one line: a member for each column that is not null, in the order of the table, without
// spaces. So a row has one form only, and what is read is compared with it.

// recordWriter writes records.
type recordWriter struct {
	line bytes.Buffer
	text *json.Encoder // to line
}

func newRecordWriter() *recordWriter {
	w := &recordWriter{}
	w.text = json.NewEncoder(&w.line)
	w.text.SetEscapeHTML(false)
	return w
}

// encode returns the line of a row, with its end. It is valid until the next call.
func (w *recordWriter) encode(t *store.ArchiveTable, row []any) ([]byte, error) {
	w.line.Reset()
	separator := byte('{')
	for i, c := range t.Columns {
		if row[i] == nil {
			continue
		}
		w.line.WriteByte(separator)
		separator = ','
		w.line.WriteString(`"` + c.Name + `":`)
		if err := w.value(c, row[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	w.line.WriteString("}\n")
	return w.line.Bytes(), nil
}

func (w *recordWriter) value(c store.ArchiveColumn, value any) error {
	switch v := value.(type) {
	case int64:
		if c.Kind == store.ArchiveReal {
			return w.real(float64(v))
		}
		if c.Kind.IsNumber() {
			w.line.WriteString(strconv.FormatInt(v, 10))
			return nil
		}
	case float64:
		if c.Kind == store.ArchiveReal {
			return w.real(v)
		}
	case string:
		if c.Kind.IsJSON() {
			return json.Compact(&w.line, []byte(v))
		}
		if !c.Kind.IsNumber() && c.Kind != store.ArchiveReal {
			err := w.text.Encode(v)
			w.line.Truncate(w.line.Len() - 1) // the encoder ends a line
			return err
		}
	}
	return fmt.Errorf("%T is not what the column has", value)
}

func (w *recordWriter) real(v float64) error {
	text, err := json.Marshal(v)
	w.line.Write(text)
	return err
}

// recordReader reads records.
type recordReader struct {
	table *store.ArchiveTable
	again *recordWriter
	last  []any // the key of the row before
}

func newRecordReader(t *store.ArchiveTable) *recordReader {
	return &recordReader{table: t, again: newRecordWriter()}
}

var errNotCanonical = errors.New("it is not in the form in which records are written")

// decode reads the line of a row, with its end.
func (r *recordReader) decode(line []byte) ([]any, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("it is no UTF-8")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	row := make([]any, len(r.table.Columns))
	for i, c := range r.table.Columns {
		raw, ok := members[c.Name]
		delete(members, c.Name)
		if !ok {
			if !c.IsNullable {
				return nil, fmt.Errorf("it has no %s", c.Name)
			}
			continue
		}
		value, err := decodeValue(c, raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		row[i] = value
	}
	for name := range members {
		return nil, fmt.Errorf("it has a member %q, which this program does not know", name)
	}
	if again, err := r.again.encode(r.table, row); err != nil || !bytes.Equal(again, line) {
		return nil, errNotCanonical
	}
	return row, r.checkOrder(row)
}

// checkOrder fails if a row does not come after the one before: it may be there twice.
func (r *recordReader) checkOrder(row []any) error {
	last, key := r.last, keyOf(r.table, row)
	r.last = key
	for i := range last {
		switch compareValues(last[i], key[i]) {
		case -1:
			return nil
		case 1:
			return errors.New("it comes after one that must follow it")
		}
	}
	if last == nil {
		return nil
	}
	return errors.New("it is there twice")
}

func compareValues(a, b any) int {
	if a, ok := a.(int64); ok {
		return cmp.Compare(a, b.(int64))
	}
	return strings.Compare(a.(string), b.(string))
}

func decodeValue(c store.ArchiveColumn, raw json.RawMessage) (any, error) {
	switch {
	case c.Kind.IsJSON():
		return decodeJSON(c.Kind, raw)
	case c.Kind.IsNumber():
		return decodeNumber(c.Kind, raw)
	case c.Kind == store.ArchiveReal:
		v, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, errors.New("it is no number")
		}
		return v, nil
	}
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil || text == nil {
		return nil, errors.New("it is no text")
	}
	return *text, checkText(c, *text)
}

func decodeJSON(kind store.ArchiveKind, raw json.RawMessage) (any, error) {
	text := string(raw)
	switch {
	case text == "null":
	case kind == store.ArchiveObject && text[0] != '{':
		return nil, errors.New("it is no object")
	case kind == store.ArchiveArray && text[0] != '[':
		return nil, errors.New("it is no array")
	}
	return text, nil
}

func decodeNumber(kind store.ArchiveKind, raw json.RawMessage) (any, error) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	limit := limitOf(kind)
	switch {
	case err != nil:
		return nil, errors.New("it is no whole number")
	case kind == store.ArchiveFlag && n != 0 && n != 1:
		return nil, errors.New("it is neither 0 nor 1")
	case n > limit, n < 0 && kind != store.ArchiveInt, n < -limit:
		return nil, errors.New("the number is out of range")
	}
	return n, nil
}

// limitOf returns the largest number of a kind.
func limitOf(kind store.ArchiveKind) int64 {
	switch kind { //nolint:exhaustive // the kinds with a limit of their own
	case store.ArchiveNat32:
		return math.MaxInt32
	case store.ArchiveTime:
		return store.MaxArchiveTime
	case store.ArchiveInt:
		return store.MaxArchiveSum
	}
	return store.MaxArchiveNumber
}

// maxNameRunes is more than any program lets a name have.
const maxNameRunes = 10_000

// hasForm reports whether a text is a time of a form.
func hasForm(form, text string) bool {
	_, err := time.Parse(form, text)
	return err == nil
}

func checkText(c store.ArchiveColumn, text string) error {
	switch {
	case strings.Contains(text, "\x00"):
		return errors.New("it has a zero byte")
	case c.Values != nil && !slices.Contains(c.Values, text):
		return fmt.Errorf("%q is none of %s", text, strings.Trim(strings.Join(c.Values, ", "), ", "))
	case c.Kind == store.ArchiveDay && !hasForm(time.DateOnly, text):
		return fmt.Errorf("%q is no day", text)
	case c.Kind == store.ArchiveMonth && !hasForm("2006-01", text):
		return fmt.Errorf("%q is no month", text)
	case c.Name == "name" && utf8.RuneCountInString(text) > maxNameRunes:
		return fmt.Errorf("it has more than %d characters", maxNameRunes)
	case c.Kind == store.ArchiveHash && !hashPattern.MatchString(text):
		return errors.New("it is no SHA-256")
	case c.Kind == store.ArchiveID && !parley.IsID(text),
		c.Kind == store.ArchiveID0 && text != "" && !parley.IsID(text),
		c.Kind == store.ArchiveMessage && !parley.IsMessageID(text),
		c.Kind == store.ArchiveMessage0 && text != "" && !parley.IsMessageID(text):
		return fmt.Errorf("%q is no id", text)
	case c.Kind == store.ArchiveAgent:
		if id, ok := strings.CutPrefix(text, store.RecordingDaysPrefix); !ok || !parley.IsID(id) {
			return fmt.Errorf("%q is no setting of an agent", text)
		}
	}
	return nil
}
