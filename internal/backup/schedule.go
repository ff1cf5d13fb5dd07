package backup

import (
	"context"
	"time"

	"parley/internal/jobs"
)

// Schedule makes backups while a server runs.
type Schedule struct {
	Installation

	Folder    string // of the backups
	Every     time.Duration
	Keep      int // how many of the newest backups are kept
	AsArchive bool
}

// checkInterval is how often it is asked whether a backup is due.
const checkInterval = time.Minute

// Run makes a backup whenever one is due, until ctx is done.
func (s *Schedule) Run(ctx context.Context) error {
	return jobs.RunEvery(ctx, checkInterval, s.logger(), "no backup was made", s.RunDue)
}

// RunDue makes a backup if the newest one in the folder is older than the schedule allows, and removes the oldest ones.
func (s *Schedule) RunDue(ctx context.Context) error {
	list, err := List(s.Folder)
	if err != nil {
		return err
	}
	if n := len(list); n > 0 && s.Now().Before(list[n-1].CreatedAt.Add(s.Every)) {
		return nil
	}
	stored, err := s.Write(ctx, s.Folder, s.AsArchive)
	if err != nil {
		return err
	}
	m := stored.Manifest
	s.logger().Info("backup", "path", stored.Path, "bytes", m.Bytes(), "uploads", m.Uploads(), "missing", len(m.Missing))
	_, err = Prune(s.Folder, s.Keep)
	return err
}
