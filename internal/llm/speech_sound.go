package llm

import (
	"errors"
	"io"
	"time"

	"parley/internal/pcm"
)

const (
	soundBuffer = 16 << 10
	firstSound  = 20 * time.Millisecond // a piece is at least so long, and so is the first
)

// sounds hands on the samples that r sends, until its end or an error. It returns errStopped when the consumer has had enough,
// and errSoundEnd when more comes than there can be. None at all is an error too.
func sounds(r io.Reader, rate int, most time.Duration, yield func(pcm.Sound, error) bool) error {
	least := 2 * int(int64(rate)*int64(firstSound)/int64(time.Second))
	buf := make([]byte, soundBuffer)
	kept, total := 0, 0 // bytes waiting in buf, samples handed on
	for {
		n, err := kept, error(nil)
		for n < least && err == nil {
			var more int
			more, err = r.Read(buf[n:])
			n += more
		}
		if samples := pcm.FromBytes(buf[:n]); len(samples) > 0 {
			total += len(samples)
			if !yield(pcm.Sound{Rate: rate, PCM: samples}, nil) {
				return errStopped
			}
		}
		kept = copy(buf, buf[n-n%2:n])
		switch {
		case errors.Is(err, io.EOF) && total == 0:
			return errNoSound
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case pcm.Duration(total, rate) > most:
			return errSoundEnd
		}
	}
}
