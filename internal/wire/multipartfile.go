package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"reflect"
)

// sink writes to the disk what it hashes, and tells the disk's failures from the client's.
type sink struct {
	to  io.Writer
	sum hash.Hash
}

func newSink(to io.Writer) *sink { return &sink{to, sha256.New()} }

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	s.sum.Write(b[:n])
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

func (s *sink) hash() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// diskError is a failure of ours.
type diskError struct{ error }

func (e *diskError) Unwrap() error { return e.error }

// identity is what two uploads share that are the same: the boundary between their parts may differ.
func (up *Upload) identity() []byte {
	text := "upload"
	if up.Name != nil {
		text += "\nname " + digest([]byte(*up.Name))
	}
	if up.File != nil {
		text += "\nfile " + digest([]byte(up.File.Name)) + " " + up.File.Hash
	}
	return []byte(text + up.pieces())
}

// discard removes the files, unless they have been moved away.
func (up *Upload) discard() {
	if up == nil {
		return
	}
	for _, file := range up.Files {
		_ = os.Remove(file.Path) // what stays is swept
	}
	if up.File != nil && up.File.Path != "" {
		_ = os.Remove(up.File.Path) // what stays is swept
	}
}

// uploadIn gives the upload that the input holds; nil where there is none.
func (in *input) uploadIn(v reflect.Value) *Upload {
	if in.upload == nil {
		return nil
	}
	up, _ := v.FieldByIndex(in.upload).Interface().(*Upload)
	return up
}

// content describes the form in the OpenAPI document.
func (fm *Form) content() object {
	schema := object{"type": "object", "properties": object{
		"name": object{"type": "string", "minLength": 1, "maxLength": mostName, "description": "A name to show; a new file has its own where this is missing."},
		"file": object{"type": "string", "format": "binary", "description": fm.Says},
	}}
	if fm.Needs != "" {
		schema["required"] = []string{fm.Needs}
	}
	return object{"schema": schema}
}
