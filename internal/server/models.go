package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/anthropic"
	"parley/internal/model/openai"
	"parley/internal/model/quote"
	"parley/internal/text/dictionary"
)

// WireConfigs configures the wire formats beside OpenAI's, a field each: its tags name its flags, its variables and the
// provider. namedWires has the row of each.
type WireConfigs struct {
	Anthropic WireConfig `embed:"" prefix:"anthropic-" envprefix:"PARLEY_ANTHROPIC_" set:"wire=anthropic"`
}

// namedWires lists the wire formats beside OpenAI's, a row each, with their settings.
func (w WireConfigs) namedWires() []namedWire {
	return []namedWire{
		{anthropic.WireFormat(), w.Anthropic},
	}
}

// WireConfig configures where models of one wire format are asked for.
type WireConfig struct {
	URL string `env:"URL" placeholder:"URL" secret:"url" help:"Server of models named ${wire}/NAME; by default its own."`
	Key string `env:"KEY" placeholder:"KEY" secret:"all" help:"API key for models named ${wire}/NAME."`
}

// namedWire is a wire format that is asked for the models whose names begin with its own, where it is configured. Where
// it is not, they are names like any other: some servers of the OpenAI format have such models.
type namedWire struct {
	model.WireFormat
	WireConfig
}

func (w namedWire) isConfigured() bool { return w.URL != "" || w.Key != "" }

func (w namedWire) prefix() string { return w.Name + "/" }

func (w namedWire) baseURL() string { return cmp.Or(w.URL, w.DefaultURL) }

func (w namedWire) isNamedBy(id string) bool { return strings.HasPrefix(id, w.prefix()) }

// keySetting returns the names of the setting of its key.
func (w namedWire) keySetting() string {
	return fmt.Sprintf("--%s-key (PARLEY_%s_KEY)", w.Name, strings.ToUpper(w.Name))
}

// check reports invalid settings of the wire; ids are the models that are asked for.
func (w namedWire) check(ids []string) error {
	switch {
	case w.URL != "" && !httpapi.IsHTTPURL(w.URL):
		return fmt.Errorf("--%s-url: not an http:// or https:// address", w.Name)
	case w.isConfigured() && !slices.ContainsFunc(ids, w.isNamedBy):
		return fmt.Errorf("%s or its URL is set and no model is asked for there: name one as %sNAME in --model or "+
			"--model-map", w.keySetting(), w.prefix())
	}
	return nil
}

// wireOf returns the configured wire that is asked for a model, unless it is OpenAI's: then nil.
func (m ModelConfig) wireOf(id string) *namedWire {
	for _, w := range m.namedWires() {
		if w.isConfigured() && w.isNamedBy(id) {
			return &w
		}
	}
	return nil
}

// keyHint says which key would do for a model, if its name is one of a wire that is not configured.
func (m ModelConfig) keyHint(id string) string {
	for _, w := range m.namedWires() {
		if w.isNamedBy(id) {
			return ", or set " + w.keySetting()
		}
	}
	return ""
}

// Check reports invalid and incomplete settings: a model named without its server would never be asked, and the
// built-in one would silently answer in its place.
func (m ModelConfig) Check() error {
	_, dictionaryErr := m.OpenDictionaries(nil)
	if err := errors.Join(m.checkEmbedding(), m.checkReranking(), dictionaryErr); err != nil {
		return err
	}
	if _, _, err := m.contextTokens(); err != nil {
		return err
	}
	if m.ModelRewrite < 0 {
		return fmt.Errorf("--model-rewrite: %s is below 0", m.ModelRewrite)
	}
	for _, w := range m.namedWires() {
		if err := w.check(append(slices.Collect(maps.Values(m.ModelMap)), m.ModelID)); err != nil {
			return err
		}
	}
	return m.checkServer()
}

// checkServer reports models that no server is configured for, and settings that the server at ModelURL lacks.
func (m ModelConfig) checkServer() error {
	switch {
	case m.ModelURL != "" && !httpapi.IsHTTPURL(m.ModelURL):
		return errors.New("--model-url: not an http:// or https:// address")
	case m.ModelURL != "" && m.ModelID == "":
		return errors.New("--model-url (PARLEY_MODEL_URL) is set and --model (PARLEY_MODEL) is not: name the " +
			"model to ask there")
	case m.ModelURL != "":
		return nil
	case m.ModelID != "" && m.wireOf(m.ModelID) == nil:
		return errors.New("--model (PARLEY_MODEL) is set and --model-url (PARLEY_MODEL_URL) is not: say where the model is" +
			m.keyHint(m.ModelID))
	case m.ModelKey != "":
		return errors.New("--model-key (PARLEY_MODEL_KEY) is set and --model-url (PARLEY_MODEL_URL) is not: say " +
			"where the key belongs")
	}
	for _, name := range slices.Sorted(maps.Keys(m.ModelMap)) {
		if id := m.ModelMap[name]; id != model.BuiltinName && m.wireOf(id) == nil {
			return errors.New("--model-map (PARLEY_MODEL_MAP) gives " + name + " to " + id +
				", and --model-url (PARLEY_MODEL_URL) is not set: say where that model is" + m.keyHint(id))
		}
	}
	return nil
}

// minContextTokens is the smallest context that a prompt with a source fits into.
const minContextTokens = 2000

// contextTokens returns the context lengths of the models: of all of them, and of single ones by name.
func (m ModelConfig) contextTokens() (all int, single map[string]int, err error) {
	single = map[string]int{}
	for _, item := range m.ModelContext {
		name, number := "", item
		if i := strings.LastIndexByte(item, '='); i >= 0 {
			name, number = strings.TrimSpace(item[:i]), item[i+1:]
		}
		tokens, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || tokens < minContextTokens {
			return 0, nil,
				fmt.Errorf("--model-context: %q is not a number of tokens from %d, or a model's name with such a number",
					item, minContextTokens)
		}
		if name == "" {
			all = tokens
			continue
		}
		single[name] = tokens
	}
	return all, single, nil
}

// DefaultModelName returns a name for people of the model that answers for "auto".
func (m ModelConfig) DefaultModelName() string {
	name := m.ModelID
	if chosen, ok := m.ModelMap["auto"]; ok {
		name = chosen
	}
	where := m.ModelURL
	if w := m.wireOf(name); w != nil {
		name, where = strings.TrimPrefix(name, w.prefix()), w.baseURL()
	}
	u, err := url.Parse(where)
	if where == "" || err != nil || name == model.BuiltinName || name == "" {
		return "the built-in model"
	}
	return name + " at " + u.Host
}

// NewRegistry maps the API's model names to what answers for them.
func (m ModelConfig) NewRegistry() (*model.Registry, error) { return m.newRegistry(m.wires()) }

func (m ModelConfig) newRegistry(wires []model.Wire) (*model.Registry, error) {
	all, single, err := m.contextTokens()
	if err != nil {
		return nil, err
	}
	return model.NewRegistry(model.RegistryConfig{
		Wires:                wires,
		Model:                m.ModelID,
		ModelMap:             m.ModelMap,
		Builtin:              quote.Model{},
		ContextTokens:        all,
		ContextTokensByModel: single,
	}), nil
}

// wires are the model servers of the configuration, by wire format; the first that fits a model's name is asked.
func (m ModelConfig) wires() (wires []model.Wire) {
	for _, w := range m.namedWires() {
		if w.isConfigured() {
			wires = append(wires, model.Wire{Prefix: w.prefix(), Model: w.New(w.baseURL(), w.Key),
				Format: parley.WireFormat(w.Name)})
		}
	}
	if m.ModelURL != "" {
		wires = append(wires, model.Wire{Model: &openai.Model{
			Client: httpclient.Client{BaseURL: m.ModelURL, Key: m.ModelKey},
		}, Format: parley.WireFormatOpenAI})
	}
	return wires
}

// newModels returns the models of the server's settings, and notes them among the fixed servers.
func (b *builder) newModels() (*model.Registry, error) {
	c := b.cfg
	if c.ModelOverride != nil {
		return model.NewRegistry(model.RegistryConfig{Builtin: c.ModelOverride}), nil
	}
	wires := c.wires()
	for i, f := range c.fixedChatServers() {
		wires[i].Model = f.Health.WatchModel(wires[i].Model)
		b.fixed = append(b.fixed, f)
	}
	return c.newRegistry(wires)
}

// OpenDictionaries finds the dictionaries in the configured folders; nil if none is configured.
func (m ModelConfig) OpenDictionaries(log *slog.Logger) (*dictionary.Set, error) {
	if len(m.Dictionaries) == 0 {
		return nil, nil //nolint:nilnil // a nil Set translates nothing
	}
	set, err := dictionary.Open(m.Dictionaries, log)
	if err != nil {
		return nil, fmt.Errorf("--dictionaries: %w", err)
	}
	return set, nil
}
