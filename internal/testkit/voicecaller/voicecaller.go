// Package voicecaller is a customer's client in the room of a voice session.
package voicecaller

import (
	"slices"
	"testing"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/thesyncim/gopus"

	"parley/internal/voice/rtc"
)

// Line is a segment of the transcript as the client receives it.
type Line struct{ ID, Final, Text, From string }

// Caller is a customer's client. Its functions, which may be nil, are called from any goroutine.
type Caller struct {
	OnAttributes   func(attributes map[string]string) // the agent's
	OnLine         func(Line)
	OnFault        func(message string)
	OnSound        func(pcm []int16) // of the agent, at rtc.InputRate
	OnDisconnected func()

	Room        *lksdk.Room
	Track       *lksdk.LocalTrack // the microphone; nil before PublishMicrophone
	Publication *lksdk.LocalTrackPublication
	t           *testing.T
}

// Join joins a room until the end of the test.
func (c *Caller) Join(t *testing.T, address, token string) {
	t.Helper()
	c.t = t
	check := func(p lksdk.Participant) {
		if p.Kind() == lksdk.ParticipantAgent && c.OnAttributes != nil {
			c.OnAttributes(p.Attributes())
		}
	}
	c.Room = lksdk.NewRoom(&lksdk.RoomCallback{
		OnDisconnected:         c.OnDisconnected,
		OnParticipantConnected: func(p *lksdk.RemoteParticipant) { check(p) },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnAttributesChanged: func(_ map[string]string, p lksdk.Participant) { check(p) },
			OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
				go c.decodeTrack(track)
			},
			OnDataPacket: func(d lksdk.DataPacket, _ lksdk.DataReceiveParams) {
				if d, ok := d.(*lksdk.UserDataPacket); ok && d.Topic == rtc.TopicFault && c.OnFault != nil {
					c.OnFault(string(d.Payload))
				}
			},
		},
	})
	t.Cleanup(c.Room.Disconnect)
	c.check(c.Room.RegisterTextStreamHandler(rtc.TopicTranscript, func(r *lksdk.TextStreamReader, from string) {
		id, final := r.Info.Attributes["lk.segment_id"], r.Info.Attributes["lk.transcription_final"]
		c.OnLine(Line{ID: id, Final: final, Text: r.ReadAll(), From: from})
	}))
	// without TURN, whose client runs for seconds after the room is closed
	c.check(c.Room.JoinWithToken(address, token, lksdk.WithDisableTURN()))
	for _, p := range c.Room.GetRemoteParticipants() {
		check(p)
	}
}

func (c *Caller) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *Caller) decodeTrack(track *webrtc.TrackRemote) {
	d, err := gopus.NewDecoder(gopus.DefaultDecoderConfig(rtc.InputRate, 1))
	if err != nil {
		c.t.Error(err)
		return
	}
	pcm := make([]int16, 5760)
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		if n, err := d.DecodeInt16(p.Payload, pcm); err == nil && len(p.Payload) > 0 {
			c.OnSound(pcm[:n])
		}
	}
}

// PublishMicrophone opens the microphone; the test writes its packets to Track.
func (c *Caller) PublishMicrophone() {
	c.t.Helper()
	var err error
	opus := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000, Channels: 2}
	c.Track, err = lksdk.NewLocalTrack(opus)
	c.check(err)
	c.Publication, err = c.Room.LocalParticipant.PublishTrack(c.Track,
		&lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE})
	c.check(err)
}

// SendText sends a typed message.
func (c *Caller) SendText(text string) {
	c.Room.LocalParticipant.SendText(text, lksdk.StreamTextOptions{Topic: rtc.TopicText})
}

// NewEncoder returns an encoder of what a microphone sends.
func NewEncoder() (*gopus.Encoder, error) {
	return gopus.NewEncoder(gopus.EncoderConfig{SampleRate: 48_000, Channels: 1, Application: gopus.ApplicationVoIP})
}

// IsLoud reports whether there is any sound in samples.
func IsLoud(pcm []int16) bool {
	return slices.ContainsFunc(pcm, func(v int16) bool { return v > 300 || v < -300 })
}
