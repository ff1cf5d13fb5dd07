package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"reflect"
	"slices"
)

// mostText bounds the bytes of a part that is a member of the body.
const mostText = 256 << 10

// piece reads a part of a form with Files: one of its files, or a member of the body.
func (fm *Form) piece(up *Upload, p *multipart.Part, dir string, f *faults) error {
	name := p.FormName()
	switch {
	case name != fm.filePart():
		return up.text(name, p, f)
	case len(up.Files) == fm.Files:
		f.add(name, fmt.Sprintf("must be given at most %d times", fm.Files))
		_, err := io.Copy(io.Discard, p)
		return err
	}
	up.Files = append(up.Files, UploadedFile{Name: baseName(p)})
	return fm.file(&up.Files[len(up.Files)-1], p, dir, f)
}

func (up *Upload) text(name string, p io.Reader, f *faults) error {
	b, err := io.ReadAll(io.LimitReader(p, mostText+1))
	if err != nil {
		return err
	}
	if len(b) > mostText {
		f.add(name, fmt.Sprintf("must have at most %d bytes", mostText))
		_, err = io.Copy(io.Discard, p)
		return err
	}
	if _, twice := up.texts[name]; twice {
		f.add(name, "must be given once")
	}
	if up.texts == nil {
		up.texts = make(map[string]string)
	}
	up.texts[name] = legible(string(b))
	return nil
}

// fromTexts binds the texts of a form as the members of a JSON body.
func (b *bodyField) fromTexts(dst reflect.Value, texts map[string]string, f *faults) error {
	text := []byte("{}")
	if texts != nil {
		var err error
		if text, err = json.Marshal(texts); err != nil {
			return fmt.Errorf("read a form: %w", err)
		}
	}
	v, err := parseJSON(text)
	if err != nil {
		return notJSON(err)
	}
	b.shape.fill(dst.FieldByIndex(b.at), &v, "", f)
	return nil
}

// described gives the form's content in the OpenAPI document; b is the shape of the body.
func (fm *Form) described(c *schemas, b *shape) object {
	if fm.Files == 0 {
		return fm.content()
	}
	schema := c.members(b)
	file := object{"type": "string", "format": "binary", "description": fm.Says}
	schema["properties"].(object)[fm.filePart()] = object{"type": "array", "maxItems": fm.Files, "items": file}
	return object{"schema": schema}
}

// pieces is what two forms with Files share that are the same, whatever the order of their texts.
func (up *Upload) pieces() (text string) {
	for _, name := range slices.Sorted(maps.Keys(up.texts)) {
		text += "\ntext " + digest([]byte(name)) + " " + digest([]byte(up.texts[name]))
	}
	for _, file := range up.Files {
		text += "\nfile " + digest([]byte(file.Name)) + " " + file.Hash
	}
	return text
}
