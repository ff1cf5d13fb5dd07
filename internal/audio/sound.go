// Package audio holds sound as samples, signed 16 bit and one channel. It reads and writes WAV files and changes rates.
package audio

import (
	"encoding/binary"
	"time"
)

// Sound is samples of one rate.
type Sound struct {
	Rate int // samples per second
	PCM  []int16
}

// Duration returns how long the sound lasts.
func (s Sound) Duration() time.Duration { return Duration(len(s.PCM), s.Rate) }

// Duration returns how long so many samples last.
func Duration(samples, rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(samples) * time.Second / time.Duration(rate)
}

// FromBytes reads samples in little-endian order; half a sample at the end is left out.
func FromBytes(b []byte) []int16 {
	out := make([]int16, len(b)/2)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return out
}

// AppendBytes writes samples in little-endian order.
func AppendBytes(b []byte, samples []int16) []byte {
	for _, s := range samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(s))
	}
	return b
}
