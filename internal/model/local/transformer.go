package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"parley/internal/model/bert"
	"parley/internal/model/safetensors"
	"parley/internal/model/tokenizer"
)

// transformer is a model of the BERT family.
type transformer struct {
	tokenizer *tokenizer.Tokenizer
	model     *bert.Model
	pooling   bert.Pooling
	maxTokens int
	lowers    bool
}

func (f *folder) openTransformer(config []byte) (*transformer, error) {
	c, err := bert.ParseConfig(config)
	if err != nil {
		return nil, f.errorOf(configFile, err)
	}
	t := &transformer{maxTokens: c.MaxTokens()}
	if t.pooling, err = f.readPooling(); err != nil {
		return nil, err
	}
	if err := f.readLength(t); err != nil {
		return nil, err
	}
	if t.tokenizer, err = f.readTokenizer(); err != nil {
		return nil, err
	}
	if highest := t.tokenizer.HighestID(); highest >= c.Vocabulary {
		return nil, f.errorOf(configFile, fmt.Errorf("vocab_size is %d, and the tokenizer has a piece of the number %d",
			c.Vocabulary, highest))
	}
	return t, f.useWeights(func(file *safetensors.File) error {
		t.model, err = bert.Load(file, c)
		return err
	})
}

func (t *transformer) embed(ctx context.Context, text string, between func(context.Context) error) ([]float32, error) {
	if t.lowers {
		text = strings.ToLower(text)
	}
	ids := t.tokenizer.Encode(text, t.maxTokens)
	if len(ids) == 0 || len(ids) > t.maxTokens {
		return nil, nil // nothing of it is known
	}
	return t.model.Encode(ctx, ids, t.pooling, between)
}

func (t *transformer) dimensions() int { return t.model.Dimensions() }

func (t *transformer) bytes() int { return t.model.Bytes() }

// readLength reads how long a text may be, and whether it is to be in lower case.
func (f *folder) readLength(t *transformer) error {
	var c struct {
		MaxTokens *int `json:"max_seq_length"`
		Lowers    bool `json:"do_lower_case"`
	}
	if err := f.decodeOptional(lengthFile, &c); err != nil {
		return err
	}
	t.lowers = c.Lowers
	if c.MaxTokens == nil {
		return nil
	}
	if *c.MaxTokens < 8 {
		return f.errorOf(lengthFile, fmt.Errorf("max_seq_length is %d", *c.MaxTokens))
	}
	t.maxTokens = min(t.maxTokens, *c.MaxTokens)
	return nil
}

// readTokenizer reads tokenizer.json or, where that is missing, vocab.txt.
func (f *folder) readTokenizer() (*tokenizer.Tokenizer, error) {
	data, err := f.readOptional(tokenizerFile)
	if err != nil {
		return nil, err
	}
	if data != nil {
		t, err := tokenizer.Parse(data)
		if err != nil {
			return nil, f.errorOf(tokenizerFile, err)
		}
		return t, nil
	}
	if data, err = f.readOptional(vocabularyFile); err != nil {
		return nil, err
	}
	if data == nil {
		return nil, fmt.Errorf("%s lacks the file %s, or else %s", f.path, tokenizerFile, vocabularyFile)
	}
	return f.readVocabulary(data)
}

func (f *folder) readVocabulary(data []byte) (*tokenizer.Tokenizer, error) {
	c := struct {
		Lowers    bool  `json:"do_lower_case"`
		Strips    *bool `json:"strip_accents"`
		Separates bool  `json:"tokenize_chinese_chars"`
	}{Lowers: true, Separates: true}
	if err := f.decodeOptional(caseFile, &c); err != nil {
		return nil, err
	}
	t, err := tokenizer.ParseVocabulary(data, tokenizer.VocabularySettings{KeepsCase: !c.Lowers, StripsAccents: c.Strips,
		JoinsIdeographs: !c.Separates})
	if err != nil {
		return nil, f.errorOf(vocabularyFile, err)
	}
	return t, nil
}

// module is an entry of modules.json: a step from a text to its vector.
type module struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

// kind returns the last part of the type, which is a path of Python.
func (m module) kind() string { return m.Type[strings.LastIndexByte(m.Type, '.')+1:] }

// readPooling reads how the vectors of pieces become one: by the mean where no file says it.
func (f *folder) readPooling() (bert.Pooling, error) {
	var modules []module
	if err := f.decodeOptional(modulesFile, &modules); err != nil {
		return 0, err
	}
	place := "1_Pooling"
	for _, m := range modules {
		switch kind := m.kind(); {
		case kind == "Transformer" && (m.Path == "" || m.Path == "."), kind == "Normalize":
		case kind == "Pooling" && filepath.IsLocal(m.Path):
			place = m.Path
		default:
			return 0, f.errorOf(modulesFile, fmt.Errorf("the module %q in the folder %q is not supported", m.Type, m.Path))
		}
	}
	name := path.Join(place, configFile)
	data, err := f.readOptional(name)
	if err != nil || data == nil {
		return bert.MeanPooling, err
	}
	pooling, err := parsePooling(data)
	if err != nil {
		return 0, f.errorOf(name, err)
	}
	return pooling, nil
}

// poolings are the ways of pooling by the names that newer files have.
var poolings = map[string]bert.Pooling{"mean": bert.MeanPooling, "cls": bert.FirstPooling, "max": bert.MaxPooling}

func parsePooling(data []byte) (bert.Pooling, error) {
	var c struct {
		Mode        *string `json:"pooling_mode"`
		First       bool    `json:"pooling_mode_cls_token"`
		Mean        bool    `json:"pooling_mode_mean_tokens"`
		RootMean    bool    `json:"pooling_mode_mean_sqrt_len_tokens"` // of the same direction as the mean
		Max         bool    `json:"pooling_mode_max_tokens"`
		Weighted    bool    `json:"pooling_mode_weightedmean_tokens"`
		Last        bool    `json:"pooling_mode_lasttoken"`
		WithPrompts *bool   `json:"include_prompt"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return 0, err
	}
	if c.WithPrompts != nil && !*c.WithPrompts {
		return 0, errors.New("pooling without the prompt (include_prompt) is not supported")
	}
	if c.Mode != nil {
		pooling, ok := poolings[*c.Mode]
		if !ok {
			return 0, fmt.Errorf("pooling_mode is %q, and mean, cls and max are supported", *c.Mode)
		}
		return pooling, nil
	}
	var chosen []bert.Pooling
	for _, way := range []struct {
		isChosen bool
		pooling  bert.Pooling
	}{{c.Mean || c.RootMean, bert.MeanPooling}, {c.First, bert.FirstPooling}, {c.Max, bert.MaxPooling}} {
		if way.isChosen {
			chosen = append(chosen, way.pooling)
		}
	}
	if len(chosen) != 1 || c.Weighted || c.Last || c.Mean && c.RootMean {
		return 0, errors.New("it must choose one way of pooling: mean, cls or max")
	}
	return chosen[0], nil
}

// modelName returns the name that a config.json says that its model had; empty if it does not.
func modelName(config []byte) string {
	var c struct {
		Name string `json:"_name_or_path"`
	}
	_ = json.Unmarshal(config, &c) // it was read before
	return c.Name
}
