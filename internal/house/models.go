package house

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/internal/llm"
)

// Check finds half a configuration: a model named without the server that has it would never be asked, and the built-in one
// would answer in its place without a word.
func (m Models) Check() error {
	if err := m.checkEmbedding(); err != nil {
		return err
	}
	if _, _, err := m.contexts(); err != nil {
		return err
	}
	switch {
	case m.AnthropicURL != "" && !webAddress(m.AnthropicURL):
		return errors.New("--anthropic-url: not an http:// or https:// address")
	case m.ModelRewrite < 0:
		return fmt.Errorf("--model-rewrite: %s is below 0", m.ModelRewrite)
	case m.anthropic() && !m.namesClaude():
		return errors.New("--anthropic-key (PARLEY_ANTHROPIC_KEY) or its URL is set and no model is asked for there: name one as anthropic/NAME in --model or --model-map")
	case m.ModelURL != "" && !webAddress(m.ModelURL):
		return errors.New("--model-url: not an http:// or https:// address")
	case m.ModelURL != "" && m.ModelID == "":
		return errors.New("--model-url (PARLEY_MODEL_URL) is set and --model (PARLEY_MODEL) is not: name the model to ask there")
	case m.ModelURL != "":
		return nil
	case m.ModelID != "" && !m.toClaude(m.ModelID):
		return errors.New("--model (PARLEY_MODEL) is set and --model-url (PARLEY_MODEL_URL) is not: say where the model is" + claudeHint(m.ModelID))
	case m.ModelKey != "":
		return errors.New("--model-key (PARLEY_MODEL_KEY) is set and --model-url (PARLEY_MODEL_URL) is not: say where the key belongs")
	}
	for _, name := range slices.Sorted(maps.Keys(m.ModelMap)) {
		if model := m.ModelMap[name]; model != llm.BuiltinName && !m.toClaude(model) {
			return errors.New("--model-map (PARLEY_MODEL_MAP) gives " + name + " to " + model + ", and --model-url (PARLEY_MODEL_URL) is not set: say where that model is" + claudeHint(model))
		}
	}
	return nil
}

func claudeHint(model string) string {
	if strings.HasPrefix(model, llm.AnthropicPrefix) {
		return ", or set --anthropic-key (PARLEY_ANTHROPIC_KEY)"
	}
	return ""
}

// anthropic reports whether models named anthropic/NAME are asked for in Anthropic's wire format. Without that they are names like any
// other: some servers of the OpenAI format have such models.
func (m Models) anthropic() bool { return m.AnthropicURL != "" || m.AnthropicKey != "" }

func (m Models) toClaude(model string) bool {
	return m.anthropic() && strings.HasPrefix(model, llm.AnthropicPrefix)
}

func (m Models) namesClaude() bool {
	return m.toClaude(m.ModelID) || slices.ContainsFunc(slices.Collect(maps.Values(m.ModelMap)), m.toClaude)
}

// leastContext is the smallest room that a prompt with a source fits into.
const leastContext = 2000

// contexts reads how many tokens the models can take in: all of them, and single ones by name.
func (m Models) contexts() (all int, single map[string]int, err error) {
	single = map[string]int{}
	for _, item := range m.ModelContext {
		name, number := "", item
		if i := strings.LastIndexByte(item, '='); i >= 0 {
			name, number = strings.TrimSpace(item[:i]), item[i+1:]
		}
		tokens, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || tokens < leastContext {
			return 0, nil, fmt.Errorf("--model-context: %q is not a number of tokens from %d, or a model's name with such a number", item, leastContext)
		}
		if name == "" {
			all = tokens
			continue
		}
		single[name] = tokens
	}
	return all, single, nil
}

// Answering names for people the model that answers for "auto".
func (m Models) Answering() string {
	name := m.ModelID
	if chosen, ok := m.ModelMap["auto"]; ok {
		name = chosen
	}
	where := m.ModelURL
	if m.toClaude(name) {
		name, where = strings.TrimPrefix(name, llm.AnthropicPrefix), cmp.Or(m.AnthropicURL, llm.AnthropicURL)
	}
	u, err := url.Parse(where)
	if where == "" || err != nil || name == llm.BuiltinName || name == "" {
		return "the built-in model"
	}
	return name + " at " + u.Host
}

// Table maps the interface's model names to what answers for them.
func (m Models) Table() (*llm.Table, error) {
	all, single, err := m.contexts()
	if err != nil {
		return nil, err
	}
	return llm.NewTable(llm.TableConfig{URL: m.ModelURL, Key: m.ModelKey, Model: m.ModelID, Map: m.ModelMap, Builtin: llm.Builtin{},
		AnthropicURL: m.AnthropicURL, AnthropicKey: m.AnthropicKey, Context: all, Contexts: single})
}

// table is Table with a model that answers for every name in place of the configured ones, unless it is nil.
func (m Models) table(override llm.Model) (*llm.Table, error) {
	if override != nil {
		return llm.NewTable(llm.TableConfig{Builtin: override})
	}
	return m.Table()
}

func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
