package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"parley/internal/model/quantized"
	"parley/internal/model/safetensors"
	"parley/internal/model/tokenizer"
)

// maxStaticPieces is how many pieces of a text are looked at, as in model2vec.
const maxStaticPieces = 512

// static is a model of model2vec: each piece has a vector, whatever it is beside, and a text has the mean of them.
type static struct {
	tokenizer *tokenizer.Tokenizer
	rows      *quantized.Matrix
	row       []int32   // by piece; nil where they are the same
	weights   []float32 // by piece; nil where all weigh the same
}

// isStatic reports whether a config.json is that of a static model.
func isStatic(config []byte) bool {
	var c struct {
		Type          string   `json:"model_type"`
		Architectures []string `json:"architectures"`
	}
	_ = json.Unmarshal(config, &c) // whoever reads the file as another's reports what is wrong
	return c.Type == "model2vec" || len(c.Architectures) == 1 && c.Architectures[0] == "StaticModel"
}

func (f *folder) openStatic() (*static, error) {
	s := &static{}
	var err error
	if s.tokenizer, err = f.readTokenizer(); err != nil {
		return nil, err
	}
	return s, f.useWeights(s.load)
}

func (s *static) load(file *safetensors.File) error {
	t := file.Tensor("embeddings")
	if t == nil {
		return errors.New(`it lacks the tensor "embeddings"`)
	}
	if len(t.Shape) != 2 || t.Columns() < 8 {
		return fmt.Errorf(`the tensor "embeddings" has the shape %v, and pieces by numbers are needed`, t.Shape)
	}
	rows, err := quantized.NewMatrix(t.Rows(), t.Columns())
	if err != nil {
		return err
	}
	s.rows = rows
	if err := file.ReadRows(t, func(row int, values []float32) error {
		rows.SetRow(row, values)
		return nil
	}); err != nil {
		return err
	}
	if err := s.loadMapping(file); err != nil {
		return err
	}
	return s.loadWeights(file)
}

// loadMapping reads which vector each piece has, where several have the same.
func (s *static) loadMapping(file *safetensors.File) error {
	pieces := s.tokenizer.HighestID() + 1
	t := file.Tensor("mapping")
	if t == nil {
		if pieces > s.rows.Rows() {
			return fmt.Errorf("it has %d vectors, and the tokenizer %d pieces", s.rows.Rows(), pieces)
		}
		return nil
	}
	list, err := file.ReadIntegers(t)
	if err != nil {
		return err
	}
	if len(list) < pieces {
		return fmt.Errorf(`the tensor "mapping" has %d numbers, and the tokenizer %d pieces`, len(list), pieces)
	}
	s.row = make([]int32, pieces)
	for i := range s.row {
		if list[i] < 0 || list[i] >= int64(s.rows.Rows()) {
			return fmt.Errorf(`the tensor "mapping" leads to the vector %d of %d`, list[i], s.rows.Rows())
		}
		s.row[i] = int32(list[i])
	}
	return nil
}

// loadWeights reads how much each piece counts.
func (s *static) loadWeights(file *safetensors.File) (err error) {
	t := file.Tensor("weights")
	if t == nil {
		return nil
	}
	if s.weights, err = file.ReadFloats(t); err != nil {
		return err
	}
	if pieces := s.tokenizer.HighestID() + 1; len(s.weights) < pieces {
		return fmt.Errorf(`the tensor "weights" has %d numbers, and the tokenizer %d pieces`, len(s.weights), pieces)
	}
	return nil
}

func (s *static) embed(ctx context.Context, text string, between func(context.Context) error) ([]float32, error) {
	if err := between(ctx); err != nil {
		return nil, err
	}
	ids := s.tokenizer.EncodeKnown(text, maxStaticPieces)
	if len(ids) == 0 {
		return nil, nil // nothing of it is known
	}
	sum := make([]float32, s.rows.Columns())
	for _, id := range ids {
		row, weight := id, float32(1)
		if s.row != nil {
			row = s.row[id]
		}
		if s.weights != nil {
			weight = s.weights[id]
		}
		s.rows.AddRow(int(row), weight, sum)
	}
	return sum, nil
}

func (s *static) dimensions() int { return s.rows.Columns() }

func (s *static) bytes() int { return s.rows.Bytes() + 4*len(s.row) + 4*len(s.weights) }

// normalize brings a vector to length 1; false when it has no direction.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 1e-12) || math.IsInf(length, 0) { // the first is false for NaN as well
		return false
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}
