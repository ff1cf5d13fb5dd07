package llm

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"parley"
)

// TableConfig says which back ends answer for the interface's model names.
type TableConfig struct {
	URL     string            // base URL of an OpenAI-style server; empty answers everything with Builtin
	Key     string            // its key, may be empty
	Model   string            // its model for every name that Map does not list
	Map     map[string]string // the interface's name → the server's model, or BuiltinName; a new name becomes choosable
	Builtin Model
	HTTP    *http.Client // nil takes a pool of the table's own
}

// BuiltinName is the target in TableConfig.Map, and the label, of the built-in model.
const BuiltinName = "builtin"

// Table maps the interface's model names to back ends. It does not change once made.
type Table struct {
	rows     map[string]tableRow
	settable []string
	readable []string
	remote   *OpenAI
}

// Backend is what answers for a model name.
type Backend struct {
	Model   Model
	Name    string         // for Request.Model
	Label   string         // for people: which model really answers
	Credits parley.Credits // per reply
}

type tableRow struct {
	Backend
	retired bool
}

// NewTable checks the configuration; its errors are written for the operator and hold no secret.
func NewTable(c TableConfig) (*Table, error) {
	t := &Table{rows: map[string]tableRow{}}
	if c.URL != "" {
		if err := c.check(); err != nil {
			return nil, err
		}
		t.remote = &OpenAI{BaseURL: c.URL, Key: c.Key, HTTP: c.HTTP}
	}
	for _, n := range names {
		t.add(c, n)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Map)) {
		if _, known := t.rows[name]; !known {
			t.add(c, modelName{name: name, credits: 1})
		}
	}
	return t, nil
}

func (c TableConfig) check() error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the model URL must be http:// or https:// with a host, like http://127.0.0.1:11434/v1")
	}
	if c.Model == "" {
		return fmt.Errorf("a model URL needs the name of a model to ask there")
	}
	return nil
}

func (t *Table) add(c TableConfig, n modelName) {
	target, mapped := c.Map[n.name]
	if !mapped {
		target = c.Model
	}
	row := tableRow{retired: n.retired}
	if t.remote == nil || target == BuiltinName {
		row.Backend = Backend{Model: c.Builtin, Label: BuiltinName, Credits: parley.Credit}
	} else {
		row.Backend = Backend{Model: t.remote, Name: target, Label: target, Credits: parley.Credits(n.credits) * parley.Credit}
	}
	t.rows[n.name] = row
	t.readable = append(t.readable, n.name)
	if !n.retired {
		t.settable = append(t.settable, n.name)
	}
}

// Lookup gives the back end of a model name; false when the interface has no such name. Retired names still answer.
func (t *Table) Lookup(name string) (Backend, bool) {
	row, ok := t.rows[name]
	return row.Backend, ok
}

// CanSet reports whether an agent may be given the model.
func (t *Table) CanSet(name string) bool {
	row, ok := t.rows[name]
	return ok && !row.retired
}

// Settable lists the names an agent may be given; Readable those it may have.
func (t *Table) Settable() []string { return slices.Clone(t.settable) }

// Readable lists every name, retired ones included.
func (t *Table) Readable() []string { return slices.Clone(t.readable) }

// Close frees idle connections.
func (t *Table) Close() {
	if t.remote != nil {
		t.remote.Close()
	}
}
