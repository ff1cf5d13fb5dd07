package model_test

import (
	"slices"
	"testing"

	"parley"
	"parley/internal/model"
)

func TestTableWithoutURL(t *testing.T) {
	builtin := new(model.Scripted)
	table, err := model.NewRegistry(model.RegistryConfig{Builtin: builtin})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range table.Readable() {
		b, ok := table.Lookup(name)
		if !ok || b.Model != model.Model(builtin) || b.Credits != parley.Credit || b.Label != model.BuiltinName {
			t.Errorf("%s: %+v, %v", name, b, ok)
		}
	}
	if _, ok := table.Lookup("gpt-17"); ok {
		t.Error("an unknown name has a back end")
	}
}

func TestTableNames(t *testing.T) {
	table, err := model.NewRegistry(model.RegistryConfig{
		URL: "http://127.0.0.1:11434/v1", Model: "llama3.2", Builtin: new(model.Scripted),
		ModelMap: map[string]string{"gpt-5.5": "qwen3", "claude-haiku-4-5": model.BuiltinName, "house": "mistral"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
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
		b, ok := table.Lookup(name)
		if !ok || b.Name != want.backend || b.Credits != want.credits || table.CanSet(name) != want.set {
			t.Errorf("%s: %+v, settable %v", name, b, table.CanSet(name))
		}
		if slices.Contains(table.Settable(), name) != want.set || !slices.Contains(table.Readable(), name) {
			t.Errorf("%s is in the wrong list", name)
		}
	}
}

func TestTableRefusesBadConfiguration(t *testing.T) {
	for _, c := range []model.RegistryConfig{
		{URL: "localhost:11434", Model: "m"}, {URL: "ftp://host", Model: "m"}, {URL: "http://host/v1"}, {URL: "http://%", Model: "m"},
	} {
		if _, err := model.NewRegistry(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// Both wire formats can be used at once: a model named anthropic/NAME is asked for in Anthropic's, where there is such a server.
func TestTableWithTwoFormats(t *testing.T) {
	c := model.RegistryConfig{URL: "http://127.0.0.1:11434/v1", Model: "llama3.2", Builtin: new(model.Scripted), AnthropicKey: "k", ContextTokens: 8192,
		ModelMap:             map[string]string{"claude-haiku-4-5": "anthropic/claude-x", "gpt-5.5": "anthropic/claude-y", "gpt-5-nano": model.BuiltinName},
		ContextTokensByModel: map[string]int{"anthropic/claude-x": 200_000}}
	table, err := model.NewRegistry(c)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for name, want := range map[string]model.Backend{
		"auto":             {Name: "llama3.2", Label: "llama3.2", Credits: 1000, ContextTokens: 8192},
		"claude-haiku-4-5": {Name: "claude-x", Label: "anthropic/claude-x", Credits: 1000, ContextTokens: 200_000},
		"gpt-5.5":          {Name: "claude-y", Label: "anthropic/claude-y", Credits: 4000, ContextTokens: 8192},
		"gpt-5-nano":       {Label: model.BuiltinName, Credits: 1000},
	} {
		b, _ := table.Lookup(name)
		_, claude := b.Model.(*model.Anthropic)
		if b.Model = nil; b != want || claude != (want.Name == "claude-x" || want.Name == "claude-y") {
			t.Errorf("%s: %+v, in Anthropic's format %v", name, b, claude)
		}
	}
	c.AnthropicKey = ""
	plain, err := model.NewRegistry(c)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if b, _ := plain.Lookup("claude-haiku-4-5"); b.Name != "anthropic/claude-x" || b.ContextTokens != 200_000 {
		t.Errorf("without a server of Anthropic's format: %+v", b)
	}
}
