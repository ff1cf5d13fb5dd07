package speech

import (
	"errors"
	"io"
	"time"

	"parley/internal/audio"

	"parley/internal/httpclient"
)

const (
	soundBufferBytes = 16 << 10
	minPieceDuration = 20 * time.Millisecond // a piece is at least so long, and so is the first
)

// StreamSamples hands on the samples that r sends, until its end or an error. It returns httpclient.ErrConsumerStopped when the consumer has had enough,
// and ErrSoundTooLong when more comes than there can be. None at all is an error too.
func StreamSamples(r io.Reader, rate int, most time.Duration, yield func(audio.Sound, error) bool) error {
	least := 2 * int(int64(rate)*int64(minPieceDuration)/int64(time.Second))
	buf := make([]byte, soundBufferBytes)
	pendingBytes, total := 0, 0 // bytes waiting in buf, samples handed on
	for {
		n, err := pendingBytes, error(nil)
		for n < least && err == nil {
			var more int
			more, err = r.Read(buf[n:])
			n += more
		}
		if samples := audio.FromBytes(buf[:n]); len(samples) > 0 {
			total += len(samples)
			if !yield(audio.Sound{Rate: rate, PCM: samples}, nil) {
				return httpclient.ErrConsumerStopped
			}
		}
		pendingBytes = copy(buf, buf[n-n%2:n])
		switch {
		case errors.Is(err, io.EOF) && total == 0:
			return ErrNoSound
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case audio.Duration(total, rate) > most:
			return ErrSoundTooLong
		}
	}
}
