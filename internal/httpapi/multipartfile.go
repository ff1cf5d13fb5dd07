package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"reflect"
)

// hashingWriter writes to the disk what it hashes, and tells the disk's failures from the client's.
type hashingWriter struct {
	out    io.Writer
	hasher hash.Hash
}

func newHashingWriter(to io.Writer) *hashingWriter { return &hashingWriter{to, sha256.New()} }

func (s *hashingWriter) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	s.hasher.Write(b[:n])
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

func (s *hashingWriter) hexSum() string { return hex.EncodeToString(s.hasher.Sum(nil)) }

// diskError is a failure of ours.
type diskError struct{ error }

func (e *diskError) Unwrap() error { return e.error }

// identity is what two uploads share that are the same: the boundary between their parts may differ.
func (up *Upload) identity() []byte {
	text := "upload"
	if up.Name != nil {
		text += "\nname " + sha256Hex([]byte(*up.Name))
	}
	if up.File != nil {
		text += "\nfile " + sha256Hex([]byte(up.File.Name)) + " " + up.File.Hash
	}
	return []byte(text + up.partsIdentity())
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

// uploadIn returns the upload that the input holds; nil where there is none.
func (in *input) uploadIn(v reflect.Value) *Upload {
	if in.upload == nil {
		return nil
	}
	up, _ := v.FieldByIndex(in.upload).Interface().(*Upload)
	return up
}

// singleFileContent describes the form in the OpenAPI document.
func (fm *Form) singleFileContent() object {
	schema := object{"type": "object", "properties": object{
		"name": object{"type": "string", "minLength": 1, "maxLength": maxNameChars, "description": "A name to show; a new file has its own where this is missing."},
		"file": object{"type": "string", "format": "binary", "description": fm.FileDescription},
	}}
	if fm.RequiredPart != "" {
		schema["required"] = []string{fm.RequiredPart}
	}
	return object{"schema": schema}
}
