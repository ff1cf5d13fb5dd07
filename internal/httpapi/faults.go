package httpapi

import "parley"

// faults collects everything that is wrong with a request, each at the dotted path of its field.
type faults struct{ details map[string]string }

// maxFaults bounds what one reply lists.
const maxFaults = 50

func (f *faults) add(path, text string) {
	if text == "" || len(f.details) >= maxFaults {
		return
	}
	if f.details == nil {
		f.details = make(map[string]string)
	}
	if _, ok := f.details[path]; !ok {
		f.details[path] = text
	}
}

func (f *faults) err() error {
	if len(f.details) == 0 {
		return nil
	}
	e := parley.NewError(parley.CodeInvalidBody)
	e.Details = f.details
	return e
}

// InvalidField is the failure of one field that only a handler can judge.
func InvalidField(path, text string) error {
	var f faults
	f.add(path, text)
	return f.err()
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
