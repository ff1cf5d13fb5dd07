package console

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/events"
	"parley/internal/httpapi"
)

// trainingInterval is the shortest time between two events of the training of a source: every page of a website is one.
const trainingInterval = 500 * time.Millisecond

// liveStream is the stream of one tab. It implements httpapi.Notifier. SendNext and Close are not called at the same
// time as each other.
type liveStream struct {
	live    *Live
	member  parley.Member
	session parley.WebSessionID
	events  *events.Subscription
	out     *httpapi.Stream

	isGreeted bool
	trainedAt map[string]time.Time // when the training of a source was sent last
	training  map[string]liveEvent // of sources of which one was sent a moment ago

	woken chan struct{} // has a signal when there is something to look at

	mu       sync.Mutex
	notify   func()                        // called besides; nil at first
	presence map[presenceKey]presenceEvent // that is not sent yet
	isEnded  bool
	isProbed bool
	alarm    *time.Timer // wakes for the training that is held back; nil if there is none
}

func newLiveStream(l *Live, m parley.Member, session parley.WebSessionID) *liveStream {
	return &liveStream{
		live: l, member: m, session: session,
		trainedAt: map[string]time.Time{}, training: map[string]liveEvent{},
		woken: make(chan struct{}, 1), presence: map[presenceKey]presenceEvent{},
	}
}

func (s *liveStream) wakeUp() {
	select {
	case s.woken <- struct{}{}:
	default: // it has a signal
	}
	s.mu.Lock()
	notify := s.notify
	s.mu.Unlock()
	if notify != nil {
		notify()
	}
}

// Notify implements httpapi.Notifier.
func (s *liveStream) Notify(wake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify = wake
}

// end has the stream end. It does not wait for that.
func (s *liveStream) end() {
	s.mu.Lock()
	s.isEnded = true
	s.mu.Unlock()
	s.wakeUp()
}

// Close implements httpapi.Feed.
func (s *liveStream) Close() {
	s.live.remove(s)
	s.events.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify = nil
	if s.alarm != nil {
		s.alarm.Stop()
	}
}

// addPresence leaves the presence of somebody else to be sent. l.mu is held.
func (s *liveStream) addPresence(e presenceEvent) {
	if e.UserID == s.member.User || !access.May(s.member.Role, presenceRules[e.Type].look) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.presence[presenceKey{e.UserID, e.Type, e.ID}] = e
}

func (s *liveStream) takePresence() []presenceEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer clear(s.presence)
	return slices.SortedFunc(maps.Values(s.presence), presenceEvent.compare)
}

func (s *liveStream) takeSignals() (isEnded, isProbed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isProbed, s.isProbed = s.isProbed, false
	return s.isEnded, isProbed
}

// probe has the stream send a comment: a client that is gone is known by that.
func (s *liveStream) probe() {
	s.mu.Lock()
	s.isProbed = true
	s.mu.Unlock()
	s.wakeUp()
}

// SendNext implements httpapi.Feed.
func (s *liveStream) SendNext(ctx context.Context) error {
	for {
		sent, err := s.send()
		if sent || err != nil {
			return err
		}
		select {
		case <-s.woken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hello is the first event of a stream.
type hello struct {
	Position string      `json:"position"` // after which events follow
	Version  string      `json:"version"`  // of the server
	Role     parley.Role `json:"role"`     // of the member, by which events are chosen
}

// frame is an event to be sent.
type frame struct {
	name string
	data any
	id   string // empty for none
}

// send sends what there is, and reports whether there was something. The last event has the id of the position behind
// all of them: a client that was cut off before it gets them again. While something is held back none has.
func (s *liveStream) send() (sent bool, err error) {
	people := s.takePresence()
	isEnded, isProbed := s.takeSignals()
	if isEnded {
		return false, io.EOF
	}
	if !s.isGreeted {
		s.isGreeted, sent = true, true
		greeting := hello{s.events.Start(), s.live.Version, s.member.Role}
		err = s.out.SendEventAt("hello", greeting.Position, greeting)
	}
	update := s.events.Take()
	list := s.visible(update)
	if last := len(list) - 1; last >= 0 && len(s.training) == 0 {
		list[last].id = s.events.Position()
	}
	for _, p := range people {
		list = append(list, frame{name: livePresence, data: p})
	}
	for _, f := range list {
		err = errors.Join(err, s.out.SendEventAt(f.name, f.id, f.data))
	}
	if isProbed {
		err = errors.Join(err, s.out.Ping())
	}
	return sent || isProbed || len(list) > 0, errors.Join(err, s.out.Flush())
}

// visible returns what the member sees of an update, and the training that was held back until now.
func (s *liveStream) visible(u events.Update) (frames []frame) {
	if u.IsReset {
		clear(s.training)
		frames = append(frames, frame{name: "reset", data: struct{}{}})
	}
	var list []liveEvent
	for _, e := range u.Events {
		if seen, ok := newLiveEvent(e, s.member.User, s.member.Role); ok {
			list = append(list, seen)
		}
	}
	for _, e := range s.limitTraining(latestOnly(list)) {
		frames = append(frames, frame{name: e.name, data: e})
	}
	return frames
}

// limitTraining holds back the training of sources of which an event was sent a moment ago, and adds that whose time
// has come.
func (s *liveStream) limitTraining(list []liveEvent) (out []liveEvent) {
	now := s.live.Now()
	for _, e := range list {
		if e.name == liveTraining {
			s.training[e.ID] = e
		} else {
			out = append(out, e)
		}
	}
	maps.DeleteFunc(s.trainedAt, func(_ string, at time.Time) bool { return now.Sub(at) >= trainingInterval })
	next := trainingInterval
	for id, e := range s.training {
		if at, isRecent := s.trainedAt[id]; isRecent {
			next = min(next, trainingInterval-now.Sub(at))
			continue
		}
		s.trainedAt[id] = now
		delete(s.training, id)
		out = append(out, e)
	}
	if len(s.training) > 0 {
		s.wakeIn(next)
	}
	return out
}

func (s *liveStream) wakeIn(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.alarm = time.AfterFunc(d, s.wakeUp)
}
