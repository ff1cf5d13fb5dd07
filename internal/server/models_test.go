package server

import (
	"reflect"
	"strings"
	"testing"
)

func TestIncompleteModelSettingsAreRefused(t *testing.T) {
	const url = "http://localhost:11434/v1"
	claude := WireConfigs{Anthropic: WireConfig{Key: "k"}}
	for name, c := range map[string]struct {
		models  ModelConfig
		refused bool
		answers string
	}{
		"nothing": {ModelConfig{}, false, "the built-in model"},
		"all": {ModelConfig{ModelURL: url, ModelID: "llama3.1", ModelKey: "k"}, false,
			"llama3.1 at localhost:11434"},
		"builtin by map": {ModelConfig{ModelMap: map[string]string{"auto": "builtin"}}, false, "the built-in model"},
		"auto by map": {ModelConfig{ModelURL: url, ModelID: "a", ModelMap: map[string]string{"auto": "b"}}, false,
			"b at localhost:11434"},
		"auto is built in": {ModelConfig{ModelURL: url, ModelID: "a", ModelMap: map[string]string{"auto": "builtin"}},
			false, "the built-in model"},
		"model alone": {models: ModelConfig{ModelID: "llama3.1"}, refused: true},
		"key alone":   {models: ModelConfig{ModelKey: "k"}, refused: true},
		"map alone":   {models: ModelConfig{ModelMap: map[string]string{"auto": "llama3.1"}}, refused: true},
		"URL alone":   {models: ModelConfig{ModelURL: url}, refused: true},

		"embedding":               {ModelConfig{EmbedURL: url, EmbedModel: "m", EmbedKey: "k"}, false, "the built-in model"},
		"embedding URL alone":     {models: ModelConfig{EmbedURL: url}, refused: true},
		"embedding URL of no use": {models: ModelConfig{EmbedURL: "localhost:11434", EmbedModel: "m"}, refused: true},
		"embedding model alone":   {models: ModelConfig{EmbedModel: "m"}, refused: true},
		"embedding key alone":     {models: ModelConfig{EmbedKey: "k"}, refused: true},
		"embedding weight":        {models: ModelConfig{EmbedURL: url, EmbedModel: "m", EmbedWeight: 2}, refused: true},
		"embedding dimensions":    {models: ModelConfig{EmbedURL: url, EmbedModel: "m", EmbedDimensions: -1}, refused: true},
		"embedding wait":          {models: ModelConfig{EmbedURL: url, EmbedModel: "m", EmbedWait: -1}, refused: true},
		"embedding folder":        {ModelConfig{EmbeddingModel: "models/m"}, false, "the built-in model"},
		"embedding folder and URL": {models: ModelConfig{EmbeddingModel: "models/m", EmbedURL: url, EmbedModel: "m"},
			refused: true},
		"dimensions of a folder": {models: ModelConfig{EmbeddingModel: "models/m", EmbedDimensions: 64}, refused: true},
		"reranking": {ModelConfig{RerankURL: url, RerankModel: "m", RerankKey: "k"}, false,
			"the built-in model"},
		"reranking URL alone":     {ModelConfig{RerankURL: url}, false, "the built-in model"},
		"reranking URL of no use": {models: ModelConfig{RerankURL: "localhost:8081"}, refused: true},
		"reranking model alone":   {models: ModelConfig{RerankModel: "m"}, refused: true},
		"reranking key alone":     {models: ModelConfig{RerankKey: "k"}, refused: true},
		"reranking wait":          {models: ModelConfig{RerankURL: url, RerankWait: -1}, refused: true},

		"Anthropic": {ModelConfig{WireConfigs: claude, ModelID: "anthropic/claude-x"}, false,
			"claude-x at api.anthropic.com"},
		"Anthropic elsewhere": {ModelConfig{WireConfigs: WireConfigs{Anthropic: WireConfig{URL: url}},
			ModelMap: map[string]string{"auto": "anthropic/claude-x"}}, false, "claude-x at localhost:11434"},
		"both": {ModelConfig{ModelURL: url, ModelID: "a", WireConfigs: claude,
			ModelMap: map[string]string{"claude-haiku-4-5": "anthropic/claude-x"}}, false, "a at localhost:11434"},
		"such a name elsewhere": {ModelConfig{ModelURL: url, ModelID: "anthropic/claude-x"}, false,
			"anthropic/claude-x at localhost:11434"},
		"Anthropic by map only": {ModelConfig{WireConfigs: claude,
			ModelMap: map[string]string{"claude-haiku-4-5": "anthropic/claude-x"}}, false, "the built-in model"},
		"Anthropic's key alone": {models: ModelConfig{WireConfigs: claude}, refused: true},
		"no key for Anthropic":  {models: ModelConfig{ModelID: "anthropic/claude-x"}, refused: true},
		"Anthropic and another": {models: ModelConfig{WireConfigs: claude, ModelID: "anthropic/claude-x",
			ModelMap: map[string]string{"auto": "llama3.1"}}, refused: true},
		"bad address": {models: ModelConfig{WireConfigs: WireConfigs{Anthropic: WireConfig{URL: "claude"}},
			ModelID: "anthropic/claude-x"}, refused: true},
		"contexts": {ModelConfig{ModelURL: url, ModelID: "a",
			ModelContext: []string{"8192", "a:b=200000"}}, false, "a at localhost:11434"},
		"no context": {models: ModelConfig{ModelURL: url, ModelID: "a", ModelContext: []string{"many"}},
			refused: true},
		"tiny context": {models: ModelConfig{ModelURL: url, ModelID: "a", ModelContext: []string{"a=10"}},
			refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.models.Check(); (err != nil) != c.refused {
				t.Errorf("refused %v: %v", c.refused, err)
			}
			if got := c.models.DefaultModelName(); !c.refused && got != c.answers {
				t.Errorf("it reports that %s answers", got)
			}
		})
	}
}

// Each wire has its settings and its row, in one order, and both have its name.
func TestWiresHaveSettingsAndRows(t *testing.T) {
	settings, rows := reflect.TypeFor[WireConfigs](), WireConfigs{}.namedWires()
	if settings.NumField() != len(rows) {
		t.Fatalf("%d wires have settings and %d have rows", settings.NumField(), len(rows))
	}
	for i, row := range rows {
		tag := string(settings.Field(i).Tag)
		for _, want := range []string{`prefix:"` + row.Name + `-"`, `set:"wire=` + row.Name + `"`,
			`envprefix:"PARLEY_` + strings.ToUpper(row.Name) + `_"`} {
			if !strings.Contains(tag, want) {
				t.Errorf("the settings of %s lack %s", row.Name, want)
			}
		}
	}
}
