// Package audio holds sound as samples, signed 16 bit and one channel. It reads and writes WAV files and changes rates.
package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
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

const (
	wavFormatPCM                 = 1
	wavFormatExtensible          = 0xFFFE      // the true format is further behind
	maxFormatBytes               = 40          // bytes of the chunk that tells the format
	maxHeaderBytes               = 64 << 10    // bytes of chunks before the samples
	minSampleRate, maxSampleRate = 8000, 48000 // samples per second
)

var errNoWAV = errors.New("not a WAV file")

// ReadWAV reads a whole EncodeWAV file of 16-bit samples in one channel. Where rates are named, a file of another one
// is refused; otherwise it may have any from 8,000 to 48,000. A file that holds less than it says is refused.
func ReadWAV(file []byte, rates ...int) (Sound, error) {
	r := bytes.NewReader(file)
	h, err := readHeader(r)
	samples := file[len(file)-r.Len():]
	switch {
	case err != nil:
		return Sound{}, err
	case len(rates) > 0 && !slices.Contains(rates, h.rate):
		return Sound{}, fmt.Errorf("a WAV file with %d samples per second, where %v are wanted", h.rate, rates)
	case int64(h.size) > int64(len(samples)) || int64(h.riffSize)+8 > int64(len(file)):
		return Sound{}, fmt.Errorf("a WAV file that is cut: %d bytes of samples are announced, %d are there", h.size,
			len(samples))
	case h.size%2 != 0:
		return Sound{}, errors.New("a WAV file with half a sample at its end")
	}
	return Sound{Rate: h.rate, PCM: FromBytes(samples[:h.size])}, nil
}

// ReadWAVRate reads a WAV stream up to its first sample and returns its rate. The size in its header is ignored: a
// stream that is written while somebody speaks does not know it yet.
func ReadWAVRate(r io.Reader) (rate int, err error) {
	h, err := readHeader(r)
	return h.rate, err
}

// EncodeWAV returns a WAV file.
func EncodeWAV(s Sound) []byte { return AppendBytes(WAVHeader(s.Rate, 1, len(s.PCM)), s.PCM) }

// WAVHeader returns the header of a WAV file with so many samples in each channel.
func WAVHeader(rate, channels, samples int) []byte {
	le, frame := binary.LittleEndian, byte(2*channels)
	size := uint32(2 * channels * samples)
	b := le.AppendUint32([]byte("RIFF"), 36+size)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = append(b, wavFormatPCM, 0, byte(channels), 0)
	b = le.AppendUint32(le.AppendUint32(b, uint32(rate)), uint32(rate)*uint32(frame))
	b = append(b, frame, 0, 16, 0)
	return le.AppendUint32(append(b, "data"...), size)
}

type wavHeader struct {
	riffSize uint32 // bytes after its own field
	rate     int
	size     uint32 // bytes of samples
}

func readHeader(r io.Reader) (h wavHeader, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return h, errors.Join(errNoWAV, err)
	}
	h.riffSize = binary.LittleEndian.Uint32(head[4:])
	for before := 0; before < maxHeaderBytes; {
		if _, err := io.ReadFull(r, head[:8]); err != nil {
			return h, errors.Join(errNoWAV, err)
		}
		size := binary.LittleEndian.Uint32(head[4:])
		before += 8
		switch name := string(head[:4]); {
		case name == "data" && h.rate == 0:
			return h, errors.New("a WAV file that does not tell its format")
		case name == "data":
			h.size = size
			return h, nil
		case size > maxHeaderBytes || name == "fmt " && size > maxFormatBytes:
			return h, fmt.Errorf("a WAV file with a chunk %q of %d bytes", name, size)
		}
		chunk := make([]byte, size+size%2)
		if _, err := io.ReadFull(r, chunk); err != nil {
			return h, errors.Join(errNoWAV, err)
		}
		before += len(chunk)
		if string(head[:4]) == "fmt " {
			if h.rate, err = readFormat(chunk[:size]); err != nil {
				return h, err
			}
		}
	}
	return h, errors.New("a WAV file without samples")
}

// readFormat checks that the samples are of the form that this package uses, and returns their rate.
func readFormat(b []byte) (rate int, err error) {
	if len(b) < 16 {
		return 0, errNoWAV
	}
	format, channels := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
	perSecond, bytesPerSecond := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	align, bits := binary.LittleEndian.Uint16(b[12:]), binary.LittleEndian.Uint16(b[14:])
	if format == wavFormatExtensible && len(b) >= 26 {
		format = binary.LittleEndian.Uint16(b[24:])
	}
	switch {
	case format != wavFormatPCM || bits != 16 || channels != 1:
		return 0, fmt.Errorf("a WAV file of format %d with %d bits in %d channels; "+
			"PCM with 16 bits in one channel is wanted", format, bits, channels)
	case perSecond < minSampleRate || perSecond > maxSampleRate:
		return 0, fmt.Errorf("a WAV file with %d samples per second", perSecond)
	case align != 2 || bytesPerSecond != 2*perSecond:
		return 0, errors.New("a WAV file whose format contradicts itself")
	}
	return int(perSecond), nil
}
