// Package bert computes the vectors of texts with models of the BERT family: BERT, RoBERTa, XLM-RoBERTa and DistilBERT,
// from their usual files. The weights are kept in a byte each; what is computed from them are floats of 32 bits. A text
// is computed alone, without others to fill up a batch, so that it costs what its own length costs.
package bert

import (
	"cmp"
	"encoding/json"
	"fmt"

	"parley/internal/model/quantized"
)

const (
	maxTokens = 512 // of a text, whatever more the model could take in
	maxLayers = 128
	minHidden = 8
)

// Config is a model's config.json, as far as it is used.
type Config struct {
	Type         string  `json:"model_type"`
	Hidden       int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	Intermediate int     `json:"intermediate_size"`
	Positions    int     `json:"max_position_embeddings"`
	Vocabulary   int     `json:"vocab_size"`
	NormEpsilon  float64 `json:"layer_norm_eps"`
	Activation   string  `json:"hidden_act"`
	PaddingID    *int    `json:"pad_token_id"`
	PositionType string  `json:"position_embedding_type"`

	// What DistilBERT calls the same.
	Distilled struct {
		Hidden       int    `json:"dim"`
		Layers       int    `json:"n_layers"`
		Heads        int    `json:"n_heads"`
		Intermediate int    `json:"hidden_dim"`
		Activation   string `json:"activation"`
	} `json:"-"`
}

// ParseConfig reads a config.json and refuses what is not known here.
func ParseConfig(data []byte) (*Config, error) {
	c := &Config{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("no JSON of a model: %w", err)
	}
	if err := json.Unmarshal(data, &c.Distilled); err != nil {
		return nil, fmt.Errorf("no JSON of a model: %w", err)
	}
	c.Hidden = cmp.Or(c.Hidden, c.Distilled.Hidden)
	c.Layers = cmp.Or(c.Layers, c.Distilled.Layers)
	c.Heads = cmp.Or(c.Heads, c.Distilled.Heads)
	c.Intermediate = cmp.Or(c.Intermediate, c.Distilled.Intermediate)
	c.Activation = cmp.Or(c.Activation, c.Distilled.Activation, "gelu")
	c.NormEpsilon = cmp.Or(c.NormEpsilon, 1e-12)
	return c, c.check()
}

func (c *Config) check() error {
	if _, ok := families[c.Type]; !ok {
		return fmt.Errorf("model_type is %q, and bert, roberta, xlm-roberta, camembert and distilbert are supported",
			c.Type)
	}
	if _, ok := activations[c.Activation]; !ok {
		return fmt.Errorf("hidden_act is %q, which is not supported", c.Activation)
	}
	if c.PositionType != "" && c.PositionType != "absolute" {
		return fmt.Errorf("position_embedding_type is %q, and absolute is supported", c.PositionType)
	}
	for _, n := range []struct {
		name          string
		value         int
		lowest, limit int
	}{
		{"hidden_size", c.Hidden, minHidden, quantized.MaxColumns},
		{"num_hidden_layers", c.Layers, 1, maxLayers},
		{"num_attention_heads", c.Heads, 1, quantized.MaxColumns},
		{"intermediate_size", c.Intermediate, 1, quantized.MaxColumns},
		{"max_position_embeddings", c.Positions, 8 + c.firstPosition(), 1 << 20},
		{"vocab_size", c.Vocabulary, 1, 1 << 22},
	} {
		if n.value < n.lowest || n.value > n.limit {
			return fmt.Errorf("%s is %d, and from %d to %d is supported", n.name, n.value, n.lowest, n.limit)
		}
	}
	if c.Hidden%c.Heads != 0 {
		return fmt.Errorf("hidden_size is %d, which num_attention_heads, %d, do not divide", c.Hidden, c.Heads)
	}
	if c.NormEpsilon < 0 || c.NormEpsilon > 1 {
		return fmt.Errorf("layer_norm_eps is %g", c.NormEpsilon)
	}
	return nil
}

// firstPosition returns the number of the first piece's position: RoBERTa counts from behind the padding's number.
func (c *Config) firstPosition() int {
	if !families[c.Type].countsBehindPadding {
		return 0
	}
	padding := 1
	if c.PaddingID != nil {
		padding = max(0, min(*c.PaddingID, 1<<20))
	}
	return padding + 1
}

// MaxTokens returns how many pieces a text may have.
func (c *Config) MaxTokens() int { return min(maxTokens, c.Positions-c.firstPosition()) }

// family is what differs between the models of the family: the names of their tensors, and how positions are counted.
type family struct {
	layer, query, key, value, attention, attentionNorm, up, down, outputNorm string

	countsBehindPadding bool
}

var (
	bertNames = family{layer: "encoder.layer.%d.", query: "attention.self.query", key: "attention.self.key",
		value: "attention.self.value", attention: "attention.output.dense",
		attentionNorm: "attention.output.LayerNorm", up: "intermediate.dense", down: "output.dense",
		outputNorm: "output.LayerNorm"}
	robertaNames = func() family {
		f := bertNames
		f.countsBehindPadding = true
		return f
	}()
	families = map[string]family{
		"bert": bertNames, "roberta": robertaNames, "xlm-roberta": robertaNames, "camembert": robertaNames,
		"distilbert": {layer: "transformer.layer.%d.", query: "attention.q_lin", key: "attention.k_lin",
			value: "attention.v_lin", attention: "attention.out_lin", attentionNorm: "sa_layer_norm", up: "ffn.lin1",
			down: "ffn.lin2", outputNorm: "output_layer_norm"},
	}
)
