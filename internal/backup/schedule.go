package backup

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley"

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

	mu    sync.Mutex
	state State
}

// State is how the backups of a schedule do, as far as is known since the server has started.
type State struct {
	Newest   time.Time // when the newest one was made; zero if there is none
	Bytes    int64     // of the newest one; 0 if another process has made it
	Due      time.Time // when the next one is made; zero if that is not known
	FailedAt time.Time // when none could be made; zero if the last attempt made one
	Error    string    // why, without the names of folders
}

// State returns how the backups do. It may be called while they are made.
func (s *Schedule) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *Schedule) setState(change func(state *State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

const maxErrorBytes = 300

// recordFailure notes why no backup was made. Whoever reads it need not know where the server keeps what.
func (s *Schedule) recordFailure(err error) {
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	for _, folder := range []string{s.Folder, s.Data} {
		if folder != "" {
			text = strings.ReplaceAll(text, folder, "…")
		}
	}
	text = parley.ClipBytes(text, maxErrorBytes)
	s.setState(func(state *State) { state.FailedAt, state.Error = s.Now(), text })
}

// recordBackup notes which backup is the newest.
func (s *Schedule) recordBackup(madeAt time.Time, bytes int64) {
	s.setState(func(state *State) {
		if !state.Newest.Equal(madeAt) {
			state.Newest, state.Bytes = madeAt, bytes
		}
		state.Due = madeAt.Add(s.Every)
	})
}

// checkInterval is how often it is asked whether a backup is due.
const checkInterval = time.Minute

// Run makes a backup whenever one is due, until ctx is done.
func (s *Schedule) Run(ctx context.Context) error {
	return jobs.RunEvery(ctx, checkInterval, s.logger(), "no backup was made", s.RunDue)
}

// RunDue makes a backup if the newest one in the folder is older than the schedule allows, and removes the oldest ones.
func (s *Schedule) RunDue(ctx context.Context) error {
	err := s.makeDue(ctx)
	switch {
	case err == nil:
		s.setState(func(state *State) { state.FailedAt, state.Error = time.Time{}, "" })
	case ctx.Err() == nil:
		s.recordFailure(err)
	}
	return err
}

func (s *Schedule) makeDue(ctx context.Context) error {
	if s.Now().Before(s.due) {
		return nil
	}
	list, err := s.List(ctx, s.Folder)
	if err != nil {
		return err
	}
	if n := len(list); n > 0 {
		s.due = list[n-1].CreatedAt.Add(s.Every)
		s.recordBackup(list[n-1].CreatedAt, 0)
	}
	if s.Now().Before(s.due) {
		return nil
	}
	stored, err := s.Write(ctx, s.Folder, s.AsArchive)
	if err != nil {
		return err
	}
	m := stored.Manifest
	s.recordBackup(m.CreatedAt.Truncate(time.Second), m.Bytes()) // as its name says
	s.logger().Info("backup", "path", stored.Path, "bytes", m.Bytes(), "uploads", m.Uploads(), "missing", len(m.Missing))
	_, err = s.Prune(ctx, s.Folder, s.Keep)
	return err
}
