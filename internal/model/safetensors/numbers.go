package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
)

// bufferBytes is how much of a file is read at a time, or one row where that is longer.
const bufferBytes = 256 << 10

// ReadRows calls use with each row of a tensor, as floats that are its only until it returns.
func (f *File) ReadRows(t *Tensor, use func(row int, values []float32) error) error {
	decode := floatDecoders[t.DType]
	if decode == nil {
		return fmt.Errorf("tensor %q: its numbers are of the type %q, which is not supported", t.Name, t.DType)
	}
	if t.size == 0 {
		return nil // whatever the length of its rows
	}
	values := make([]float32, t.Columns())
	return f.readChunks(t, func(row int, raw []byte) error {
		decode(raw, values)
		for _, v := range values {
			if !(v >= -math.MaxFloat32 && v <= math.MaxFloat32) { // false for NaN as well
				return fmt.Errorf("tensor %q holds what is no number", t.Name)
			}
		}
		return use(row, values)
	})
}

// readChunks calls use with the bytes of each row.
func (f *File) readChunks(t *Tensor, use func(row int, raw []byte) error) error {
	if t.size == 0 {
		return nil
	}
	rowBytes := t.Columns() * sizes[t.DType]
	atATime := max(1, min(bufferBytes/rowBytes, t.Rows()))
	buffer := make([]byte, atATime*rowBytes)
	for row := 0; row < t.Rows(); row += atATime {
		chunk := buffer[:min(atATime, t.Rows()-row)*rowBytes]
		if err := readFull(f.reader, chunk, t.start+int64(row)*int64(rowBytes)); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		for i := range len(chunk) / rowBytes {
			if err := use(row+i, chunk[i*rowBytes:(i+1)*rowBytes]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadFloats returns all numbers of a tensor.
func (f *File) ReadFloats(t *Tensor) ([]float32, error) {
	all := make([]float32, 0, t.Rows()*t.Columns())
	err := f.ReadRows(t, func(_ int, values []float32) error {
		all = append(all, values...)
		return nil
	})
	return all, err
}

// ReadIntegers returns all numbers of a tensor of integers.
func (f *File) ReadIntegers(t *Tensor) ([]int64, error) {
	if t.DType != I64 && t.DType != I32 {
		return nil, fmt.Errorf("tensor %q: its numbers are of the type %q, and integers are needed", t.Name, t.DType)
	}
	all := make([]int64, 0, t.Rows()*t.Columns())
	err := f.readChunks(t, func(_ int, raw []byte) error {
		for len(raw) > 0 {
			if t.DType == I64 {
				all, raw = append(all, int64(binary.LittleEndian.Uint64(raw))), raw[8:]
			} else {
				all, raw = append(all, int64(int32(binary.LittleEndian.Uint32(raw)))), raw[4:]
			}
		}
		return nil
	})
	return all, err
}

// floatDecoders convert the bytes of numbers, as many as there are places for.
var floatDecoders = map[DType]func(raw []byte, into []float32){
	F64: func(raw []byte, into []float32) {
		for i := range into {
			into[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])))
		}
	},
	F32: func(raw []byte, into []float32) {
		for i := range into {
			into[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	},
	F16: func(raw []byte, into []float32) {
		for i := range into {
			into[i] = halfToFloat(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	},
	BF16: func(raw []byte, into []float32) {
		for i := range into {
			into[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		}
	},
	I8: func(raw []byte, into []float32) {
		for i := range into {
			into[i] = float32(int8(raw[i]))
		}
	},
}

// halfToFloat converts a number of 16 bits: a sign, an exponent of five bits and a fraction of ten.
func halfToFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // no leading one
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
