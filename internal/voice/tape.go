package voice

import (
	"bufio"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"time"

	"parley/internal/pcm"
	"parley/internal/voice/rtc"
)

const (
	tapeRate  = 8_000           // samples per second of a recording, as telephones have
	tapeStep  = tapeRate / 50   // samples of 20 ms
	tapeDelay = time.Second / 4 // until what happened is written: by then it is known
	tapeLag   = tapeRate / 4    // samples of the customer that may wait to be written
	tapeGap   = tapeRate / 16   // samples that may come late without being a pause
)

// tape records a talk into a WAV file: the customer on the left, on the right what was played of the agent. The talk's goroutine owns
// it, but for its reels.
type tape struct {
	file  *os.File
	out   *bufio.Writer
	began time.Time
	steps int // of 20 ms that are written

	customer []int16 // what is to be written of it
	thin     *pcm.Resampler
	reels    map[string]*reel
	cues     []cue
	playing  *reel
	held     bool
}

// reel is the speech of a clip; it grows while it is made.
type reel struct {
	mu   sync.Mutex
	thin *pcm.Resampler
	pcm  []int16
}

// cue is something that happened to the agent's sound.
type cue struct {
	at time.Time
	do func()
}

// newTape begins a recording in the folder.
func newTape(dir string, now time.Time) (*tape, error) {
	thin, err := pcm.NewResampler(rtc.HearRate, tapeRate)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "voice-*")
	if err != nil {
		return nil, err
	}
	t := &tape{file: file, out: bufio.NewWriterSize(file, 32<<10), began: now, thin: thin, reels: map[string]*reel{}}
	_, err = t.out.Write(tapeHeader(0))
	return t, err
}

// tapeHeader is that of a WAV file with two channels of so many samples.
func tapeHeader(samples int) []byte {
	size := uint32(4 * samples) //nolint:gosec // the longest call is far from 2^30 samples
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("RIFF"), 36+size)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = append(b, 1, 0, 2, 0)
	b = le.AppendUint32(le.AppendUint32(b, tapeRate), 4*tapeRate)
	b = append(b, 4, 0, 16, 0)
	return le.AppendUint32(append(b, "data"...), size)
}

// hear takes what came of the customer at a moment. Nothing comes of one who is muted.
func (t *tape) hear(sound []int16, at time.Time) {
	written := t.steps*tapeStep + len(t.customer)
	if gap := int(at.Sub(t.began)*tapeRate/time.Second) - written; gap > tapeGap {
		t.customer = append(t.customer, make([]int16, gap)...)
	}
	t.customer = append(t.customer, t.thin.Push(sound)...)
	if extra := len(t.customer) - 2*tapeLag; extra > 0 {
		t.customer = append(t.customer[:0], t.customer[extra:]...)
	}
}

// reel makes a reel for a clip.
func (t *tape) reel(clip string) *reel {
	thin, err := pcm.NewResampler(rtc.SpeakRate, tapeRate)
	if err != nil {
		panic(err) // of two rates that are known
	}
	r := &reel{thin: thin}
	t.reels[clip] = r
	return r
}

func (r *reel) add(sound []int16) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pcm = append(r.pcm, r.thin.Push(sound)...)
}

// take gives the next samples; fewer at the end.
func (r *reel) take(n int) []int16 {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, len(r.pcm))
	taken := r.pcm[:n]
	r.pcm = r.pcm[n:]
	return taken
}

func (t *tape) started(clip string, at time.Time) {
	t.cues = append(t.cues, cue{at, func() { t.playing = t.reels[clip]; delete(t.reels, clip) }})
}

func (t *tape) ended(clip string, at time.Time) {
	t.cues = append(t.cues, cue{at, func() { t.playing = nil; delete(t.reels, clip) }})
}

func (t *tape) hold(held bool, at time.Time) {
	t.cues = append(t.cues, cue{at, func() { t.held = held }})
}

func (t *tape) stopped(at time.Time) {
	t.cues = append(t.cues, cue{at, func() { t.playing, t.held = nil, false; clear(t.reels) }})
}

// advance writes what is certain by now.
func (t *tape) advance(now time.Time) error { return t.writeUntil(now.Add(-tapeDelay)) }

func (t *tape) writeUntil(until time.Time) error {
	var step [4 * tapeStep]byte
	for {
		at := t.began.Add(time.Duration(t.steps) * rtc.FrameTime)
		if at.After(until) {
			return nil
		}
		for len(t.cues) > 0 && !t.cues[0].at.After(at) {
			t.cues[0].do()
			t.cues = t.cues[1:]
		}
		n := min(tapeStep, len(t.customer))
		var agent []int16
		if !t.held {
			agent = t.playing.take(tapeStep)
		}
		interleave(&step, t.customer[:n], agent)
		t.customer = t.customer[n:]
		t.steps++
		if _, err := t.out.Write(step[:]); err != nil {
			return err
		}
	}
}

// interleave puts two channels side by side; what is missing is silent.
func interleave(step *[4 * tapeStep]byte, left, right []int16) {
	clear(step[:])
	for i, v := range left {
		binary.LittleEndian.PutUint16(step[4*i:], uint16(v)) //nolint:gosec // the same bits
	}
	for i, v := range right {
		binary.LittleEndian.PutUint16(step[4*i+2:], uint16(v)) //nolint:gosec // the same bits
	}
}

// close ends the recording and gives the file's path and how long it is.
func (t *tape) close(now time.Time) (path string, length time.Duration, err error) {
	err = errors.Join(t.writeUntil(now), t.out.Flush())
	_, again := t.file.WriteAt(tapeHeader(t.steps*tapeStep), 0)
	return t.file.Name(), time.Duration(t.steps) * rtc.FrameTime, errors.Join(err, again, t.file.Close())
}

// drop removes a recording that is not to be kept.
func (t *tape) drop() { _, _ = t.file.Close(), os.Remove(t.file.Name()) }
