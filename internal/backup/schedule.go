package backup

import (
	"context"
	"time"

	"parley/internal/jobs"
)

// Schedule makes backups while a server runs.
type Schedule struct {
	Installation

	Folder    string // of the backups, or their bucket
	Every     time.Duration
	Keep      int // how many of the newest backups are kept
	AsArchive bool

	due time.Time // before then none is due, as far as is known
}

// checkInterval is how often it is asked whether a backup is due.
const checkInterval = time.Minute

// Run makes a backup whenever one is due, until ctx is done.
func (s *Schedule) Run(ctx context.Context) error {
	return jobs.RunEvery(ctx, checkInterval, s.logger(), "no backup was made", s.RunDue)
}

// RunDue makes a backup if the newest one in the folder is older than the schedule allows, and removes the oldest ones.
func (s *Schedule) RunDue(ctx context.Context) error {
	if s.Now().Before(s.due) {
		return nil
	}
	list, err := s.List(ctx, s.Folder)
	if err != nil {
		return err
	}
	if n := len(list); n > 0 {
		s.due = list[n-1].CreatedAt.Add(s.Every)
	}
	if s.Now().Before(s.due) {
		return nil
	}
	stored, err := s.Write(ctx, s.Folder, s.AsArchive)
	if err != nil {
		return err
	}
	m := stored.Manifest
	s.logger().Info("backup", "path", stored.Path, "bytes", m.Bytes(), "uploads", m.Uploads(), "missing", len(m.Missing))
	_, err = s.Prune(ctx, s.Folder, s.Keep)
	return err
}
