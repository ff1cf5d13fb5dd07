package local_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/model/local"
	"parley/internal/testkit/tinymodel"
)

// change changes the JSON of a file of a folder.
func change(t *testing.T, folder, name string, change func(map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	change(content)
	tinymodel.WriteJSON(t, folder, name, content)
}

func set(key string, value any) func(map[string]any) {
	return func(content map[string]any) { content[key] = value }
}

// faults are what a folder may lack, with what is said of it.
var faults = []struct {
	name  string
	plant func(t *testing.T, folder string)
	file  string // that is named
	text  string
}{
	{"no configuration", remove("config.json"), "", "lacks the file config.json"},
	{"no weights", remove("model.safetensors"), "", "lacks the file model.safetensors"},
	{"no tokenizer", remove("tokenizer.json"), "", "lacks the file tokenizer.json, or else vocab.txt"},
	{"a configuration that is no JSON", write("config.json", "{"), "config.json", "no JSON of a model"},
	{"another kind of model", changed("config.json", set("model_type", "llama")), "config.json",
		`model_type is "llama", and bert`},
	{"no kind of model", changed("config.json", set("model_type", nil)), "config.json", `model_type is ""`},
	{"another activation", changed("config.json", set("hidden_act", "silu")), "config.json", `hidden_act is "silu"`},
	{"other positions", changed("config.json", set("position_embedding_type", "relative_key")), "config.json",
		"position_embedding_type"},
	{"no layers", changed("config.json", set("num_hidden_layers", 0)), "config.json", "num_hidden_layers is 0"},
	{"too many layers", changed("config.json", set("num_hidden_layers", 1_000_000)), "config.json",
		"num_hidden_layers is 1000000"},
	{"a layer that is missing", changed("config.json", set("num_hidden_layers", 3)), "model.safetensors",
		`lacks the tensor "encoder.layer.2.attention.self.query.weight"`},
	{"other heads", changed("config.json", set("num_attention_heads", 5)), "config.json", "num_attention_heads, 5"},
	{"another length", changed("config.json", set("hidden_size", 64)), "model.safetensors", "by config.json it has"},
	{"huge numbers", changed("config.json", set("intermediate_size", 1<<40)), "config.json", "intermediate_size is"},
	{"a smaller vocabulary", changed("config.json", set("vocab_size", 5)), "config.json",
		"vocab_size is 5, and the tokenizer has a piece of the number"},
	{"a vocabulary beyond the weights", changed("config.json", set("vocab_size", 5000)), "model.safetensors",
		"embeddings.word_embeddings.weight"},
	{"weights that are none", write("model.safetensors", "these are no weights"), "model.safetensors", "the header has"},
	{"weights of another model", write("model.safetensors", "\x02\x00\x00\x00\x00\x00\x00\x00{}"), "model.safetensors",
		`lacks the tensor "embeddings.word_embeddings.weight"`},
	{"a tokenizer that is no JSON", write("tokenizer.json", "{]"), "tokenizer.json", "no tokenizer in JSON"},
	{"another kind of tokenizer", changed("tokenizer.json", set("model", map[string]any{"type": "BPE",
		"vocab": map[string]int{"a": 1}, "merges": []string{}})), "tokenizer.json", `of the type "BPE"`},
	{"another normalizer", changed("tokenizer.json", set("normalizer", map[string]any{"type": "Reverse"})),
		"tokenizer.json", "normalizer: Reverse: this type is not supported"},
	{"another step", write("modules.json", `[{"type":"sentence_transformers.models.Dense","path":"2_Dense"}]`),
		"modules.json", `the module "sentence_transformers.models.Dense" in the folder "2_Dense" is not supported`},
	{"a step outside of the folder", write("modules.json", `[{"type":"x.Pooling","path":"../.."}]`), "modules.json",
		"is not supported"},
	{"no way of pooling", write("1_Pooling/config.json", "{}"), "1_Pooling/config.json", "one way of pooling"},
	{"two ways of pooling", write("1_Pooling/config.json",
		`{"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":true}`), "1_Pooling/config.json", "one way of pooling"},
	{"another way of pooling", write("1_Pooling/config.json", `{"pooling_mode":"lasttoken"}`), "1_Pooling/config.json",
		`pooling_mode is "lasttoken"`},
	{"texts of no length", write("sentence_bert_config.json", `{"max_seq_length":0}`), "sentence_bert_config.json",
		"max_seq_length is 0"},
	{"a folder in place of a file", func(t *testing.T, folder string) {
		remove("tokenizer.json")(t, folder)
		tinymodel.WriteFile(t, folder, "tokenizer.json/x", nil)
	}, "tokenizer.json", "it is no file"},
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func write(name, content string) func(*testing.T, string) {
	return func(t *testing.T, folder string) { tinymodel.WriteFile(t, folder, name, []byte(content)) }
}

func changed(name string, edit func(map[string]any)) func(*testing.T, string) {
	return func(t *testing.T, folder string) { change(t, folder, name, edit) }
}

func TestFaultyFoldersAreNamed(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			folder, _ := newModel(t, variants["bert"])
			c.plant(t, folder)
			expectFault(t, folder, filepath.Join(folder, c.file), c.text)
		})
	}
}

func expectFault(t *testing.T, folder string, texts ...string) {
	t.Helper()
	_, err := local.Open(folder)
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, and not %q", err, text)
		}
	}
}

func TestFaultyStaticFolders(t *testing.T) {
	newStatic := func(t *testing.T) string {
		folder := t.TempDir()
		tinymodel.WriteStatic(t, folder, map[string][]float64{"a": {1, 2, 3, 4, 5, 6, 7, 8}})
		return folder
	}
	folder := newStatic(t)
	change(t, folder, "tokenizer.json", func(content map[string]any) {
		content["model"].(map[string]any)["vocab"].(map[string]any)["b"] = 99
	})
	expectFault(t, folder, filepath.Join(folder, "model.safetensors"), "5 vectors, and the tokenizer 100 pieces")
	folder = newStatic(t)
	write("model.safetensors", "\x02\x00\x00\x00\x00\x00\x00\x00{}")(t, folder)
	expectFault(t, folder, filepath.Join(folder, "model.safetensors"), `lacks the tensor "embeddings"`)
	folder = newStatic(t)
	remove("tokenizer.json")(t, folder)
	expectFault(t, folder, "lacks the file tokenizer.json")
}

func TestFoldersThatAreNone(t *testing.T) {
	folder := t.TempDir()
	expectFault(t, filepath.Join(folder, "missing"), filepath.Join(folder, "missing"), "no such file")
	expectFault(t, folder, folder, "lacks the file config.json")
	write("file", "")(t, folder)
	expectFault(t, filepath.Join(folder, "file"), "is no folder")
}

// Whatever the files hold, the folder is opened or refused. The weights are those of a small model, whose header may be
// anything.
func FuzzOpen(f *testing.F) {
	m := variants["distilbert"]
	m.Vocabulary = tinymodel.Vocabulary("key")
	m.Fill(1)
	folder := f.TempDir()
	m.Write(f, folder)
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			f.Fatal(err)
		}
		return content
	}
	f.Add(read("config.json"), read("tokenizer.json"), read("modules.json"), read("1_Pooling/config.json"))
	f.Add([]byte(`{"model_type":"model2vec"}`), read("tokenizer.json"), []byte("[]"), []byte(`{"pooling_mode":"cls"}`))
	weights := read("model.safetensors")
	f.Fuzz(func(t *testing.T, config, tokenizer, modules, pooling []byte) {
		folder := t.TempDir()
		tinymodel.WriteFile(t, folder, "model.safetensors", weights)
		for name, content := range map[string][]byte{"config.json": config, "tokenizer.json": tokenizer,
			"modules.json": modules, "1_Pooling/config.json": pooling} {
			tinymodel.WriteFile(t, folder, name, content)
		}
		e, err := local.Open(folder)
		if err != nil {
			return
		}
		vectors, err := e.Embed(t.Context(), []string{"Renew the key.", "ß 12 キー \x00"})
		for _, v := range vectors {
			if err == nil && v != nil && len(v) != e.Dimensions() {
				t.Errorf("%d numbers, not %d", len(v), e.Dimensions())
			}
		}
	})
}
