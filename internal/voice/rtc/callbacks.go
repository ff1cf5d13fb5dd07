//go:build !novoice

package rtc

import (
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

// callbacks returns the callbacks of the SDK, which calls each in a goroutine of its own and not always in order: so
// the user's presence is looked up and not derived from them.
func (p *Participant) callbacks() *lksdk.RoomCallback {
	check := func(*lksdk.RemoteParticipant) { p.checkPresence() }
	muted := func(pub lksdk.TrackPublication, _ lksdk.Participant) { p.receiver.updateMuted(pub.SID(), pub.IsMuted) }
	return &lksdk.RoomCallback{
		OnParticipantConnected:    check,
		OnParticipantDisconnected: check,
		OnReconnecting:            p.startLostTimer,
		OnReconnected:             p.handleReconnected,
		OnDisconnected:            p.handleDisconnected,
		// Called once, when the first subscriber's connection carries sound: only the user may subscribe.
		OnLocalTrackSubscribed: func(*lksdk.LocalTrackPublication, *lksdk.LocalParticipant) { p.presence.handleUserSign() },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnTrackSubscribed:   p.handleSubscribed,
			OnTrackUnsubscribed: p.handleUnsubscribed,
			OnTrackMuted:        muted,
			OnTrackUnmuted:      muted,
			OnAttributesChanged: p.handleAttributes,
			// When the agent reconnects it has a new connection, and first publishes its track again.
			OnLocalTrackUnpublished: func(*lksdk.LocalTrackPublication, *lksdk.LocalParticipant) { p.watchDataChannels() },
		},
	}
}

// checkPresence looks up whether the user is in the room. An agent that is disconnected sees nobody.
func (p *Participant) checkPresence() {
	if p.isDisconnected() {
		return
	}
	p.presence.handleAnnounced(p.room.GetParticipantByIdentity(p.config.UserIdentity) != nil)
}

// handleSubscribed attaches the user's microphone, and unsubscribes from everything else.
func (p *Participant) handleSubscribed(track *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication,
	participant *lksdk.RemoteParticipant) {
	if participant.Identity() != p.config.UserIdentity || pub.Source() != livekit.TrackSource_MICROPHONE ||
		track.Codec().MimeType != webrtc.MimeTypeOpus {
		unsubscribe(pub)
		return
	}
	p.presence.handlePublished()
	p.receiver.attach(track, pub.SID(), pub.IsMuted, func() { unsubscribe(pub) })
}

// unsubscribe asks the server to stop sending a track. It may fail for a track that is gone.
func unsubscribe(pub *lksdk.RemoteTrackPublication) { _ = pub.SetSubscribed(false) }

// handleUnsubscribed detaches a track. It first checks whether its user has left too, so that they are not considered
// muted.
func (p *Participant) handleUnsubscribed(_ *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication,
	_ *lksdk.RemoteParticipant) {
	p.checkPresence()
	p.receiver.detach(pub.SID())
}

// handleAttributes handles changes of the agent's own attributes. The first come with the answer to its join, before
// anything is connected. When the server repeats the reason of the end, it has sent it to the user as well.
func (p *Participant) handleAttributes(changed map[string]string, participant lksdk.Participant) {
	if participant.Identity() != p.room.LocalParticipant.Identity() {
		return
	}
	p.watchDataChannels()
	if _, ok := changed[AttributeReason]; ok {
		p.reasonShownOnce.Do(func() { close(p.reasonShown) })
	}
}

func (p *Participant) watchDataChannels() {
	p.data.watchChannels(p.room.LocalParticipant.GetSubscriberPeerConnection())
}

func (p *Participant) handleText(text string) {
	now := p.config.Now()
	p.setLastMedia(now)
	p.presence.handleUserSign()
	p.eventQueue.put(Event{Kind: EventText, At: now, Text: text})
}

// handleBye handles the message that the user leaves for good.
func (p *Participant) handleBye() {
	p.setLastMedia(p.config.Now())
	p.presence.handleBye()
}

// startLostTimer starts the timer that runs while the agent has no connection. Another attempt to reconnect does not
// reset it.
func (p *Participant) startLostTimer() {
	if timer := time.AfterFunc(lostTimeout, p.handleDisconnected); !p.lostTimer.CompareAndSwap(nil, timer) {
		timer.Stop()
	}
}

func (p *Participant) isDisconnected() bool { return p.lostTimer.Load() != nil }

func (p *Participant) stopLostTimer() {
	if timer := p.lostTimer.Swap(nil); timer != nil {
		timer.Stop()
	}
}

func (p *Participant) handleReconnected() {
	p.stopLostTimer()
	p.reconnects.Add(1)
	p.showStateAgain()
	p.checkPresence()
	p.config.Log.Info("the agent is connected again", "user", p.config.UserIdentity)
}

// handleDisconnected ends the participant when the room is gone.
func (p *Participant) handleDisconnected() {
	if p.ctx.Err() != nil {
		return // the agent has left by itself
	}
	p.lostOnce.Do(func() {
		p.sendEvent(EventLost)
		go p.leave()
	})
}
