package server_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4/pkg/media"
	"github.com/thesyncim/gopus"

	"parley/internal/audio"
	"parley/internal/testkit"
	"parley/internal/testkit/voicecaller"
	"parley/internal/voice/rtc"
)

// voiceClient is a customer's client in a session's room. Its microphone sends silence while the customer does not
// speak.
type voiceClient struct {
	voicecaller.Caller
	t            *testing.T
	stop         context.CancelFunc
	work         sync.WaitGroup
	disconnected chan struct{} // closed when the room is closed

	mu              sync.Mutex
	speech          []int16       // at 48 kHz, to be spoken
	hasEcho         bool          // its microphone hears the agent from the loudspeaker
	silenceSent     time.Duration // of silence sent since it spoke
	heardTime       time.Duration // of the agent's sound since the customer spoke
	segmentIDs      []string
	lines           map[string]string // of the transcript, by segment
	lineHistory     []string          // all versions of its lines
	agentAttributes map[string]string // its attributes
	agentStates     []rtc.State       // that it has shown
}

// joinRoom joins a room.
func joinRoom(t *testing.T, address, token string) *voiceClient {
	t.Helper()
	c := &voiceClient{t: t, lines: map[string]string{}, agentAttributes: map[string]string{},
		disconnected: make(chan struct{})}
	c.OnDisconnected = sync.OnceFunc(func() { close(c.disconnected) })
	c.OnAttributes = func(attributes map[string]string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.agentAttributes = attributes
		c.agentStates = append(c.agentStates, rtc.State(attributes[rtc.AttributeState]))
	}
	c.OnLine = func(line voicecaller.Line) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, known := c.lines[line.ID]; !known {
			c.segmentIDs = append(c.segmentIDs, line.ID)
		}
		c.lines[line.ID] = line.Text
		c.lineHistory = append(c.lineHistory, line.Text)
	}
	c.OnSound = c.handleSound
	c.Join(t, address, token)
	return c
}

// handleSound records for how long the agent was heard, and mixes what the loudspeaker plays into the microphone, 12 dB
// less loud.
func (c *voiceClient) handleSound(pcm []int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hasEcho {
		for _, v := range pcm {
			c.speech = append(c.speech, v/4, v/4, v/4)
		}
	}
	if voicecaller.IsLoud(pcm) {
		c.heardTime += audio.Duration(len(pcm), rtc.InputRate)
	}
}

// publishMicrophone opens the microphone.
func (c *voiceClient) publishMicrophone() {
	c.t.Helper()
	c.PublishMicrophone()
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.work.Go(func() { c.sendFrames(ctx) })
}

func (c *voiceClient) sendFrames(ctx context.Context) {
	e, err := voicecaller.NewEncoder()
	if err != nil {
		c.t.Error(err)
		return
	}
	beat := time.NewTicker(20 * time.Millisecond)
	defer beat.Stop()
	for next := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		// on a busy machine several frames are due at once
		for ; !next.After(time.Now()); next = next.Add(20 * time.Millisecond) {
			if c.sendFrame(e) != nil {
				return
			}
		}
	}
}

// sendFrame sends the next 20 ms.
func (c *voiceClient) sendFrame(e *gopus.Encoder) error {
	packet, frame := make([]byte, 1275), make([]int16, 960)
	c.mu.Lock()
	sampleCount := copy(frame, c.speech)
	c.speech = c.speech[sampleCount:]
	c.silenceSent += 20 * time.Millisecond
	if sampleCount > 0 {
		c.silenceSent = 0
	}
	c.mu.Unlock()
	n, err := e.EncodeInt16(frame, packet)
	if err != nil {
		return err
	}
	return c.Track.WriteSample(media.Sample{Data: packet[:n], Duration: 20 * time.Millisecond}, nil)
}

// newVowelGenerator returns a generator of a voice that says "aiaiai", at 48 kHz.
func newVowelGenerator() func() int16 {
	n, phase := 0, 0.0
	return func() int16 {
		at := float64(n) / 48000
		n++
		pitch := 120 + 25*math.Sin(2*math.Pi*1.3*at)
		phase += pitch / 48000
		formant := 600 + 250*math.Sin(4*math.Pi*at)
		v := 0.0
		for h := 1.0; h*pitch < 3500; h++ {
			v += math.Sin(2*math.Pi*h*phase) / (1 + math.Pow((h*pitch-formant)/200, 2)/4) / math.Sqrt(h)
		}
		return int16(3000 * v * (0.65 + 0.35*math.Cos(8*math.Pi*at)))
	}
}

// speakFor speaks for a duration.
func (c *voiceClient) speakFor(length time.Duration) {
	c.t.Helper()
	sound, voice := make([]int16, int(length*48/time.Millisecond)), newVowelGenerator()
	for i := range sound {
		sound[i] = voice()
	}
	c.speak(sound)
	c.waitUntilSpoken()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heardTime = 0
}

// speak speaks a recording, at 48 kHz.
func (c *voiceClient) speak(words []int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.speech, c.heardTime = words, 0
}

// waitUntilSpoken waits for the end of the speech.
func (c *voiceClient) waitUntilSpoken() {
	c.t.Helper()
	testkit.Eventually(c.t, "the end of the speech", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.speech) == 0
	})
}

// waitForSilence waits until the client has sent a duration of silence.
func (c *voiceClient) waitForSilence(length time.Duration) {
	c.t.Helper()
	testkit.Eventually(c.t, "silence", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.silenceSent >= length
	})
}

// sawLine reports whether a line of the transcript ever was this text.
func (c *voiceClient) sawLine(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.lineHistory, text)
}

// leaveRoom sends the message that hangs up, and waits for the end of the room.
func (c *voiceClient) leaveRoom() {
	c.t.Helper()
	_ = c.Room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil), lksdk.WithDataPublishTopic(rtc.TopicBye),
		lksdk.WithDataPublishReliable(true))
	select {
	case <-c.disconnected:
	case <-time.After(testkit.WaitTimeout):
		c.t.Error("the room does not end")
	}
	c.disconnect()
}

// waitForAgentSpeech waits until so much sound of the agent has been heard since the caller spoke.
func (c *voiceClient) waitForAgentSpeech(length time.Duration) {
	c.t.Helper()
	testkit.Eventually(c.t, "the agent's voice", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.heardTime >= length
	})
}

func (c *voiceClient) disconnect() {
	if c.stop != nil {
		c.stop()
		c.work.Wait()
	}
	c.Room.Disconnect()
}

// transcript joins the lines.
func (c *voiceClient) transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, id := range c.segmentIDs {
		all = append(all, c.lines[id])
	}
	return strings.Join(all, "|")
}

func (c *voiceClient) waitForTranscript(want string) {
	c.t.Helper()
	testkit.Eventually(c.t, "transcript "+want, func() bool { return c.transcript() == want })
}

// waitUntilShown waits until the agent has shown a state, which may be over.
func (c *voiceClient) waitUntilShown(state rtc.State) {
	c.t.Helper()
	testkit.Eventually(c.t, "a time of state "+string(state), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.Contains(c.agentStates, state)
	})
}

func (c *voiceClient) waitForState(want rtc.State) {
	c.t.Helper()
	testkit.Eventually(c.t, "state "+string(want), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.agentAttributes[rtc.AttributeState] == string(want)
	})
}
