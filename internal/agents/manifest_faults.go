package agents

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

func (f faults) say(path, text string) {
	if _, ok := f[path]; !ok {
		f[path] = text
	}
}

// take takes over the details of a VALIDATION_INVALID_BODY, below the path, and gives back any other error.
func (f faults) take(path string, err error) error {
	var e *parley.Error
	if !errors.As(err, &e) || e.Code != parley.CodeInvalidBody && e.Code != parley.CodeInvalidJSON {
		return err
	}
	if len(e.Details) == 0 {
		f.say(path, e.Message)
	}
	for inner, text := range e.Details {
		if inner == "" {
			f.say(path, text)
			continue
		}
		f.say(path+"."+inner, text)
	}
	return nil
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	e := parley.Fail(parley.CodeInvalidBody)
	e.Details = f
	return e
}

// at says of a failure which entry it is about.
func at(path string, err error) error {
	var e *parley.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", path, err)
	}
	told := *e
	told.Details = map[string]string{path: e.Message}
	return &told
}

// reason gives what a failure tells a caller.
func reason(err error) string {
	var e *parley.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// reasons is reason with the details in place of the sentence, where there are some.
func reasons(err error) string {
	details := parley.ErrorOf(err).Details
	if len(details) == 0 {
		return reason(err)
	}
	var list []string
	for _, path := range slices.Sorted(maps.Keys(details)) {
		list = append(list, path+" "+details[path])
	}
	return strings.Join(list, "; ")
}
