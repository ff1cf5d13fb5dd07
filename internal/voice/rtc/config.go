package rtc

import (
	"log/slog"
	"time"
)

// Config configures an agent's participation in a room.
type Config struct {
	URL            string        // of the media server: ws or wss
	Token          string        // an agent's
	UserIdentity   string        // the participant whose microphone is received; others are ignored
	ServerIsLocal  bool          // the media server runs on this machine: no TURN server is needed
	ReconnectGrace time.Duration // how long a user may be away; 0 means 3 s
	Now            func() time.Time
	Log            *slog.Logger
}
