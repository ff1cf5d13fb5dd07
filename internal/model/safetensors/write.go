package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Floats is a tensor to write, as numbers of 32 bits.
type Floats struct {
	Name   string
	Shape  []int
	Values []float32
}

// Write writes a file of tensors.
func Write(w io.Writer, list []Floats) error {
	type entry struct {
		DType   DType  `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header, end := map[string]entry{}, 0
	for _, t := range list {
		start := end
		end += 4 * len(t.Values)
		header[t.Name] = entry{F32, t.Shape, [2]int{start, end}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("write the header: %w", err)
	}
	for len(text)%lengthBytes != 0 {
		text = append(text, ' ')
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)); err != nil {
		return err
	}
	for _, t := range list {
		if err := writeNumbers(w, t.Values); err != nil {
			return err
		}
	}
	return nil
}

func writeNumbers(w io.Writer, values []float32) error {
	buffer := make([]byte, 0, bufferBytes)
	for i, v := range values {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(v))
		if len(buffer) < bufferBytes && i < len(values)-1 {
			continue
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
		buffer = buffer[:0]
	}
	return nil
}
