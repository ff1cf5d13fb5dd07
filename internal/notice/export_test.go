package notice

import "context"

// Follow writes down the jobs of events that have been recorded, and reports whether there are more.
func (s *Service) Follow(ctx context.Context) (more bool, err error) { return s.follower().Step(ctx) }
