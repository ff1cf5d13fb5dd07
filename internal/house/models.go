package house

import (
	"errors"
	"net/url"

	"parley/internal/llm"
)

// Check finds half a configuration: a model named without the server that has it would never be asked, and the built-in one
// would answer in its place without a word.
func (m Models) Check() error {
	switch {
	case m.ModelURL != "" && !webAddress(m.ModelURL):
		return errors.New("--model-url: not an http:// or https:// address")
	case m.ModelURL != "" && m.ModelID == "":
		return errors.New("--model-url (PARLEY_MODEL_URL) is set and --model (PARLEY_MODEL) is not: name the model to ask there")
	case m.ModelURL != "":
		return nil
	case m.ModelID != "":
		return errors.New("--model (PARLEY_MODEL) is set and --model-url (PARLEY_MODEL_URL) is not: say where the model is")
	case m.ModelKey != "":
		return errors.New("--model-key (PARLEY_MODEL_KEY) is set and --model-url (PARLEY_MODEL_URL) is not: say where the key belongs")
	}
	for name, model := range m.ModelMap {
		if model != llm.BuiltinName {
			return errors.New("--model-map (PARLEY_MODEL_MAP) gives " + name + " to " + model + ", and --model-url (PARLEY_MODEL_URL) is not set: say where that model is")
		}
	}
	return nil
}

// Answering names for people the model that answers for "auto".
func (m Models) Answering() string {
	u, err := url.Parse(m.ModelURL)
	name := m.ModelID
	if chosen, ok := m.ModelMap["auto"]; ok {
		name = chosen
	}
	if m.ModelURL == "" || err != nil || name == llm.BuiltinName {
		return "the built-in model"
	}
	return name + " at " + u.Host
}

// table maps the interface's model names to what answers for them.
func (m Models) table(override llm.Model) (*llm.Table, error) {
	if override != nil {
		return llm.NewTable(llm.TableConfig{Builtin: override})
	}
	return llm.NewTable(llm.TableConfig{URL: m.ModelURL, Key: m.ModelKey, Model: m.ModelID, Map: m.ModelMap, Builtin: llm.Builtin{}})
}

func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
