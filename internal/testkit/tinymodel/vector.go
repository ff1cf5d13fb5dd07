package tinymodel

import (
	"fmt"
	"math"
)

// Vector returns the vector of a text's pieces, of length 1.
func (m *Transformer) Vector(ids []int32) []float64 {
	states := m.embed(ids)
	n := m.names()
	for i := range m.Layers {
		layer := fmt.Sprintf(n.layer, i)
		attended := m.linear(layer+n.attention, m.attend(layer, states))
		states = m.norm(layer+n.attentionNorm, sum(states, attended))
		wide := m.linear(layer+n.up, states)
		for _, row := range wide {
			for j, x := range row {
				row[j] = m.activate(x)
			}
		}
		states = m.norm(layer+n.outputNorm, sum(states, m.linear(layer+n.down, wide)))
	}
	return ToLengthOne(m.pool(states))
}

func (m *Transformer) embed(ids []int32) [][]float64 {
	first := 0
	if m.Type == "xlm-roberta" {
		first = 2 // behind the number of the padding, which is 1
	}
	states := make([][]float64, len(ids))
	for i, id := range ids {
		states[i] = make([]float64, m.Hidden)
		for j := range states[i] {
			states[i][j] = m.tensors["embeddings.word_embeddings.weight"].rows[id][j] +
				m.tensors["embeddings.position_embeddings.weight"].rows[first+i][j]
			if types, ok := m.tensors["embeddings.token_type_embeddings.weight"]; ok {
				states[i][j] += types.rows[0][j]
			}
		}
	}
	return m.norm("embeddings.LayerNorm", states)
}

func (m *Transformer) linear(name string, states [][]float64) [][]float64 {
	weights, bias := m.tensors[name+".weight"].rows, m.tensors[name+".bias"].rows[0]
	out := make([][]float64, len(states))
	for i, state := range states {
		for j, row := range weights {
			total := bias[j]
			for k, w := range row {
				total += w * state[k]
			}
			out[i] = append(out[i], total)
		}
	}
	return out
}

// attend returns, for each piece, the values of all of them by the shares that its query has with their keys.
func (m *Transformer) attend(layer string, states [][]float64) [][]float64 {
	n := m.names()
	queries, keys, values := m.linear(layer+n.query, states), m.linear(layer+n.key, states),
		m.linear(layer+n.value, states)
	size := m.Hidden / m.Heads
	out := make([][]float64, len(states))
	for i := range states {
		out[i] = make([]float64, m.Hidden)
		for head := range m.Heads {
			shares, total := make([]float64, len(states)), 0.0
			for j := range states {
				score := 0.0
				for k := head * size; k < (head+1)*size; k++ {
					score += queries[i][k] * keys[j][k]
				}
				shares[j] = math.Exp(score / math.Sqrt(float64(size)))
				total += shares[j]
			}
			for j := range states {
				for k := head * size; k < (head+1)*size; k++ {
					out[i][k] += shares[j] / total * values[j][k]
				}
			}
		}
	}
	return out
}

func (m *Transformer) norm(name string, states [][]float64) [][]float64 {
	weight, bias := m.tensors[name+".weight"].rows[0], m.tensors[name+".bias"].rows[0]
	out := make([][]float64, len(states))
	for i, state := range states {
		mean, variance := 0.0, 0.0
		for _, x := range state {
			mean += x / float64(len(state))
		}
		for _, x := range state {
			variance += (x - mean) * (x - mean) / float64(len(state))
		}
		for j, x := range state {
			out[i] = append(out[i], (x-mean)/math.Sqrt(variance+1e-12)*weight[j]+bias[j])
		}
	}
	return out
}

func (m *Transformer) activate(x float64) float64 {
	switch m.Activation {
	case "relu":
		return max(0, x)
	case "gelu_new":
		return .5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+.044715*x*x*x)))
	}
	return .5 * x * (1 + math.Erf(x/math.Sqrt2))
}

func sum(a, b [][]float64) [][]float64 {
	out := make([][]float64, len(a))
	for i := range a {
		for j := range a[i] {
			out[i] = append(out[i], a[i][j]+b[i][j])
		}
	}
	return out
}

func (m *Transformer) pool(states [][]float64) []float64 {
	out := append([]float64(nil), states[0]...)
	if m.Pooling == "cls" {
		return out
	}
	for _, state := range states[1:] {
		for j, x := range state {
			if m.Pooling == "max" {
				out[j] = max(out[j], x)
			} else {
				out[j] += x
			}
		}
	}
	return out
}

// ToLengthOne divides a vector by its length.
func ToLengthOne(v []float64) []float64 {
	squares := 0.0
	for _, x := range v {
		squares += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(squares)
	}
	return v
}

// Cosine returns how alike the directions of two vectors of length 1 are.
func Cosine(a []float32, b []float64) (total float64) {
	for i := range a {
		total += float64(a[i]) * b[i]
	}
	return total
}
