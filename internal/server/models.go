package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/anthropic"
	"parley/internal/model/openai"
	"parley/internal/model/quote"
)

// Check reports invalid and incomplete settings: a model named without its server would never be asked, and the
// built-in one would silently answer in its place.
func (m ModelConfig) Check() error {
	if err := m.checkEmbedding(); err != nil {
		return err
	}
	if _, _, err := m.contextTokens(); err != nil {
		return err
	}
	switch {
	case m.AnthropicURL != "" && !isHTTPURL(m.AnthropicURL):
		return errors.New("--anthropic-url: not an http:// or https:// address")
	case m.ModelRewrite < 0:
		return fmt.Errorf("--model-rewrite: %s is below 0", m.ModelRewrite)
	case m.usesAnthropic() && !m.mapsToClaude():
		return errors.New("--anthropic-key (PARLEY_ANTHROPIC_KEY) or its URL is set and no model is asked for " +
			"there: name one as anthropic/NAME in --model or --model-map")
	case m.ModelURL != "" && !isHTTPURL(m.ModelURL):
		return errors.New("--model-url: not an http:// or https:// address")
	case m.ModelURL != "" && m.ModelID == "":
		return errors.New("--model-url (PARLEY_MODEL_URL) is set and --model (PARLEY_MODEL) is not: name the " +
			"model to ask there")
	case m.ModelURL != "":
		return nil
	case m.ModelID != "" && !m.asksAnthropic(m.ModelID):
		return errors.New("--model (PARLEY_MODEL) is set and --model-url (PARLEY_MODEL_URL) is not: say where the model is" +
			claudeHint(m.ModelID))
	case m.ModelKey != "":
		return errors.New("--model-key (PARLEY_MODEL_KEY) is set and --model-url (PARLEY_MODEL_URL) is not: say " +
			"where the key belongs")
	}
	for _, name := range slices.Sorted(maps.Keys(m.ModelMap)) {
		if id := m.ModelMap[name]; id != model.BuiltinName && !m.asksAnthropic(id) {
			return errors.New("--model-map (PARLEY_MODEL_MAP) gives " + name + " to " + id +
				", and --model-url (PARLEY_MODEL_URL) is not set: say where that model is" + claudeHint(id))
		}
	}
	return nil
}

func claudeHint(id string) string {
	if strings.HasPrefix(id, anthropicPrefix) {
		return ", or set --anthropic-key (PARLEY_ANTHROPIC_KEY)"
	}
	return ""
}

// usesAnthropic reports whether models named anthropic/NAME are asked for in Anthropic's wire format. Without that they
// are names like any other: some servers of the OpenAI format have such models.
func (m ModelConfig) usesAnthropic() bool { return m.AnthropicURL != "" || m.AnthropicKey != "" }

func (m ModelConfig) asksAnthropic(id string) bool {
	return m.usesAnthropic() && strings.HasPrefix(id, anthropicPrefix)
}

func (m ModelConfig) mapsToClaude() bool {
	return m.asksAnthropic(m.ModelID) || slices.ContainsFunc(slices.Collect(maps.Values(m.ModelMap)), m.asksAnthropic)
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
	if m.asksAnthropic(name) {
		name, where = strings.TrimPrefix(name, anthropicPrefix), cmp.Or(m.AnthropicURL, anthropic.DefaultURL)
	}
	u, err := url.Parse(where)
	if where == "" || err != nil || name == model.BuiltinName || name == "" {
		return "the built-in model"
	}
	return name + " at " + u.Host
}

// NewRegistry maps the API's model names to what answers for them.
func (m ModelConfig) NewRegistry() (*model.Registry, error) {
	all, single, err := m.contextTokens()
	if err != nil {
		return nil, err
	}
	return model.NewRegistry(model.RegistryConfig{
		Wires:                m.wires(),
		Model:                m.ModelID,
		ModelMap:             m.ModelMap,
		Builtin:              quote.Model{},
		ContextTokens:        all,
		ContextTokensByModel: single,
	}), nil
}

// anthropicPrefix begins the names of models that are asked for in Anthropic's wire format.
const anthropicPrefix = "anthropic/"

// wires are the model servers of the configuration, by wire format; the first that fits a model's name is asked.
func (m ModelConfig) wires() (wires []model.Wire) {
	if m.usesAnthropic() {
		wires = append(wires, model.Wire{Prefix: anthropicPrefix, Model: &anthropic.Model{
			Client: httpclient.Client{BaseURL: cmp.Or(m.AnthropicURL, anthropic.DefaultURL), Key: m.AnthropicKey},
		}})
	}
	if m.ModelURL != "" {
		wires = append(wires, model.Wire{Model: &openai.Model{
			Client: httpclient.Client{BaseURL: m.ModelURL, Key: m.ModelKey},
		}})
	}
	return wires
}

// newModels returns the models of the server.
func (c Config) newModels() (*model.Registry, error) {
	if c.ModelOverride != nil {
		return model.NewRegistry(model.RegistryConfig{Builtin: c.ModelOverride}), nil
	}
	return c.NewRegistry()
}

func isHTTPURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
