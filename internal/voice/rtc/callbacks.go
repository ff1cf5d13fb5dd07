package rtc

import (
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

// callbacks are what the SDK calls, each in a goroutine of its own, and not always in order: whether the user is here is looked up
// and not concluded.
func (p *Participant) callbacks() *lksdk.RoomCallback {
	look := func(*lksdk.RemoteParticipant) { p.look() }
	return &lksdk.RoomCallback{
		OnParticipantConnected:    look,
		OnParticipantDisconnected: look,
		OnReconnecting:            p.cutOff,
		OnReconnected:             p.restored,
		OnDisconnected:            p.disconnected,
		// Told once, when the first subscriber's connection carries sound: nobody but the user may subscribe.
		OnLocalTrackSubscribed: func(*lksdk.LocalTrackPublication, *lksdk.LocalParticipant) { p.presence.prove() },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnTrackSubscribed:   p.subscribed,
			OnTrackUnsubscribed: p.unsubscribed,
			OnTrackMuted:        func(pub lksdk.TrackPublication, _ lksdk.Participant) { p.ears.mute(pub.SID(), true) },
			OnTrackUnmuted:      func(pub lksdk.TrackPublication, _ lksdk.Participant) { p.ears.mute(pub.SID(), false) },
			OnAttributesChanged: p.attributes,
			OnDataPacket:        p.data,
		},
	}
}

func (p *Participant) look() {
	p.presence.announce(p.room.GetParticipantByIdentity(p.config.User) != nil)
}

// subscribed hears the user's microphone and nothing else.
func (p *Participant) subscribed(track *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, who *lksdk.RemoteParticipant) {
	if who.Identity() != p.config.User || pub.Source() != livekit.TrackSource_MICROPHONE || track.Codec().MimeType != webrtc.MimeTypeOpus {
		_ = pub.SetSubscribed(false)
		return
	}
	p.presence.publish()
	p.ears.attach(track, pub.SID(), pub.IsMuted())
}

func (p *Participant) unsubscribed(_ *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
	p.ears.detach(pub.SID())
}

// attributes waits for the server to repeat the reason of the end: then it has sent it to the user as well.
func (p *Participant) attributes(changed map[string]string, who lksdk.Participant) {
	if _, ok := changed[AttributeReason]; ok && who.Identity() == p.room.LocalParticipant.Identity() {
		p.showOnce.Do(func() { close(p.shown) })
	}
}

func (p *Participant) data(packet lksdk.DataPacket, from lksdk.DataReceiveParams) {
	if user, ok := packet.(*lksdk.UserDataPacket); ok && user.Topic == TopicBye && from.SenderIdentity == p.config.User {
		p.presence.bye()
	}
}

func (p *Participant) cutOff() {
	p.reconnects.Add(1)
	p.mend(time.AfterFunc(cutOff, p.disconnected))
}

func (p *Participant) restored() { p.mend(nil) }

// mend changes the clock that runs while the agent is cut off.
func (p *Participant) mend(clock *time.Timer) {
	p.lostMu.Lock()
	defer p.lostMu.Unlock()
	if p.lost != nil {
		p.lost.Stop()
	}
	p.lost = clock
}

// disconnected ends what goes on when the room is gone.
func (p *Participant) disconnected() {
	select {
	case <-p.ctx.Done():
		return // we have left ourselves
	default:
	}
	p.tell(EventLost)
	go p.leave()
}
