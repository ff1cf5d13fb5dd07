package local

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"parley/internal/audio"
	"parley/internal/httpclient"
	"parley/internal/speech"
)

// Pocketsphinx understands English with the program pocketsphinx_continuous, one process for each segment. It needs no
// network and understands far less than a speech server: it is for trying out and for tests.
type Pocketsphinx struct {
	Program string        // path of pocketsphinx_continuous
	Timeout time.Duration // longest time for a segment, beside its own length; 0 is 10 s

	once  sync.Once
	slots chan struct{} // one for each process: they take 100 MB and a processor each
}

// PocketsphinxEngine returns the row of this engine.
func PocketsphinxEngine() speech.TranscriberEngine {
	return speech.TranscriberEngine{Name: "pocketsphinx", Program: "pocketsphinx_continuous",
		New: func(c speech.EngineConfig) speech.Transcriber { return &Pocketsphinx{Program: c.Program} }}
}

// Transcribe implements speech.Transcriber.
func (p *Pocketsphinx) Transcribe(ctx context.Context, s speech.Segment) iter.Seq2[speech.Transcript, error] {
	return func(yield func(speech.Transcript, error) bool) {
		text, err := p.transcribe(ctx, s)
		if err != nil {
			yield(speech.Transcript{}, speech.TranscriptionError(err, ""))
			return
		}
		yield(speech.Transcript{Text: text, IsFinal: true}, nil)
	}
}

func (p *Pocketsphinx) transcribe(ctx context.Context, s speech.Segment) (string, error) {
	if s.Duration() > speech.MaxSegmentDuration {
		return "", speech.ErrSoundTooLong
	}
	if len(s.PCM) == 0 {
		return "", nil
	}
	p.once.Do(func() { p.slots = make(chan struct{}, runtime.NumCPU()) })
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	sound := audio.AppendBytes(nil, s.PCM)
	sound = append(sound, make([]byte, 2*speech.SampleRate/2)...) // half a second of silence ends the last word
	out, err := runProgram(ctx, cmp.Or(p.Timeout, 10*time.Second)+s.Duration(), httpclient.MaxTextBytes,
		bytes.NewReader(sound), p.Program, "-infile", "/dev/stdin", "-logfn", os.DevNull)
	return strings.Join(strings.Fields(string(out)), " "), err
}
