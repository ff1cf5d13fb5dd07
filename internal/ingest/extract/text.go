package extract

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

func readText(ctx context.Context, name string, data []byte) (draft.Document, error) {
	if isYAML(name) {
		return readYAML(ctx, data)
	}
	text := charset.Decode(data, "")
	return draft.Document{Title: markdownTitle(text), Text: text}, nil
}

// markdownTitle returns the first heading of a Markdown text, where it is at its beginning.
func markdownTitle(text string) string {
	lines := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.Trim(title, "# ")
		}
		if lines++; lines > 20 {
			break
		}
	}
	return ""
}

func readCSV(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	text := charset.Decode(data, "")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.TrimLeadingSpace = delimiter(text), true, -1, true
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, "sep=") {
		r = csv.NewReader(strings.NewReader(rest))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = delimiter(rest), true, -1
	}
	var d draft.Builder
	t := d.NewTable()
	for n := 0; ; n++ {
		record, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			err := t.Finish()
			return draft.Document{Text: d.Text()}, err
		case err != nil: // a quote that never ends: read on as plain lines
			return draft.Document{Text: text}, nil //nolint:nilerr // it is text still
		case n%1000 == 0 && ctx.Err() != nil:
			return draft.Document{}, ctx.Err()
		}
		t.AddRow(record)
		if d.IsFull() {
			return draft.Document{}, draft.ErrTooMuchText
		}
	}
}

// delimiter finds what separates the fields: the sign that is equally often in most of the first lines.
func delimiter(text string) rune {
	best, bestCount := ',', 0
	for _, sign := range []rune{',', ';', '\t', '|'} {
		counts := map[int]int{}
		lines := 0
		for line := range strings.Lines(text) {
			if lines++; lines > 50 {
				break
			}
			if n := countOutsideQuotes(line, sign); n > 0 {
				counts[n]++
			}
		}
		for n, times := range counts {
			if score := times * 100 * (n + 4) / 4; score > bestCount && times*2 >= min(lines, 50) {
				best, bestCount = sign, score
			}
		}
	}
	return best
}

func countOutsideQuotes(line string, sign rune) (n int) {
	quoted := false
	for _, r := range line {
		switch {
		case r == '"':
			quoted = !quoted
		case r == sign && !quoted:
			n++
		}
	}
	return n
}

// readJSON writes a line "path: value" for each value. The values of one object stand together; the objects of a list
// are apart, and so are the values of a file that holds one in each line.
func readJSON(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	dec := json.NewDecoder(strings.NewReader(charset.Decode(data, "")))
	dec.UseNumber()
	f := jsonFlattener{ctx: ctx, dec: dec}
	for {
		text, plain, err := f.readValue("", 0)
		switch {
		case errors.Is(err, io.EOF):
			return draft.Document{Text: f.out.Text()}, nil
		case err != nil:
			return draft.Document{}, err
		case plain:
			f.writeLine("", text)
		}
		f.flushLines()
	}
}

type jsonFlattener struct {
	ctx   context.Context
	dec   *json.Decoder
	out   draft.Builder
	lines bytes.Buffer // of the open object
}

// flushLines ends the lines that stand together.
func (j *jsonFlattener) flushLines() {
	j.out.AddBlock(strings.TrimSuffix(j.lines.String(), "\n"))
	j.lines.Reset()
}

func (j *jsonFlattener) writeLine(path, text string) {
	if text = draft.CollapseSpaces(text); text == "" {
		return
	}
	if path != "" {
		j.lines.WriteString(path + ": ")
	}
	j.lines.WriteString(text + "\n")
}

// readValue reads the next value. A plain one is handed back; of others the lines are written.
func (j *jsonFlattener) readValue(path string, depth int) (text string, plain bool, err error) {
	if depth > draft.MaxDepth {
		return "", false, draft.NewError("the file holds values more than %d deep within one another", draft.MaxDepth)
	}
	token, err := j.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) && depth == 0 {
			return "", false, io.EOF
		}
		return "", false, draft.NewDamagedError("it is not valid JSON", err)
	}
	switch v := token.(type) {
	case string:
		return v, true, nil
	case json.Number:
		return v.String(), true, nil
	case bool:
		return strconv.FormatBool(v), true, nil
	case json.Delim:
		if j.out.IsFull() || j.lines.Len() > draft.MaxTextBytes {
			return "", false, draft.ErrTooMuchText
		}
		if err := j.ctx.Err(); err != nil {
			return "", false, err
		}
		if v == '{' {
			return "", false, j.readObject(path, depth)
		}
		return "", false, j.readArray(path, depth)
	}
	return "", true, nil // null
}

func (j *jsonFlattener) readObject(path string, depth int) error {
	for j.dec.More() {
		key, err := j.dec.Token()
		if err != nil {
			return draft.NewDamagedError("it is not valid JSON", err)
		}
		name, _ := key.(string)
		if name = draft.CollapseSpaces(name); path != "" {
			name = path + "." + name
		}
		if len(name) > maxPathBytes {
			return draft.NewError("the file holds names of more than %d bytes", maxPathBytes)
		}
		text, plain, err := j.readValue(name, depth+1)
		if err != nil {
			return err
		}
		if plain {
			j.writeLine(name, text)
		}
	}
	_, err := j.dec.Token()
	return err
}

const maxPathBytes = 4 << 10

// readArray writes plain values in one line; what else is in it is apart.
func (j *jsonFlattener) readArray(path string, depth int) error {
	var words []string
	for j.dec.More() {
		text, plain, err := j.readValue(path, depth+1)
		switch {
		case err != nil:
			return err
		case plain:
			words = append(words, draft.CollapseSpaces(text))
		default:
			j.flushLines()
		}
	}
	j.writeLine(path, strings.Join(words, ", "))
	_, err := j.dec.Token()
	return err
}
