package voice

import (
	"bufio"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"time"

	"parley/internal/audio"
	"parley/internal/voice/rtc"
)

const (
	recordingRate   = 8_000              // samples per second of a recording, as telephones have
	recordingFrame  = recordingRate / 50 // samples in 20 ms
	recordingDelay  = time.Second / 4    // after which what happened is written: by then it is known
	maxRecordingLag = recordingRate / 4  // samples of the customer that may wait to be written
	maxRecordingGap = recordingRate / 16 // samples that may come late without being a pause
)

// recording records a dialog into a WAV file: the customer on the left, what was played of the agent on the right. The
// dialog's goroutine owns it, except for the clips.
type recording struct {
	file      *os.File
	writer    *bufio.Writer
	startedAt time.Time
	frames    int // of 20 ms that have been written

	customerPCM    []int16 // what is still to be written
	resampler      *audio.Resampler
	clips          map[string]*clipAudio
	playbackEvents []playbackEvent
	playing        *clipAudio
	isHeld         bool
}

// clipAudio is the speech of a clip; it grows while it is synthesized.
type clipAudio struct {
	mu        sync.Mutex
	resampler *audio.Resampler
	pcm       []int16
}

// playbackEvent is a change in the playback of the agent's speech.
type playbackEvent struct {
	happenedAt time.Time
	apply      func()
}

// newRecording begins a recording in the folder.
func newRecording(dir string, now time.Time) (*recording, error) {
	resampler, err := audio.NewResampler(rtc.InputRate, recordingRate)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "voice-*")
	if err != nil {
		return nil, err
	}
	t := &recording{file: file, writer: bufio.NewWriterSize(file, 32<<10), startedAt: now, resampler: resampler,
		clips: map[string]*clipAudio{}}
	_, err = t.writer.Write(audio.WAVHeader(recordingRate, 2, 0))
	return t, err
}

// addCustomerAudio adds sound of the customer that came at a time. Nothing comes while they are muted.
func (t *recording) addCustomerAudio(sound []int16, at time.Time) {
	written := t.frames*recordingFrame + len(t.customerPCM)
	if gap := int(at.Sub(t.startedAt)*recordingRate/time.Second) - written; gap > maxRecordingGap {
		t.customerPCM = append(t.customerPCM, make([]int16, gap)...)
	}
	t.customerPCM = append(t.customerPCM, t.resampler.Push(sound)...)
	if extra := len(t.customerPCM) - 2*maxRecordingLag; extra > 0 {
		t.customerPCM = append(t.customerPCM[:0], t.customerPCM[extra:]...)
	}
}

// newClip returns where the speech of a clip is recorded, or nil if nothing is recorded.
func (t *recording) newClip(clip string) *clipAudio {
	if t == nil {
		return nil
	}
	resampler, err := audio.NewResampler(rtc.OutputRate, recordingRate)
	if err != nil {
		panic(err) // both rates are supported
	}
	r := &clipAudio{resampler: resampler}
	t.clips[clip] = r
	return r
}

func (r *clipAudio) write(sound []int16) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pcm = append(r.pcm, r.resampler.Push(sound)...)
}

// take removes and returns up to n samples.
func (r *clipAudio) take(n int) []int16 {
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

func (t *recording) clipStarted(clip string, at time.Time) {
	t.addEvent(at, func() {
		t.playing = t.clips[clip]
		delete(t.clips, clip)
	})
}

func (t *recording) clipEnded(clip string, at time.Time) {
	t.addEvent(at, func() { t.playing = nil; delete(t.clips, clip) })
}

func (t *recording) setHeld(isHeld bool, at time.Time) { t.addEvent(at, func() { t.isHeld = isHeld }) }

func (t *recording) playbackStopped(at time.Time) {
	t.addEvent(at, func() { t.playing, t.isHeld = nil, false; clear(t.clips) })
}

// addEvent adds a change that is applied when the recording is written up to its time; nil records nothing.
func (t *recording) addEvent(at time.Time, apply func()) {
	if t != nil {
		t.playbackEvents = append(t.playbackEvents, playbackEvent{at, apply})
	}
}

func (t *recording) writeUntil(until time.Time) error {
	var step [4 * recordingFrame]byte
	for {
		at := t.startedAt.Add(time.Duration(t.frames) * rtc.FrameTime)
		if at.After(until) {
			return nil
		}
		for len(t.playbackEvents) > 0 && !t.playbackEvents[0].happenedAt.After(at) {
			t.playbackEvents[0].apply()
			t.playbackEvents = t.playbackEvents[1:]
		}
		n := min(recordingFrame, len(t.customerPCM))
		var agent []int16
		if !t.isHeld {
			agent = t.playing.take(recordingFrame)
		}
		interleave(&step, t.customerPCM[:n], agent)
		t.customerPCM = t.customerPCM[n:]
		t.frames++
		if _, err := t.writer.Write(step[:]); err != nil {
			return err
		}
	}
}

// interleave writes two channels as frames of stereo; what is missing is silent.
func interleave(step *[4 * recordingFrame]byte, left, right []int16) {
	clear(step[:])
	for channel, pcm := range [][]int16{left, right} {
		for i, v := range pcm {
			binary.LittleEndian.PutUint16(step[4*i+2*channel:], uint16(v)) //nolint:gosec // the same bits
		}
	}
}

// close ends the recording and returns the file's path and the duration.
func (t *recording) close(now time.Time) (path string, length time.Duration, err error) {
	err = errors.Join(t.writeUntil(now), t.writer.Flush())
	_, headerErr := t.file.WriteAt(audio.WAVHeader(recordingRate, 2, t.frames*recordingFrame), 0)
	return t.file.Name(), time.Duration(t.frames) * rtc.FrameTime, errors.Join(err, headerErr, t.file.Close())
}

func (t *recording) discard() { _, _ = t.file.Close(), os.Remove(t.file.Name()) }
