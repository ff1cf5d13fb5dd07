package rtc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
)

// Config is how an agent joins a room.
type Config struct {
	URL   string        // of the media server: ws or wss
	Token string        // an agent's
	User  string        // the identity of the participant who is heard; others are not
	Near  bool          // the media server runs on this machine: no TURN server is asked for a way to it
	Grace time.Duration // how long a user may be away; 0 means 3 s
	Now   func() time.Time
	Log   *slog.Logger
}

// Participant is the agent in a room.
type Participant struct {
	*pump // Play, Duck, Pause, Resume, Stop, Position

	config Config
	room   *lksdk.Room
	track  *lksdk.LocalTrack
	out    *inOrder[func()] // what is said to the server, one after the other

	happened *inOrder[Event]
	events   chan Event
	ears     listener
	presence *presence
	inbox    *inbox
	state    atomic.Value // State, as it was set last

	lastMedia  atomic.Int64 // Unix nanoseconds
	reconnects atomic.Int32
	joinTime   time.Duration
	lostMu     sync.Mutex
	lost       *time.Timer // runs while the agent itself is cut off

	ended    sync.Once
	leaving  sync.Once
	gone     chan struct{} // closed when everything has stopped
	shown    chan struct{} // closed when the server has taken the reason
	showOnce sync.Once
	goneOnce sync.Once // the loss is told
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
}

var _ Transport = (*Participant)(nil)

const (
	defaultGrace = 3 * time.Second
	cutOff       = 10 * time.Second       // an agent that has no connection for so long has lost the room
	showReason   = 300 * time.Millisecond // for the server to take the reason of the end
	longestJoin  = 20 * time.Second
)

// Join brings the agent into the room, with a track to speak on. ctx limits the joining only, which takes 20 s at most.
func Join(ctx context.Context, c Config) (*Participant, error) {
	began := c.Now()
	p, err := newParticipant(c)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, longestJoin)
	defer stop()
	if err := p.enter(ctx); err != nil {
		p.leave()
		return nil, errors.New("join the room: " + without(c.Token, err.Error()))
	}
	p.joinTime = c.Now().Sub(began)
	p.look()
	return p, nil
}

// enter joins, unless that is called off. A server that takes the connection and then says nothing is waited for by the SDK without end:
// the connection is cut then.
func (p *Participant) enter(ctx context.Context) error {
	joined := make(chan error, 1)
	go func() { joined <- p.join() }()
	select {
	case err := <-joined:
		return err
	case <-ctx.Done():
	}
	p.cancel()
	patience := time.NewTimer(time.Second)
	defer patience.Stop()
	select {
	case <-joined:
	case <-patience.C:
		p.room.Disconnect()
		<-joined
	}
	return ctx.Err()
}

func newParticipant(c Config) (*Participant, error) {
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	codec, err := newOpus()
	if err != nil {
		return nil, err
	}
	track, err := lksdk.NewLocalTrack(webrtc.RTPCodecCapability{
		MimeType: webrtc.MimeTypeOpus, ClockRate: SpeakRate, Channels: 2, SDPFmtpLine: "minptime=10;useinbandfec=1"})
	if err != nil {
		return nil, fmt.Errorf("make a track: %w", err)
	}
	p := &Participant{config: c, track: track, out: newInOrder[func()](), happened: newInOrder[Event](), events: make(chan Event, 16),
		gone: make(chan struct{}), shown: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.pump = newPump(codec, c.Now, p.write, p.happened.put)
	p.presence = &presence{grace: c.Grace, tell: p.tell}
	p.inbox = newInbox(c.User, c.Now)
	p.inbox.said, p.inbox.bye, p.inbox.refuse = p.said, p.bye, p.Fault
	p.ears.init(codec, p)
	p.room = lksdk.NewRoom(p.callbacks())
	return p, nil
}

func (p *Participant) join() error {
	go deliver(p.ctx, p.happened, p.events)
	p.work.Go(func() { p.out.each(func(f func()) bool { f(); return p.ctx.Err() == nil }) })
	options := []lksdk.ConnectOption{lksdk.WithLogger(sdkLog{p.config.Log, p.config.Token}), lksdk.WithDisableRegionDiscovery(),
		lksdk.WithExtraAttributes(map[string]string{AttributeState: string(Initializing)})}
	if p.config.Near {
		options = append(options, lksdk.WithDisableTURN())
	}
	if err := p.room.JoinWithContextAndToken(p.ctx, p.config.URL, p.config.Token, options...); err != nil {
		return err
	}
	if _, err := p.room.LocalParticipant.PublishTrack(p.track, &lksdk.TrackPublicationOptions{Name: "agent", Source: livekit.TrackSource_MICROPHONE}); err != nil {
		return err
	}
	p.work.Go(func() { p.pump.run(p.ctx) })
	return nil
}

func (p *Participant) write(packet []byte, at time.Time) error {
	data := append([]byte(nil), packet...)
	return p.track.WriteSample(media.Sample{Data: data, Duration: FrameTime, Timestamp: at}, nil)
}

func (p *Participant) tell(kind Kind) { p.happened.put(Event{Kind: kind, At: p.config.Now()}) }

// Events gives what happens in the room.
func (p *Participant) Events() <-chan Event { return p.events }

// LastMedia is when the user was last heard of.
func (p *Participant) LastMedia() time.Time {
	if !p.ears.isOn() && p.presence.isHere() && !p.isCutOff() {
		p.seen(p.config.Now())
	}
	if ns := p.lastMedia.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

func (p *Participant) seen(at time.Time) { p.lastMedia.Store(at.UnixNano()) }

// Stats gives what was measured.
func (p *Participant) Stats() Stats {
	var s Stats
	p.pump.stats(&s)
	p.ears.stats(&s)
	s.JoinTime, s.Reconnect = p.joinTime, int(p.reconnects.Load())
	return s
}

// End tells the reason and leaves.
func (p *Participant) End(ctx context.Context, reason string) {
	p.ended.Do(func() {
		p.Stop()
		p.out.put(func() { p.room.LocalParticipant.SetAttributes(map[string]string{AttributeReason: reason}) })
		timer := time.NewTimer(showReason)
		defer timer.Stop()
		select {
		case <-p.shown:
		case <-timer.C:
		case <-ctx.Done():
		case <-p.gone:
		}
	})
	p.leave()
}

// leave ends everything, once, and waits until it has ended.
func (p *Participant) leave() {
	p.leaving.Do(func() {
		p.cancel()
		p.presence.close()
		p.mend()
		p.out.end()
		p.room.Disconnect()
		p.work.Wait()
		p.ears.close()
		p.happened.end()
		close(p.gone)
	})
	<-p.gone
}
