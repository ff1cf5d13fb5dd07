package model

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

// RegistryConfig says which back ends answer for the interface's model names.
type RegistryConfig struct {
	URL      string            // base URL of an OpenAI-style server; empty answers everything with Builtin
	Key      string            // its key, may be empty
	Model    string            // the model for every name that Map does not list
	ModelMap map[string]string // the interface's name → a model, or BuiltinName; a new name becomes choosable
	Builtin  Model
	HTTP     *http.Client // nil takes a pool of the table's own

	// With either of these two, a model named AnthropicPrefix and more is asked for in Anthropic's wire format.
	AnthropicURL string // empty is Anthropic's own
	AnthropicKey string

	ContextTokens        int            // tokens that a connected model can take in; 0 is DefaultContextTokens
	ContextTokensByModel map[string]int // the same of single models, by their full names
}

const (
	// AnthropicPrefix begins the names of models that are asked for in Anthropic's wire format.
	AnthropicPrefix = "anthropic/"

	// DefaultContextTokens is how many tokens a connected model is taken to have room for.
	DefaultContextTokens = 32_000
)

// BuiltinName is the target in RegistryConfig.Map, and the label, of the built-in model.
const BuiltinName = "builtin"

// Registry maps the interface's model names to back ends. It does not change once made.
type Registry struct {
	entries   map[string]registryEntry
	settable  []string
	readable  []string
	openAI    *OpenAI
	anthropic *Anthropic
}

// Backend is what answers for a model name.
type Backend struct {
	Model         Model
	Name          string         // for Request.Model
	Label         string         // for people: which model really answers
	Credits       parley.Credits // per reply
	ContextTokens int            // tokens that it can take in; 0 is no bound
}

type registryEntry struct {
	Backend
	isRetired bool
}

// NewRegistry checks the configuration; its errors are written for the operator and hold no secret.
func NewRegistry(c RegistryConfig) (*Registry, error) {
	t := &Registry{entries: map[string]registryEntry{}}
	if c.URL != "" {
		if err := c.validate(); err != nil {
			return nil, err
		}
		t.openAI = &OpenAI{BaseURL: c.URL, Key: c.Key, HTTP: c.HTTP}
	}
	if c.AnthropicURL != "" || c.AnthropicKey != "" {
		t.anthropic = &Anthropic{BaseURL: c.AnthropicURL, Key: c.AnthropicKey, HTTP: c.HTTP}
	}
	for _, n := range modelNames {
		t.addModel(c, n)
	}
	for _, name := range slices.Sorted(maps.Keys(c.ModelMap)) {
		if _, known := t.entries[name]; !known {
			t.addModel(c, modelName{name: name, credits: 1})
		}
	}
	return t, nil
}

func (c RegistryConfig) validate() error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the model URL must be http:// or https:// with a host, like http://127.0.0.1:11434/v1")
	}
	if c.Model == "" {
		return fmt.Errorf("a model URL needs the name of a model to ask there")
	}
	return nil
}

func (t *Registry) addModel(c RegistryConfig, n modelName) {
	target, mapped := c.ModelMap[n.name]
	if !mapped {
		target = c.Model
	}
	row := registryEntry{isRetired: n.isRetired, Backend: t.backendFor(c, target)}
	if row.Label != BuiltinName {
		row.Credits = parley.Credits(n.credits) * parley.Credit
		row.ContextTokens = cmp.Or(c.ContextTokensByModel[target], c.ContextTokens, DefaultContextTokens)
	}
	t.entries[n.name] = row
	t.readable = append(t.readable, n.name)
	if !n.isRetired {
		t.settable = append(t.settable, n.name)
	}
}

// backendFor returns what answers for the model of that name.
func (t *Registry) backendFor(c RegistryConfig, target string) Backend {
	own, prefixed := strings.CutPrefix(target, AnthropicPrefix)
	switch {
	case target == BuiltinName || target == "":
	case prefixed && t.anthropic != nil:
		return Backend{Model: t.anthropic, Name: own, Label: target}
	case t.openAI != nil:
		return Backend{Model: t.openAI, Name: target, Label: target}
	}
	return Backend{Model: c.Builtin, Label: BuiltinName, Credits: parley.Credit}
}

// Lookup returns the back end of a model name; false when the interface has no such name. Retired names still answer.
func (t *Registry) Lookup(name string) (Backend, bool) {
	row, ok := t.entries[name]
	return row.Backend, ok
}

// CanSet reports whether an agent may be given the model.
func (t *Registry) CanSet(name string) bool {
	row, ok := t.entries[name]
	return ok && !row.isRetired
}

// Settable lists the names an agent may be given; Readable those it may have.
func (t *Registry) Settable() []string { return slices.Clone(t.settable) }

// Readable lists every name, retired ones included.
func (t *Registry) Readable() []string { return slices.Clone(t.readable) }

// Close frees idle connections.
func (t *Registry) Close() {
	if t.openAI != nil {
		t.openAI.Close()
	}
	if t.anthropic != nil {
		t.anthropic.Close()
	}
}
