package rtc

// Placeholder so that go.mod keeps the modules; goes with the first file that uses them.
import (
	_ "github.com/livekit/protocol/livekit"
	_ "github.com/livekit/server-sdk-go/v2"
	_ "github.com/pion/rtp"
	_ "github.com/pion/webrtc/v4"
	_ "github.com/thesyncim/gopus"
)
