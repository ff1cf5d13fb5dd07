//go:build novoice

package rtc

import "context"

// Available reports whether agents of this program can join rooms.
const Available = false

// Participant is no agent in a room: this program was built without WebRTC.
type Participant struct{ Transport }

// Join always fails.
func Join(context.Context, Config) (*Participant, error) { return nil, ErrNoVoice }
