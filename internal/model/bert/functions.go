package bert

import "math"

// activations are the functions between the two matrices of a layer, by their names in config.json.
var activations = map[string]func(values []float32){
	"gelu":              gelu,
	"gelu_new":          geluTanh,
	"gelu_pytorch_tanh": geluTanh,
	"relu":              relu,
}

// The function exp for floats of 32 bits: a power of two, and a polynomial on the rest (Cephes, expf).
const (
	lowestExponent, highestExponent = -87, 88

	log2E         = 1.44269504088896341
	ln2High       = .693359375
	ln2Low        = -2.12194440e-4
	roundingShift = 3 << 22 // a number that is added to it loses its fraction
)

// exp returns e to the power of x, to about seven digits, in less time than math.Exp.
func exp(x float32) float32 {
	if x < lowestExponent {
		return 0
	}
	x = min(x, highestExponent)
	const shift float32 = roundingShift
	n := int32(math.Float32bits(float32(x*log2E)+shift)) - int32(math.Float32bits(shift))
	x = x - float32(n)*ln2High - float32(n)*ln2Low
	y := float32(1.9875691500e-4)
	y = y*x + 1.3981999507e-3
	y = y*x + 8.3334519073e-3
	y = y*x + 4.1665795894e-2
	y = y*x + 1.6666665459e-1
	y = y*x + 5.0000001201e-1
	y = y*x*x + x + 1
	return y * math.Float32frombits(uint32(n+127)<<23)
}

// erf returns the error function to about seven digits (Abramowitz and Stegun, 7.1.26).
func erf(x float32) float32 {
	size := max(x, -x)
	t := 1 / (1 + .3275911*size)
	y := 1 - ((((1.061405429*t-1.453152027)*t+1.421413741)*t-.284496736)*t+.254829592)*t*exp(-size*size)
	if x < 0 {
		return -y
	}
	return y
}

func gelu(values []float32) {
	for i, x := range values {
		values[i] = .5 * x * (1 + erf(x*(1/math.Sqrt2)))
	}
}

// geluTanh is nearly gelu; some models were trained with it.
func geluTanh(values []float32) {
	for i, x := range values {
		u := .7978845608 * (x + .044715*x*x*x)
		tanh := 1 - 2/(exp(2*u)+1)
		values[i] = .5 * x * (1 + tanh)
	}
}

func relu(values []float32) {
	for i, x := range values {
		values[i] = max(0, x)
	}
}

// softmax turns scores, multiplied by a scale, into shares of one.
func softmax(scores []float32, scale float32) {
	top := float32(math.Inf(-1))
	for _, s := range scores {
		top = max(top, s)
	}
	var sum float32
	for i, s := range scores {
		e := exp((s - top) * scale)
		scores[i] = e
		sum += e
	}
	share := 1 / sum
	for i := range scores {
		scores[i] *= share
	}
}

// layerNorm brings the numbers of a vector to a mean and a spread that the model has learned.
type layerNorm struct {
	weight, bias []float32
	epsilon      float32
}

// apply changes vectors, one after the other.
func (n *layerNorm) apply(values []float32) {
	size := len(n.weight)
	for ; len(values) >= size; values = values[size:] {
		n.applyOne(values[:size])
	}
}

func (n *layerNorm) applyOne(v []float32) {
	var sum float32
	for _, x := range v {
		sum += x
	}
	mean := sum / float32(len(v))
	var squares float32
	for _, x := range v {
		squares += (x - mean) * (x - mean)
	}
	factor := 1 / float32(math.Sqrt(float64(squares/float32(len(v))+n.epsilon)))
	for i, x := range v {
		v[i] = (x-mean)*factor*n.weight[i] + n.bias[i]
	}
}

func addTo(values, others []float32) {
	for i, x := range others {
		values[i] += x
	}
}
