package bert

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"parley/internal/model/quantized"
	"parley/internal/model/safetensors"
)

// Model is a model that is ready to compute. It may be used by any number of goroutines.
type Model struct {
	config    Config
	words     *quantized.Matrix
	positions []float32 // of as many pieces as a text may have
	types     []float32 // of the first kind of text; nil if the model has none
	norm      layerNorm
	layers    []layer
	scratches sync.Pool
}

// layer is one of the layers: attention, and two matrices with a function between them.
type layer struct {
	project, attention, up, down linear // project makes queries, keys and values
	attentionNorm, outputNorm    layerNorm
}

// linear is a matrix with what is added to its results.
type linear struct {
	matrix *quantized.Matrix
	bias   []float32
}

// Load reads the weights. The numbers of the configuration are held to the shapes in the file before memory is
// allocated for them.
func Load(file *safetensors.File, c *Config) (*Model, error) {
	l := &loader{file: file, config: c, names: families[c.Type]}
	if err := l.findPrefix(); err != nil {
		return nil, err
	}
	m := &Model{config: *c}
	m.scratches.New = func() any { return &scratch{} }
	if err := l.loadEmbeddings(m); err != nil {
		return nil, err
	}
	for i := range c.Layers {
		loaded, err := l.loadLayer(fmt.Sprintf(l.names.layer, i))
		if err != nil {
			return nil, err
		}
		m.layers = append(m.layers, *loaded)
	}
	return m, nil
}

// Dimensions returns the length of the vectors.
func (m *Model) Dimensions() int { return m.config.Hidden }

// Bytes returns how much memory the weights take.
func (m *Model) Bytes() int {
	n := m.words.Bytes() + 4*len(m.positions)
	for _, l := range m.layers {
		for _, part := range []linear{l.project, l.attention, l.up, l.down} {
			n += part.matrix.Bytes() + 4*len(part.bias)
		}
	}
	return n
}

// loader reads tensors by their names in the family.
type loader struct {
	file   *safetensors.File
	config *Config
	names  family
	prefix string // of all names, which depends on the program that has written the file
}

const wordsName = "embeddings.word_embeddings.weight"

func (l *loader) findPrefix() error {
	for _, name := range l.file.Names() {
		if prefix, ok := strings.CutSuffix(name, wordsName); ok && (prefix == "" || strings.HasSuffix(prefix, ".")) {
			l.prefix = prefix
			return nil
		}
	}
	return fmt.Errorf("it lacks the tensor %q", wordsName)
}

func (l *loader) loadEmbeddings(m *Model) (err error) {
	c := l.config
	if m.words, err = l.newMatrix(wordsName, c.Vocabulary, c.Hidden); err != nil {
		return err
	}
	if m.positions, err = l.loadPositions(); err != nil {
		return err
	}
	const typesName = "embeddings.token_type_embeddings.weight"
	if t := l.file.Tensor(l.prefix + typesName); t != nil {
		if m.types, err = l.firstRows(t, 0, 1); err != nil {
			return err
		}
	}
	m.norm, err = l.loadNorm("embeddings.LayerNorm")
	return err
}

// loadPositions reads the vectors of the positions that a text can have.
func (l *loader) loadPositions() ([]float32, error) {
	t, err := l.tensor("embeddings.position_embeddings.weight", l.config.Positions, l.config.Hidden)
	if err != nil {
		return nil, err
	}
	return l.firstRows(t, l.config.firstPosition(), l.config.MaxTokens())
}

// firstRows reads some rows of a tensor of embeddings.
func (l *loader) firstRows(t *safetensors.Tensor, from, count int) ([]float32, error) {
	if t.Columns() != l.config.Hidden || t.Rows() < from+count {
		return nil, fmt.Errorf("the tensor %q has the shape %v", t.Name, t.Shape)
	}
	var list []float32
	err := l.file.ReadRows(t, func(row int, values []float32) error {
		if row >= from+count {
			return errEnough
		}
		if row >= from {
			list = append(list, values...)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

var errEnough = errors.New("enough rows are read")

func (l *loader) loadLayer(prefix string) (*layer, error) {
	c, n := l.config, &l.names
	p := &layer{}
	var err error
	if _, err := l.tensor(prefix+n.query+".weight", c.Hidden, c.Hidden); err != nil {
		return nil, err
	}
	if p.project.matrix, err = quantized.NewMatrix(3*c.Hidden, c.Hidden); err != nil {
		return nil, err
	}
	for i, name := range []string{n.query, n.key, n.value} {
		if err := l.loadRows(prefix+name+".weight", p.project.matrix, i*c.Hidden, c.Hidden); err != nil {
			return nil, err
		}
		bias, err := l.loadVector(prefix+name+".bias", c.Hidden)
		if err != nil {
			return nil, err
		}
		p.project.bias = append(p.project.bias, bias...)
	}
	for _, part := range []struct {
		into          *linear
		name          string
		rows, columns int
	}{
		{&p.attention, n.attention, c.Hidden, c.Hidden},
		{&p.up, n.up, c.Intermediate, c.Hidden},
		{&p.down, n.down, c.Hidden, c.Intermediate},
	} {
		if part.into.matrix, err = l.newMatrix(prefix+part.name+".weight", part.rows, part.columns); err != nil {
			return nil, err
		}
		if part.into.bias, err = l.loadVector(prefix+part.name+".bias", part.rows); err != nil {
			return nil, err
		}
	}
	if p.attentionNorm, err = l.loadNorm(prefix + n.attentionNorm); err != nil {
		return nil, err
	}
	p.outputNorm, err = l.loadNorm(prefix + n.outputNorm)
	return p, err
}

// tensor returns a tensor that must have a shape.
func (l *loader) tensor(name string, shape ...int) (*safetensors.Tensor, error) {
	t := l.file.Tensor(l.prefix + name)
	if t == nil {
		return nil, fmt.Errorf("it lacks the tensor %q", l.prefix+name)
	}
	if len(t.Shape) != len(shape) || t.Columns() != shape[len(shape)-1] || t.Shape[0] != shape[0] {
		return nil, fmt.Errorf("the tensor %q has the shape %v, and by config.json it has %v", t.Name, t.Shape, shape)
	}
	return t, nil
}

func (l *loader) newMatrix(name string, rows, columns int) (*quantized.Matrix, error) {
	if _, err := l.tensor(name, rows, columns); err != nil {
		return nil, err
	}
	m, err := quantized.NewMatrix(rows, columns)
	if err != nil {
		return nil, err
	}
	return m, l.loadRows(name, m, 0, rows)
}

// loadRows reads rows into a matrix, from one of its rows on.
func (l *loader) loadRows(name string, m *quantized.Matrix, first, rows int) error {
	t, err := l.tensor(name, rows, m.Columns())
	if err != nil {
		return err
	}
	return l.file.ReadRows(t, func(row int, values []float32) error {
		m.SetRow(first+row, values)
		return nil
	})
}

func (l *loader) loadVector(name string, size int) ([]float32, error) {
	t, err := l.tensor(name, size)
	if err != nil {
		return nil, err
	}
	return l.file.ReadFloats(t)
}

// loadNorm reads a norm, whose parts have other names in files that were converted from the first ones.
func (l *loader) loadNorm(name string) (n layerNorm, err error) {
	weight, bias := ".weight", ".bias"
	if l.file.Tensor(l.prefix+name+weight) == nil && l.file.Tensor(l.prefix+name+".gamma") != nil {
		weight, bias = ".gamma", ".beta"
	}
	n.epsilon = float32(l.config.NormEpsilon)
	if n.weight, err = l.loadVector(name+weight, l.config.Hidden); err != nil {
		return n, err
	}
	n.bias, err = l.loadVector(name+bias, l.config.Hidden)
	return n, err
}
