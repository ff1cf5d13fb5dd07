package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"reflect"
	"slices"
)

// maxTextBytes bounds the bytes of a part that is a member of the body.
const maxTextBytes = 256 << 10

// readMultiPart reads a part of a form with Files: one of its files, or a member of the body.
func (fm *Form) readMultiPart(up *Upload, p *multipart.Part, dir string, f *faults) error {
	name := p.FormName()
	switch {
	case name != fm.filePart():
		return up.readText(name, p, f)
	case len(up.Files) == fm.MaxFiles:
		f.add(name, fmt.Sprintf("must be given at most %d times", fm.MaxFiles))
		_, err := io.Copy(io.Discard, p)
		return err
	}
	up.Files = append(up.Files, UploadedFile{Name: baseName(p)})
	return fm.saveFile(&up.Files[len(up.Files)-1], p, dir, f)
}

func (up *Upload) readText(name string, p io.Reader, f *faults) error {
	b, err := io.ReadAll(io.LimitReader(p, maxTextBytes+1))
	if err != nil {
		return err
	}
	if len(b) > maxTextBytes {
		f.add(name, fmt.Sprintf("must have at most %d bytes", maxTextBytes))
		_, err = io.Copy(io.Discard, p)
		return err
	}
	if _, twice := up.texts[name]; twice {
		f.add(name, "must be given once")
	}
	if up.texts == nil {
		up.texts = make(map[string]string)
	}
	up.texts[name] = toUTF8(string(b))
	return nil
}

// bindTexts binds the texts of a form as the members of a JSON body.
func (b *bodyField) bindTexts(dst reflect.Value, texts map[string]string, f *faults) error {
	text := []byte("{}")
	if texts != nil {
		var err error
		if text, err = json.Marshal(texts); err != nil {
			return fmt.Errorf("read a form: %w", err)
		}
	}
	v, err := parseJSON(text)
	if err != nil {
		return jsonError(err)
	}
	b.shape.bind(dst.FieldByIndex(b.fieldIndex), &v, "", f)
	return nil
}

// mediaTypeObject returns the form's content in the OpenAPI document; b is the shape of the body.
func (fm *Form) mediaTypeObject(c *schemas, b *shape) object {
	if fm.MaxFiles == 0 {
		return fm.singleFileContent()
	}
	schema := c.membersSchema(b)
	file := object{"type": "string", "format": "binary", "description": fm.FileDescription}
	schema["properties"].(object)[fm.filePart()] = object{"type": "array", "maxItems": fm.MaxFiles, "items": file}
	return object{"schema": schema}
}

// partsIdentity is what two forms with Files share that are the same, whatever the order of their texts.
func (up *Upload) partsIdentity() (text string) {
	for _, name := range slices.Sorted(maps.Keys(up.texts)) {
		text += "\ntext " + sha256Hex([]byte(name)) + " " + sha256Hex([]byte(up.texts[name]))
	}
	for _, file := range up.Files {
		text += "\nfile " + sha256Hex([]byte(file.Name)) + " " + file.Hash
	}
	return text
}
