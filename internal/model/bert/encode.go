package bert

import (
	"context"
	"fmt"
	"math"

	"parley/internal/model/quantized"
)

// Pooling says how the vectors of a text's pieces become one.
type Pooling int

// The ways of pooling.
const (
	MeanPooling Pooling = iota
	FirstPooling
	MaxPooling
)

// tokensOfBlock is how many pieces are taken through the widest matrices at a time, so that what is between these needs
// little memory.
const tokensOfBlock = 64

// scratch is the memory of one computation.
type scratch struct {
	states, projected, attended, added, wide []float32
	scores, values                           []float32
	input                                    quantized.Input
}

// Encode returns the vector of a text, which is not brought to length 1. Before each layer it calls between, which may
// wait, and stops where that returns an error.
func (m *Model) Encode(ctx context.Context, ids []int32, pooling Pooling,
	between func(context.Context) error) ([]float32, error) {
	if len(ids) == 0 || len(ids) > m.config.MaxTokens() {
		return nil, fmt.Errorf("a text has %d pieces, from 1 to %d are possible", len(ids), m.config.MaxTokens())
	}
	s := m.scratches.Get().(*scratch)
	defer m.scratches.Put(s)
	if err := m.embed(s, ids); err != nil {
		return nil, err
	}
	for i := range m.layers {
		if err := between(ctx); err != nil {
			return nil, err
		}
		m.runLayer(s, &m.layers[i], len(ids))
	}
	return pool(s.states, m.config.Hidden, pooling), nil
}

// embed sets the first states: what is known of each piece and of each place.
func (m *Model) embed(s *scratch, ids []int32) error {
	hidden := m.config.Hidden
	s.states = resize(s.states, len(ids)*hidden)
	for i, id := range ids {
		if id < 0 || int(id) >= m.words.Rows() {
			return fmt.Errorf("the model has no piece of the number %d", id)
		}
		state := s.states[i*hidden : (i+1)*hidden]
		copy(state, m.positions[i*hidden:])
		addTo(state, m.types)
		m.words.AddRow(int(id), 1, state)
	}
	m.norm.apply(s.states)
	return nil
}

func resize(list []float32, n int) []float32 {
	if cap(list) < n {
		return make([]float32, n)
	}
	return list[:n]
}

func (m *Model) runLayer(s *scratch, l *layer, tokens int) {
	hidden := m.config.Hidden
	s.projected = resize(s.projected, tokens*3*hidden)
	l.project.matrix.Multiply(&s.input, s.states, l.project.bias, s.projected)
	s.attended = resize(s.attended, tokens*hidden)
	m.attend(s, tokens)
	s.added = resize(s.added, tokens*hidden)
	l.attention.matrix.Multiply(&s.input, s.attended, l.attention.bias, s.added)
	addTo(s.states, s.added)
	l.attentionNorm.apply(s.states)
	activate := activations[m.config.Activation]
	for first := 0; first < tokens; first += tokensOfBlock {
		block := s.states[first*hidden : min(first+tokensOfBlock, tokens)*hidden]
		s.wide = resize(s.wide, len(block)/hidden*m.config.Intermediate)
		l.up.matrix.Multiply(&s.input, block, l.up.bias, s.wide)
		activate(s.wide)
		l.down.matrix.Multiply(&s.input, s.wide, l.down.bias, s.added[:len(block)])
		addTo(block, s.added[:len(block)])
		l.outputNorm.apply(block)
	}
}

// attend mixes the values of all pieces for each piece, by how well its query fits their keys, in each head alone.
func (m *Model) attend(s *scratch, tokens int) {
	hidden := m.config.Hidden
	size := hidden / m.config.Heads
	width := (tokens + 7) / 8 * 8 // whole steps of the inner loop
	s.scores, s.values = resize(s.scores, width), resize(s.values, size*width)
	clear(s.scores)
	clear(s.values)
	scale := float32(1 / math.Sqrt(float64(size)))
	for head := 0; head < hidden; head += size {
		for i := range tokens {
			for j, v := range s.projected[i*3*hidden+2*hidden+head:][:size] {
				s.values[j*width+i] = v
			}
		}
		for i := range tokens {
			query := s.projected[i*3*hidden+head:][:size]
			quantized.DotFloats(query, s.projected[hidden+head:], 3*hidden, s.scores[:tokens])
			softmax(s.scores[:tokens], scale)
			quantized.DotFloats(s.scores, s.values, width, s.attended[i*hidden+head:][:size])
		}
	}
}

func pool(states []float32, hidden int, pooling Pooling) []float32 {
	out := append([]float32(nil), states[:hidden]...)
	if pooling == FirstPooling {
		return out
	}
	for at := hidden; at < len(states); at += hidden {
		for i, x := range states[at : at+hidden] {
			if pooling == MaxPooling {
				out[i] = max(out[i], x)
			} else {
				out[i] += x
			}
		}
	}
	if pooling == MeanPooling {
		for i := range out {
			out[i] /= float32(len(states) / hidden)
		}
	}
	return out
}
