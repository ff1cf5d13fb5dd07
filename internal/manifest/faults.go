package manifest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
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
	var e *parley.Error
	if !errors.As(err, &e) || e.Code != parley.CodeInvalidBody && e.Code != parley.CodeInvalidJSON {
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
	var e *parley.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", path, err)
	}
	copied := *e
	copied.Details = map[string]string{path: e.Message}
	return &copied
}

// errorText returns the message of an error for callers.
func errorText(err error) string {
	var e *parley.Error
	if errors.As(err, &e) {
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
