package httpapi

import (
	"encoding/base64"
	"reflect"
	"time"
)

const (
	timeExpectation  = "must be a time such as 2026-01-31T12:00:00Z"
	bytesExpectation = "must be base64"
)

// bindTime binds a string into a time.Time.
func bindTime(dst reflect.Value, v *value, path string, f *faults) {
	at, err := time.Parse(time.RFC3339, string(unquote(v.raw)))
	if err != nil {
		f.add(path, timeExpectation)
	}
	dst.Set(reflect.ValueOf(at))
}

// bindBytes binds a string into a []byte.
func bindBytes(dst reflect.Value, v *value, path string, f *faults) {
	decoded, err := base64.StdEncoding.DecodeString(string(unquote(v.raw)))
	if err != nil {
		f.add(path, bytesExpectation)
	}
	dst.SetBytes(decoded)
}
