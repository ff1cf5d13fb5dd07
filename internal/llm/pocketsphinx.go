package llm

import (
	"bytes"
	"context"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"parley/internal/pcm"
)

// Pocketsphinx understands English with the program pocketsphinx_continuous, one process for each segment. It needs no network
// and understands far less than a speech server: it is for trying out and for tests.
type Pocketsphinx struct {
	Program string        // path of pocketsphinx_continuous
	Wait    time.Duration // longest time for a segment, beside its own length; 0 is 10 s

	once  sync.Once
	seats chan struct{} // one for each process: they take 100 MB and a processor each
}

var _ Transcriber = (*Pocketsphinx)(nil)

// Transcribe implements Transcriber.
func (p *Pocketsphinx) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	return func(yield func(Transcript, error) bool) {
		text, err := p.transcribe(ctx, s)
		if err != nil {
			yield(Transcript{}, speechFailed(cannotHear, err, ""))
			return
		}
		yield(Transcript{Text: text, Final: true}, nil)
	}
}

func (p *Pocketsphinx) transcribe(ctx context.Context, s Segment) (string, error) {
	if s.duration() > longestHearing {
		return "", errSoundEnd
	}
	if len(s.PCM) == 0 {
		return "", nil
	}
	p.once.Do(func() { p.seats = make(chan struct{}, runtime.NumCPU()) })
	select {
	case p.seats <- struct{}{}:
		defer func() { <-p.seats }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	sound := pcm.AppendBytes(nil, s.PCM)
	sound = append(sound, make([]byte, 2*HearingRate/2)...) // half a second of silence ends the last word
	out, err := runProgram(ctx, or(p.Wait, 10*time.Second)+s.duration(), maxText, bytes.NewReader(sound), p.Program,
		"-infile", "/dev/stdin", "-logfn", os.DevNull)
	return strings.Join(strings.Fields(string(out)), " "), err
}
