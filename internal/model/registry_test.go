package model_test

import (
	"cmp"
	"slices"
	"testing"

	"parley"
	"parley/internal/model"
	"parley/internal/testkit/scripted"
)

func TestRegistryWithoutURL(t *testing.T) {
	builtin := new(scripted.Model)
	registry := model.NewRegistry(model.RegistryConfig{Builtin: builtin})
	for _, name := range registry.Readable() {
		b, ok := registry.Lookup(name)
		if !ok || b.IsConnected() || b.Model != model.Model(builtin) || b.Credits != parley.Credit ||
			b.Label != model.BuiltinName {
			t.Errorf("%s: %+v, %v", name, b, ok)
		}
	}
	if _, ok := registry.Lookup("gpt-17"); ok {
		t.Error("an unknown name has a back end")
	}
}

func TestRegistryNames(t *testing.T) {
	registry := model.NewRegistry(model.RegistryConfig{
		Wires: []model.Wire{{Model: new(scripted.Model)}}, Model: "llama3.2", Builtin: new(scripted.Model),
		ModelMap: map[string]string{"gpt-5.5": "qwen3", "claude-haiku-4-5": model.BuiltinName, "house": "mistral"},
	})
	defer registry.Close()
	for name, want := range map[string]struct {
		backend string
		credits parley.Credits
		set     bool
	}{
		"auto":             {"llama3.2", 1000, true},
		"gpt-5.5":          {"qwen3", 4000, true},
		"claude-opus-4-7":  {"llama3.2", 6000, true},
		"claude-haiku-4-5": {"", 1000, true},
		"gpt-4o":           {"llama3.2", 1000, false},
		"house":            {"mistral", 1000, true},
	} {
		b, ok := registry.Lookup(name)
		if !ok || b.Name != want.backend || b.IsConnected() != (b.Name != "") || b.Credits != want.credits ||
			registry.CanSet(name) != want.set {
			t.Errorf("%s: %+v, settable %v", name, b, registry.CanSet(name))
		}
		if slices.Contains(registry.Settable(), name) != want.set || !slices.Contains(registry.Readable(), name) {
			t.Errorf("%s is in the wrong list", name)
		}
	}
}

// Both wires can be used at once: the prefix of a model's name selects the wire, if it has one.
func TestRegistryWithTwoWires(t *testing.T) {
	plain, prefixed := new(scripted.Model), new(scripted.Model)
	c := model.RegistryConfig{
		Wires: []model.Wire{{Prefix: "anthropic/", Model: prefixed, Format: parley.WireFormatAnthropic},
			{Model: plain, Format: parley.WireFormatOpenAI}}, Model: "llama3.2",
		Builtin: new(scripted.Model), ContextTokens: 8192,
		ModelMap: map[string]string{"claude-haiku-4-5": "anthropic/claude-x",
			"gpt-5.5": "anthropic/claude-y", "gpt-5-nano": model.BuiltinName},
		ContextTokensByModel: map[string]int{"anthropic/claude-x": 200_000}}
	registry := model.NewRegistry(c)
	for name, want := range map[string]model.Backend{
		"auto": {Name: "llama3.2", Label: "llama3.2", Credits: 1000, ContextTokens: 8192,
			Format: parley.WireFormatOpenAI},
		"claude-haiku-4-5": {Name: "claude-x", Label: "anthropic/claude-x", Credits: 1000, ContextTokens: 200_000,
			Format: parley.WireFormatAnthropic},
		"gpt-5.5": {Name: "claude-y", Label: "anthropic/claude-y", Credits: 4000, ContextTokens: 8192,
			Format: parley.WireFormatAnthropic},
		"gpt-5-nano": {Label: model.BuiltinName, Credits: 1000},
	} {
		b, _ := registry.Lookup(name)
		isPrefixed := b.Model == model.Model(prefixed)
		if traced, by := cmp.Or(want.Name, want.Label), cmp.Or(string(want.Format), "parley"); b.TracedModel() != traced ||
			b.TracedProvider() != by {
			t.Errorf("%s is %s of %s in traces", name, b.TracedModel(), b.TracedProvider())
		}
		if b.Model = nil; b != want || isPrefixed != (want.Name == "claude-x" || want.Name == "claude-y") {
			t.Errorf("%s: %+v, by the wire with the prefix: %v", name, b, isPrefixed)
		}
	}
	c.Wires = c.Wires[1:]
	if b, _ := model.NewRegistry(c).Lookup("claude-haiku-4-5"); b.Name != "anthropic/claude-x" ||
		b.ContextTokens != 200_000 {
		t.Errorf("without a wire of that prefix: %+v", b)
	}
}
