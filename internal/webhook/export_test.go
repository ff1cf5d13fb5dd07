package webhook

import "context"

// Follow writes the deliveries of events that have been recorded, and reports whether there are more.
func (s *Sender) Follow(ctx context.Context) (more bool, err error) { return s.follower().Step(ctx) }
