package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/internal/httpapi"
)

// faults collects what is wrong with documents, by dotted path.
type faults map[string]string

func (f faults) add(path, text string) {
	if _, ok := f[path]; !ok {
		f[path] = text
	}
}

// addError adds the details of a VALIDATION_INVALID_BODY below the path, and returns any other error.
func (f faults) addError(path string, err error) error {
	e, ok := errors.AsType[*parley.Error](err)
	if !ok || e.Code != parley.CodeInvalidBody && e.Code != parley.CodeInvalidJSON {
		return err
	}
	if len(e.Details) == 0 {
		f.add(path, e.Message)
	}
	for inner, text := range e.Details {
		if inner == "" {
			f.add(path, text)
			continue
		}
		f.add(path+"."+inner, text)
	}
	return nil
}

// decode reads JSON below the path, and reports whether it has no faults.
func (f faults) decode(path string, text json.RawMessage, into any) bool {
	err := httpapi.Decode(text, into)
	_ = f.addError(path, err) // Decode fails with faults only
	return err == nil
}

func (f faults) asError() error {
	if len(f) == 0 {
		return nil
	}
	e := parley.NewError(parley.CodeInvalidBody)
	e.Details = f
	return e
}

// atPath adds to an error the path of the entry that it is about.
func atPath(path string, err error) error {
	e, ok := errors.AsType[*parley.Error](err)
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	copied := *e
	copied.Details = map[string]string{path: e.Message}
	return &copied
}

func errorText(err error) string {
	if e, ok := errors.AsType[*parley.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// errorDetails returns the details of an error, or its message where it has none.
func errorDetails(err error) string {
	details := parley.AsError(err).Details
	if len(details) == 0 {
		return errorText(err)
	}
	var list []string
	for _, path := range slices.Sorted(maps.Keys(details)) {
		list = append(list, path+" "+details[path])
	}
	return strings.Join(list, "; ")
}
