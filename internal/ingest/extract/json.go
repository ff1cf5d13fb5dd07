package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// readJSON writes a line "path: value" for each value. The values of one object stand together; the objects of a list are apart,
// and so are the values of a file that holds one in each line.
func readJSON(ctx context.Context, _ string, data []byte) (Document, error) {
	dec := json.NewDecoder(strings.NewReader(decode(data, "")))
	dec.UseNumber()
	f := flattener{ctx: ctx, dec: dec}
	for {
		text, plain, err := f.value("", 0)
		switch {
		case errors.Is(err, io.EOF):
			return Document{Text: f.d.text()}, nil
		case err != nil:
			return Document{}, err
		case plain:
			f.line("", text)
		}
		f.close()
	}
}

type flattener struct {
	ctx   context.Context
	dec   *json.Decoder
	d     draft
	lines bytes.Buffer // of the open object
}

// close ends the lines that stand together.
func (f *flattener) close() {
	f.d.block(strings.TrimSuffix(f.lines.String(), "\n"))
	f.lines.Reset()
}

func (f *flattener) line(path, text string) {
	if text = flat(text); text == "" {
		return
	}
	if path != "" {
		f.lines.WriteString(path + ": ")
	}
	f.lines.WriteString(text + "\n")
}

// value reads the next value. A plain one is handed back; of others the lines are written.
func (f *flattener) value(path string, depth int) (text string, plain bool, err error) {
	if depth > mostDepth {
		return "", false, refuse("the file holds values more than %d deep within one another", mostDepth)
	}
	token, err := f.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) && depth == 0 {
			return "", false, io.EOF
		}
		return "", false, broken("it is not valid JSON", err)
	}
	switch v := token.(type) {
	case string:
		return v, true, nil
	case json.Number:
		return v.String(), true, nil
	case bool:
		return strconv.FormatBool(v), true, nil
	case json.Delim:
		if f.d.full() || f.lines.Len() > mostText {
			return "", false, errTooMuchText
		}
		if err := f.ctx.Err(); err != nil {
			return "", false, err
		}
		if v == '{' {
			return "", false, f.object(path, depth)
		}
		return "", false, f.array(path, depth)
	}
	return "", true, nil // null
}

func (f *flattener) object(path string, depth int) error {
	for f.dec.More() {
		key, err := f.dec.Token()
		if err != nil {
			return broken("it is not valid JSON", err)
		}
		name, _ := key.(string)
		if name = flat(name); path != "" {
			name = path + "." + name
		}
		if len(name) > longPath {
			return refuse("the file holds names of more than %d bytes", longPath)
		}
		text, plain, err := f.value(name, depth+1)
		if err != nil {
			return err
		}
		if plain {
			f.line(name, text)
		}
	}
	_, err := f.dec.Token()
	return err
}

const longPath = 4 << 10

// array writes plain values in one line; what else is in it stands apart.
func (f *flattener) array(path string, depth int) error {
	var words []string
	for f.dec.More() {
		text, plain, err := f.value(path, depth+1)
		switch {
		case err != nil:
			return err
		case plain:
			words = append(words, flat(text))
		default:
			f.close()
		}
	}
	f.line(path, strings.Join(words, ", "))
	_, err := f.dec.Token()
	return err
}
