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
func (r *recording) addCustomerAudio(sound []int16, at time.Time) {
	size := r.frames*recordingFrame + len(r.customerPCM)
	if gap := int(at.Sub(r.startedAt)*recordingRate/time.Second) - size; gap > maxRecordingGap {
		r.customerPCM = append(r.customerPCM, make([]int16, gap)...)
	}
	r.customerPCM = append(r.customerPCM, r.resampler.Push(sound)...)
	if extra := len(r.customerPCM) - 2*maxRecordingLag; extra > 0 {
		r.customerPCM = append(r.customerPCM[:0], r.customerPCM[extra:]...)
	}
}

// newClip returns where the speech of a clip is recorded, or nil if nothing is recorded.
func (r *recording) newClip(clip string) *clipAudio {
	if r == nil {
		return nil
	}
	resampler, err := audio.NewResampler(rtc.OutputRate, recordingRate)
	if err != nil {
		panic(err) // both rates are supported
	}
	c := &clipAudio{resampler: resampler}
	r.clips[clip] = c
	return c
}

func (c *clipAudio) write(sound []int16) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pcm = append(c.pcm, c.resampler.Push(sound)...)
}

// take removes and returns up to n samples.
func (c *clipAudio) take(n int) []int16 {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n = min(n, len(c.pcm))
	taken := c.pcm[:n]
	c.pcm = c.pcm[n:]
	return taken
}

func (r *recording) clipStarted(clip string, at time.Time) {
	r.addEvent(at, func() {
		r.playing = r.clips[clip]
		delete(r.clips, clip)
	})
}

func (r *recording) clipEnded(clip string, at time.Time) {
	r.addEvent(at, func() { r.playing = nil; delete(r.clips, clip) })
}

func (r *recording) setHeld(isHeld bool, at time.Time) { r.addEvent(at, func() { r.isHeld = isHeld }) }

func (r *recording) playbackStopped(at time.Time) {
	r.addEvent(at, func() { r.playing, r.isHeld = nil, false; clear(r.clips) })
}

// addEvent adds a change that is applied when the recording is written up to its time; nil records nothing.
func (r *recording) addEvent(at time.Time, apply func()) {
	if r != nil {
		r.playbackEvents = append(r.playbackEvents, playbackEvent{at, apply})
	}
}

func (r *recording) writeUntil(until time.Time) error {
	var step [4 * recordingFrame]byte
	for {
		at := r.startedAt.Add(time.Duration(r.frames) * rtc.FrameTime)
		if at.After(until) {
			return nil
		}
		for len(r.playbackEvents) > 0 && !r.playbackEvents[0].happenedAt.After(at) {
			r.playbackEvents[0].apply()
			r.playbackEvents = r.playbackEvents[1:]
		}
		n := min(recordingFrame, len(r.customerPCM))
		var agent []int16
		if !r.isHeld {
			agent = r.playing.take(recordingFrame)
		}
		interleave(&step, r.customerPCM[:n], agent)
		r.customerPCM = r.customerPCM[n:]
		r.frames++
		if _, err := r.writer.Write(step[:]); err != nil {
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
func (r *recording) close(now time.Time) (path string, length time.Duration, err error) {
	err = errors.Join(r.writeUntil(now), r.writer.Flush())
	_, headerErr := r.file.WriteAt(audio.WAVHeader(recordingRate, 2, r.frames*recordingFrame), 0)
	return r.file.Name(), time.Duration(r.frames) * rtc.FrameTime, errors.Join(err, headerErr, r.file.Close())
}

func (r *recording) discard() { _, _ = r.file.Close(), os.Remove(r.file.Name()) }
