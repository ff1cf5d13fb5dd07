//go:build !novoice

package rtc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
)

// Participant is the agent in a room.
type Participant struct {
	*player // Play, Duck, Pause, Resume, Stop, Position

	config   Config
	room     *lksdk.Room
	track    *lksdk.LocalTrack
	outgoing *orderedQueue[func()] // calls to the server, one after the other

	eventQueue *orderedQueue[Event]
	events     chan Event
	receiver   audioReceiver
	presence   *presence
	data       *dataReceiver
	state      atomic.Value // the State that was set last

	lastMedia  atomic.Int64 // Unix nanoseconds
	reconnects atomic.Int32
	joinTime   time.Duration
	lostTimer  atomic.Pointer[time.Timer] // runs while the agent itself is disconnected

	endOnce         sync.Once
	leaveOnce       sync.Once
	stopped         chan struct{} // closed when everything has ended
	reasonShown     chan struct{} // closed when the server has received the reason
	reasonShownOnce sync.Once
	lostOnce        sync.Once // the loss is reported once
	ctx             context.Context
	cancel          context.CancelFunc
	work            sync.WaitGroup
}

var _ Transport = (*Participant)(nil)

// Available reports whether agents of this program can join rooms; one that was built with the tag novoice has no
// WebRTC.
const Available = true

const (
	defaultGrace      = 3 * time.Second
	lostTimeout       = 10 * time.Second       // an agent without a connection for this long has lost the room
	showReasonTimeout = 300 * time.Millisecond // for the server to receive the reason of the end
	joinTimeout       = 20 * time.Second
)

// Join joins the room as the agent, with a track for its speech. ctx limits the joining only, which takes 20 s at most.
func Join(ctx context.Context, c Config) (*Participant, error) {
	began := c.Now()
	p, err := newParticipant(c)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, joinTimeout)
	defer stop()
	if err := p.joinWithTimeout(ctx); err != nil {
		p.leave()
		return nil, errors.New("join the room: " + removeTokens(err.Error()))
	}
	p.joinTime = c.Now().Sub(began)
	p.checkPresence()
	return p, nil
}

// joinWithTimeout joins unless ctx is done first. The SDK waits forever for a server that accepts the connection and
// then sends nothing: in that case the connection is closed.
func (p *Participant) joinWithTimeout(ctx context.Context) error {
	joined := make(chan error, 1)
	go func() { joined <- p.join() }()
	select {
	case err := <-joined:
		return err
	case <-ctx.Done():
	}
	p.cancel()
	select {
	case <-joined:
	case <-time.After(time.Second):
		p.room.Disconnect()
		<-joined
	}
	return ctx.Err()
}

func newParticipant(c Config) (*Participant, error) {
	if c.ReconnectGrace == 0 {
		c.ReconnectGrace = defaultGrace
	}
	codec, err := newOpus()
	if err != nil {
		return nil, err
	}
	track, err := lksdk.NewLocalTrack(webrtc.RTPCodecCapability{
		MimeType: webrtc.MimeTypeOpus, ClockRate: OutputRate, Channels: 2, SDPFmtpLine: "minptime=10;useinbandfec=1"})
	if err != nil {
		return nil, fmt.Errorf("make a track: %w", err)
	}
	p := &Participant{config: c, track: track, outgoing: newOrderedQueue[func()](),
		eventQueue: newOrderedQueue[Event](), events: make(chan Event, 16),
		stopped: make(chan struct{}), reasonShown: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.player = newPlayer(codec, c.Now, p.writePacket, p.eventQueue.put)
	p.presence = &presence{grace: c.ReconnectGrace, onEvent: p.sendEvent}
	p.data = newDataReceiver(c.UserIdentity, c.Now)
	p.data.onText, p.data.onBye, p.data.onRefuse = p.handleText, p.handleBye, p.Fault
	p.receiver.init(codec, p)
	p.room = lksdk.NewRoom(p.callbacks())
	return p, nil
}

func (p *Participant) join() error {
	go deliverEvents(p.ctx, p.eventQueue, p.events)
	p.work.Go(func() { p.outgoing.each(func(f func()) bool { f(); return p.ctx.Err() == nil }) })
	options := []lksdk.ConnectOption{
		lksdk.WithLogger(LiveKitLogger{Log: p.config.Log.With("of", "media client")}), lksdk.WithDisableRegionDiscovery(),
		lksdk.WithExtraAttributes(map[string]string{AttributeState: string(Initializing)})}
	if p.config.ServerIsLocal {
		options = append(options, lksdk.WithDisableTURN())
	}
	if err := p.room.JoinWithContextAndToken(p.ctx, p.config.URL, p.config.Token, options...); err != nil {
		return err
	}
	if _, err := p.room.LocalParticipant.PublishTrack(p.track,
		&lksdk.TrackPublicationOptions{Name: "agent", Source: livekit.TrackSource_MICROPHONE}); err != nil {
		return err
	}
	p.work.Go(func() { p.player.run(p.ctx) })
	return nil
}

func (p *Participant) writePacket(packet []byte, at time.Time) error {
	data := append([]byte(nil), packet...)
	return p.track.WriteSample(media.Sample{Data: data, Duration: FrameTime, Timestamp: at}, nil)
}

func (p *Participant) sendEvent(kind Kind) { p.eventQueue.put(Event{Kind: kind, At: p.config.Now()}) }

// Events returns what happens in the room.
func (p *Participant) Events() <-chan Event { return p.events }

// LastMedia returns the time of the user's last sign.
func (p *Participant) LastMedia() time.Time {
	if !p.receiver.reportedOn.Load() && p.presence.isHere() && !p.isDisconnected() {
		p.setLastMedia(p.config.Now())
	}
	if ns := p.lastMedia.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

func (p *Participant) setLastMedia(at time.Time) { p.lastMedia.Store(at.UnixNano()) }

// Stats returns what was measured.
func (p *Participant) Stats() Stats {
	s := p.receiver.currentStats()
	p.player.addStats(&s)
	s.JoinTime, s.Reconnects = p.joinTime, int(p.reconnects.Load())
	return s
}

// End shows the reason and leaves.
func (p *Participant) End(ctx context.Context, reason string) {
	p.endOnce.Do(func() {
		p.Stop()
		p.outgoing.put(func() { p.room.LocalParticipant.SetAttributes(map[string]string{AttributeReason: reason}) })
		select {
		case <-p.reasonShown:
		case <-time.After(showReasonTimeout):
		case <-ctx.Done():
		case <-p.stopped:
		}
	})
	p.leave()
}

// leave ends everything, once, and waits until it has ended.
func (p *Participant) leave() {
	p.leaveOnce.Do(func() {
		p.cancel()
		p.presence.close()
		p.stopLostTimer()
		p.outgoing.close()
		p.room.Disconnect()
		p.work.Wait()
		p.receiver.close()
		p.eventQueue.close()
		close(p.stopped)
	})
	<-p.stopped
}
