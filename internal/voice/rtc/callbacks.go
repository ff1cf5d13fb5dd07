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
			OnTrackMuted:        func(pub lksdk.TrackPublication, _ lksdk.Participant) { p.ears.mute(pub.SID(), pub.IsMuted) },
			OnTrackUnmuted:      func(pub lksdk.TrackPublication, _ lksdk.Participant) { p.ears.mute(pub.SID(), pub.IsMuted) },
			OnAttributesChanged: p.attributes,
			// When the agent comes back it has a new connection, and publishes its track again first of all.
			OnLocalTrackUnpublished: func(*lksdk.LocalTrackPublication, *lksdk.LocalParticipant) { p.watch() },
		},
	}
}

// look finds out whether the user is here. An agent that is cut off sees nobody.
func (p *Participant) look() {
	if p.isCutOff() {
		return
	}
	p.presence.announce(p.room.GetParticipantByIdentity(p.config.User) != nil)
}

// subscribed hears the user's microphone and nothing else.
func (p *Participant) subscribed(track *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, who *lksdk.RemoteParticipant) {
	if who.Identity() != p.config.User || pub.Source() != livekit.TrackSource_MICROPHONE || track.Codec().MimeType != webrtc.MimeTypeOpus {
		drop(pub)
		return
	}
	p.presence.publish()
	p.ears.attach(track, pub.SID(), pub.IsMuted, func() { drop(pub) })
}

// drop has the server send a track no more. One that is gone cannot be dropped, and need not be.
func drop(pub *lksdk.RemoteTrackPublication) { _ = pub.SetSubscribed(false) }

// unsubscribed hears a track no more. Where its user has gone with it that is noticed first: they are not taken for one who is silent.
func (p *Participant) unsubscribed(_ *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
	p.look()
	p.ears.detach(pub.SID())
}

// attributes follows those of the agent. The first ones come with the answer to its joining, before anything is connected. When the
// server repeats the reason of the end, it has sent it to the user as well.
func (p *Participant) attributes(changed map[string]string, who lksdk.Participant) {
	if who.Identity() != p.room.LocalParticipant.Identity() {
		return
	}
	p.watch()
	if _, ok := changed[AttributeReason]; ok {
		p.showOnce.Do(func() { close(p.shown) })
	}
}

func (p *Participant) watch() { p.inbox.watch(p.room.LocalParticipant.GetSubscriberPeerConnection()) }

// said takes a typed message.
func (p *Participant) said(text string) {
	now := p.config.Now()
	p.seen(now)
	p.presence.prove()
	p.happened.put(Event{Kind: EventText, At: now, Text: text})
}

// bye takes the user's farewell.
func (p *Participant) bye() {
	p.seen(p.config.Now())
	p.presence.bye()
}

// cutOff starts the clock that runs while the agent has no connection. Another attempt does not set it back.
func (p *Participant) cutOff() {
	p.lostMu.Lock()
	defer p.lostMu.Unlock()
	if p.lost == nil {
		p.lost = time.AfterFunc(cutOff, p.disconnected)
	}
}

func (p *Participant) isCutOff() bool {
	p.lostMu.Lock()
	defer p.lostMu.Unlock()
	return p.lost != nil
}

// mend stops the clock.
func (p *Participant) mend() {
	p.lostMu.Lock()
	defer p.lostMu.Unlock()
	if p.lost != nil {
		p.lost.Stop()
		p.lost = nil
	}
}

func (p *Participant) restored() {
	p.mend()
	p.reconnects.Add(1)
	p.showAgain()
	p.look()
	p.config.Log.Info("the agent is connected again", "user", p.config.User)
}

// disconnected ends what goes on when the room is gone.
func (p *Participant) disconnected() {
	select {
	case <-p.ctx.Done():
		return // we have left ourselves
	default:
	}
	p.goneOnce.Do(func() {
		p.tell(EventLost)
		go p.leave()
	})
}
