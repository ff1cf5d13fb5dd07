package console

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/bus"
	"parley/internal/events"
	"parley/internal/httpapi"
)

const (
	maxLiveStreams   = 10 // of a person
	liveHeartbeat    = 15 * time.Second
	sessionCheckTime = 500 * time.Millisecond // between two looks for sessions that have ended, if no bus tells
	maxSessionsRead  = 500                    // that one statement looks at
)

// LiveConfig is what the live view is built of.
type LiveConfig struct {
	Events   *events.Broadcast
	Bus      *bus.Bus // tells that sessions have ended on other servers; may be nil
	Sessions *access.WebSessions
	Version  string // of the server
	// MemberTypes is called when a member writes to the customer of a conversation, which is perhaps none of the account;
	// may be nil.
	MemberTypes func(parley.AccountID, parley.ConversationID)
	Now         func() time.Time
	Logger      *slog.Logger
}

// Live tells the people in the console what happens while it happens: GET /events is a stream of server-sent events,
// POST /presence says what somebody looks at. A silent stream costs a connection and a row in its tables.
type Live struct {
	LiveConfig
	changed chan struct{} // receives when a session may have ended

	// authenticate returns who has sent a request. Fails with AUTH_SIGN_IN_REQUIRED.
	authenticate func(ctx context.Context, r *http.Request) (*access.SignedIn, error)

	mu       sync.Mutex
	streams  map[parley.AccountID]map[*liveStream]bool
	counts   map[parley.UserID]int // streams that are open
	presence map[parley.AccountID]map[presenceKey]presence
	isClosed bool
}

// NewLive returns a live view. Run does its work.
func NewLive(cfg LiveConfig) *Live {
	return &Live{
		LiveConfig: cfg, changed: make(chan struct{}, 1),
		streams: map[parley.AccountID]map[*liveStream]bool{}, counts: map[parley.UserID]int{},
		presence: map[parley.AccountID]map[presenceKey]presence{},
	}
}

// addLiveRoutes adds the operations of the live view to those for members.
func (a *API) addLiveRoutes(l *Live) {
	l.authenticate = a.authenticate
	group := httpapi.Group{API: a.members, Tag: "Live", Reason: admin.ReasonLive, Permission: parley.PermissionAgentsRead,
		Errors: errorCodes{parley.CodeInsufficientScope, parley.CodeAccountNotFound}}
	httpapi.Add(group, "GET /events", operation{
		Name:      "followEvents",
		Summary:   "Follow what happens in the account",
		Streaming: true,
		Errors:    errorCodes{parley.CodeSignInRequired, parley.CodeTooManyRequests, parley.CodeUnderMaintenance},
	}, l.follow)
	httpapi.Add(group, "POST /presence", operation{
		Name:         "tellPresence",
		Summary:      "Say what you look at",
		MaxBodyBytes: maxPresenceBytes,
		StrictBody:   true,
	}, l.tellPresence)
}

// SessionsChanged has the streams of sessions that have ended, or whose people have got another role, end now. It does
// not wait for that.
func (l *Live) SessionsChanged() {
	select {
	case l.changed <- struct{}{}:
	default: // it has a signal
	}
}

// Run ends streams whose sessions have ended, on whichever server, and forgets who has left, until ctx is done.
func (l *Live) Run(ctx context.Context) error {
	defer l.Close()
	check := time.NewTicker(sessionCheckTime)
	defer check.Stop()
	defer l.Bus.Subscribe(bus.Sessions, func([]string) { l.SessionsChanged() })()
	pace := bus.Pace{Bus: l.Bus, Interval: sessionCheckTime}
	for {
		isDue := true
		select {
		case <-ctx.Done():
			return nil
		case <-check.C:
			isDue = pace.IsDue()
		case <-l.changed:
		}
		if isDue {
			l.checkSessions(ctx)
		}
		l.forgetAbsent()
	}
}

// checkSessions ends streams whose sessions have ended, and says so if it cannot look.
func (l *Live) checkSessions(ctx context.Context) {
	if err := l.endRevoked(ctx); err != nil && ctx.Err() == nil {
		l.Logger.Warn("sessions with streams are not checked", "err", err)
	}
}

// Close ends all streams and refuses new ones: the server is stopping.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isClosed = true
	for _, list := range l.streams {
		for s := range list {
			s.end()
		}
	}
}

// endRevoked ends the streams of sessions that have ended and of people whose role is another now.
func (l *Live) endRevoked(ctx context.Context) error {
	type membership struct {
		session parley.WebSessionID
		account parley.AccountID
	}
	open := l.openStreams()
	sessions := map[parley.WebSessionID]bool{}
	for _, s := range open {
		sessions[s.session] = true
	}
	roles := map[membership]parley.Role{}
	ids := make([]parley.WebSessionID, 0, len(sessions))
	for id := range sessions {
		ids = append(ids, id)
	}
	for part := range slices.Chunk(ids, maxSessionsRead) {
		list, err := l.Sessions.Roles(ctx, part)
		if err != nil {
			return err
		}
		for _, r := range list {
			roles[membership{r.SessionID, r.AccountID}] = r.Role
		}
	}
	for _, s := range open {
		if roles[membership{s.session, s.member.Account}] != s.member.Role {
			s.end()
		}
	}
	return nil
}

func (l *Live) openStreams() (open []*liveStream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.streams {
		for s := range list {
			open = append(open, s)
		}
	}
	return open
}

// probeTime is how long a client that is gone may take to say so.
const probeTime = 200 * time.Millisecond

// addOrProbe is add that first looks whether the person's other streams still have clients: pages that were closed or
// loaded again say nothing.
func (l *Live) addOrProbe(ctx context.Context, s *liveStream) error {
	err := l.add(s)
	if !parley.IsCode(err, parley.CodeTooManyRequests) {
		return err
	}
	for _, other := range l.openStreams() {
		if other.member.User == s.member.User {
			other.probe()
		}
	}
	timer := time.NewTimer(probeTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return l.add(s)
	}
}

// add registers a stream. Fails with RATE_LIMIT_TOO_MANY_REQUESTS for a person with too many.
func (l *Live) add(s *liveStream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		fail := parley.NewError(parley.CodeUnderMaintenance)
		fail.RetryAfter = liveHeartbeat
		return fail
	}
	if l.counts[s.member.User] >= maxLiveStreams {
		fail := parley.NewErrorf(parley.CodeTooManyRequests, "One person may have %d live streams.", maxLiveStreams)
		fail.RetryAfter, fail.Limit = liveHeartbeat, maxLiveStreams
		return fail
	}
	account := s.member.Account
	if l.streams[account] == nil {
		l.streams[account] = map[*liveStream]bool{}
	}
	l.streams[account][s] = true
	l.counts[s.member.User]++
	for key, p := range l.presence[account] {
		s.addPresence(key.event(p))
	}
	return nil
}

func (l *Live) remove(s *liveStream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.streams[s.member.Account]
	if !list[s] {
		return
	}
	if delete(list, s); len(list) == 0 {
		delete(l.streams, s.member.Account)
	}
	if l.counts[s.member.User]--; l.counts[s.member.User] == 0 {
		delete(l.counts, s.member.User)
	}
}

// follow streams the events of the member's account.
func (l *Live) follow(ctx context.Context, c *call, _ *httpapi.NoInput) (*httpapi.EventStream, error) {
	person, err := l.authenticate(ctx, c.Request)
	if err != nil {
		return nil, err
	}
	s := newLiveStream(l, *c.Caller.(*parley.Member), person.Session.ID)
	if err := l.addOrProbe(ctx, s); err != nil {
		return nil, err
	}
	s.events, err = l.Events.Subscribe(ctx, s.member.Account, c.Request.Header.Get("Last-Event-ID"), s.wakeUp)
	if err != nil {
		l.remove(s)
		return nil, err
	}
	s.out = c.StreamEvents()
	if c.Request.Method == http.MethodHead {
		s.Close()
		return nil, nil
	}
	c.Follow(s.out, liveHeartbeat, s)
	return nil, nil
}
