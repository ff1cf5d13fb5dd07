package llm

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"parley"
)

// TableConfig says which back ends answer for the interface's model names.
type TableConfig struct {
	URL     string            // base URL of an OpenAI-style server; empty answers everything with Builtin
	Key     string            // its key, may be empty
	Model   string            // the model for every name that Map does not list
	Map     map[string]string // the interface's name → a model, or BuiltinName; a new name becomes choosable
	Builtin Model
	HTTP    *http.Client // nil takes a pool of the table's own

	// With either of these two, a model named AnthropicPrefix and more is asked for in Anthropic's wire format.
	AnthropicURL string // empty is Anthropic's own
	AnthropicKey string

	Context  int            // tokens that a connected model can take in; 0 is DefaultContext
	Contexts map[string]int // the same of single models, by their full names
}

const (
	// AnthropicPrefix begins the names of models that are asked for in Anthropic's wire format.
	AnthropicPrefix = "anthropic/"

	// DefaultContext is how many tokens a connected model is taken to have room for.
	DefaultContext = 32_000
)

// BuiltinName is the target in TableConfig.Map, and the label, of the built-in model.
const BuiltinName = "builtin"

// Table maps the interface's model names to back ends. It does not change once made.
type Table struct {
	rows     map[string]tableRow
	settable []string
	readable []string
	remote   *OpenAI
	claude   *Anthropic
}

// Backend is what answers for a model name.
type Backend struct {
	Model   Model
	Name    string         // for Request.Model
	Label   string         // for people: which model really answers
	Credits parley.Credits // per reply
	Context int            // tokens that it can take in; 0 is no bound
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
	if c.AnthropicURL != "" || c.AnthropicKey != "" {
		t.claude = &Anthropic{BaseURL: c.AnthropicURL, Key: c.AnthropicKey, HTTP: c.HTTP}
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
	row := tableRow{retired: n.retired, Backend: t.backend(c, target)}
	if row.Label != BuiltinName {
		row.Credits = parley.Credits(n.credits) * parley.Credit
		row.Context = cmp.Or(c.Contexts[target], c.Context, DefaultContext)
	}
	t.rows[n.name] = row
	t.readable = append(t.readable, n.name)
	if !n.retired {
		t.settable = append(t.settable, n.name)
	}
}

// backend gives what answers for the model of that name.
func (t *Table) backend(c TableConfig, target string) Backend {
	own, prefixed := strings.CutPrefix(target, AnthropicPrefix)
	switch {
	case target == BuiltinName || target == "":
	case prefixed && t.claude != nil:
		return Backend{Model: t.claude, Name: own, Label: target}
	case t.remote != nil:
		return Backend{Model: t.remote, Name: target, Label: target}
	}
	return Backend{Model: c.Builtin, Label: BuiltinName, Credits: parley.Credit}
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
	if t.claude != nil {
		t.claude.Close()
	}
}
