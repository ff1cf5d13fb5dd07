package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"parley"
)

// RegistryConfig says which back ends answer for the API's model names.
type RegistryConfig struct {
	Wires    []Wire            // the first whose prefix a model's name has is asked for it
	Model    string            // the model for every name that ModelMap does not list
	ModelMap map[string]string // the API's name → a model, or BuiltinName; a new name becomes choosable
	Builtin  Model             // answers where no wire does

	ContextTokens        int            // tokens that a connected model can take in; 0 is DefaultContextTokens
	ContextTokensByModel map[string]int // the same of single models, by their full names
}

// Wire is a server that answers in one provider's wire format.
type Wire struct {
	Prefix string            // that the names of its models have; empty takes all names
	Model  Model             // closed with the registry where it can be closed
	Format parley.WireFormat // that it speaks
}

// WireFormat is what a client of a provider's wire format says of itself: a row in the registry of the server.
type WireFormat struct {
	Name       string // names its settings; the names of its models begin with it and a slash
	DefaultURL string // of the provider itself
	New        func(baseURL, key string) Model
}

// DefaultContextTokens is how many tokens a connected model is assumed to take in.
const DefaultContextTokens = 32_000

// BuiltinName is the target in RegistryConfig.ModelMap, and the label, of the built-in model.
const BuiltinName = "builtin"

// Registry maps the API's model names to back ends. It does not change once made.
type Registry struct {
	wires    []Wire
	entries  map[string]registryEntry
	settable []string
	readable []string
}

// Backend is what answers for a model name.
type Backend struct {
	Model         Model
	Name          string            // for Request.Model
	Label         string            // for people: which model really answers
	Credits       parley.Credits    // per reply
	ContextTokens int               // tokens that it can take in; 0 is no bound
	Format        parley.WireFormat // of the server that is asked; empty for the built-in model
}

// IsConnected reports whether a model that somebody has connected answers, and not the built-in one.
func (b *Backend) IsConnected() bool { return b.Label != BuiltinName }

// TracedModel returns the name of the model in traces.
func (b *Backend) TracedModel() string { return cmp.Or(b.Name, b.Label) }

// TracedProvider returns the name in traces of who is asked: the provider of the wire format, or this program.
func (b *Backend) TracedProvider() string { return cmp.Or(string(b.Format), "parley") }

type registryEntry struct {
	Backend
	isRetired bool
}

// NewRegistry returns the registry of all model names, those that ModelMap adds included.
func NewRegistry(c RegistryConfig) *Registry {
	r := &Registry{wires: c.Wires, entries: map[string]registryEntry{}}
	for _, n := range modelNames {
		r.addModel(c, n)
	}
	for _, name := range slices.Sorted(maps.Keys(c.ModelMap)) {
		if _, ok := r.entries[name]; !ok {
			r.addModel(c, modelName{name: name, credits: 1})
		}
	}
	return r
}

func (r *Registry) addModel(c RegistryConfig, n modelName) {
	target, isMapped := c.ModelMap[n.name]
	if !isMapped {
		target = c.Model
	}
	e := registryEntry{isRetired: n.isRetired, Backend: c.backendFor(target)}
	if e.IsConnected() {
		e.Credits = parley.Credits(n.credits) * parley.Credit
		e.ContextTokens = cmp.Or(c.ContextTokensByModel[target], c.ContextTokens, DefaultContextTokens)
	}
	r.entries[n.name] = e
	r.readable = append(r.readable, n.name)
	if !n.isRetired {
		r.settable = append(r.settable, n.name)
	}
}

// backendFor returns what answers for the model of that name.
func (c RegistryConfig) backendFor(target string) Backend {
	if target != BuiltinName && target != "" {
		for _, w := range c.Wires {
			if name, ok := strings.CutPrefix(target, w.Prefix); ok {
				return Backend{Model: w.Model, Name: name, Label: target, Format: w.Format}
			}
		}
	}
	return Backend{Model: c.Builtin, Label: BuiltinName, Credits: parley.Credit}
}

// Lookup returns the back end of a model name; false when the API has no such name. Retired names still answer.
func (r *Registry) Lookup(name string) (Backend, bool) {
	e, ok := r.entries[name]
	return e.Backend, ok
}

// CanSet reports whether an agent may be given the model.
func (r *Registry) CanSet(name string) bool {
	e, ok := r.entries[name]
	return ok && !e.isRetired
}

// Settable lists the names an agent may be given; Readable those it may have.
func (r *Registry) Settable() []string { return slices.Clone(r.settable) }

// Readable lists every name, retired ones included.
func (r *Registry) Readable() []string { return slices.Clone(r.readable) }

// Close closes the idle connections of the wires.
func (r *Registry) Close() {
	for _, w := range r.wires {
		if c, ok := w.Model.(interface{ Close() }); ok {
			c.Close()
		}
	}
}
