package admin

import (
	"context"
	"time"

	"parley/internal/backup"
	"parley/internal/datadir"
	"parley/internal/httpapi"
)

// Setup is how a server was set up, as far as its operations tell of it.
type Setup struct {
	Version   string
	StartedAt time.Time
	Data      string // the data folder
	Speech    SpeechState
	Mails     bool     // links for signing in, and notices
	MailJobs  []string // the kinds of the jobs that send them
}

// ServerQuery names the account whose member asks how the server does.
type ServerQuery struct {
	AccountID string `path:"accountId" json:"-"`
}

// ServerState is how a server does. Apart from its servers of models it is the same for all accounts.
type ServerState struct {
	Version   string        `json:"version"`
	StartedAt time.Time     `json:"startedAt"`
	Database  DatabaseState `json:"database"`
	Queue     QueueState    `json:"queue"`
	Disk      *DiskState    `json:"disk" doc:"Where the data folder is; null where the system does not tell."`
	Speech    SpeechState   `json:"speech"`
	Mails     bool          `json:"mails" doc:"Links for signing in are mailed, and notices."`
	MailState MailState     `json:"mailState"`
	Backups   *BackupState  `json:"backups" doc:"Those that this server makes by itself; null if it makes none."`
	CanSeal   bool          `json:"canKeepSecrets" doc:"The server has a secret by which it seals keys and secrets."`
	Models    []ModelServer `json:"modelServers" doc:"Of the operator's settings and of the account."`
}

// DatabaseState is which database a server has and how it does.
type DatabaseState struct {
	Kind    string  `json:"kind" enum:"sqlite,postgres"`
	Version string  `json:"version"`
	Bytes   int64   `json:"bytes"`
	Millis  float64 `json:"millis" doc:"How long it took to answer."`
}

// QueueState is what the jobs of a server wait for. More than 10,000 jobs of a state count as so many.
type QueueState struct {
	Waiting   int     `json:"waiting"`
	Running   int     `json:"running"`
	Dead      int     `json:"dead" doc:"Jobs that were given up."`
	OldestDue float64 `json:"oldestDueSeconds" doc:"For how long the job that is due longest has been due."`
}

// MailState is what of the mails of a server could not be sent.
type MailState struct {
	Failing int    `json:"failing" doc:"Mails that wait after an attempt has failed, or were given up."`
	Reason  string `json:"reason" doc:"Why the latest of them failed; empty if none has."`
}

// BackupState is how the backups of a server do, as far as is known since it was started.
type BackupState struct {
	Hours    float64    `json:"everyHours" doc:"How long after the newest backup the next one is made."`
	Keep     int        `json:"keep" doc:"How many of the newest ones are kept."`
	InBucket bool       `json:"inBucket" doc:"They are stored in a bucket, and otherwise in a folder."`
	LastAt   *time.Time `json:"lastAt" doc:"When the newest one was made; null if there is none yet."`
	Bytes    int64      `json:"bytes" doc:"Of the newest one; 0 if it was made before the server was started."`
	DueAt    *time.Time `json:"dueAt"`
	FailedAt *time.Time `json:"failedAt" doc:"When none could be made; null if the last attempt made one."`
	Reason   string     `json:"reason" doc:"Why none could be made."`
}

// DiskState is how large a disk is and what of it is free.
type DiskState struct {
	Free int64 `json:"freeBytes"`
	All  int64 `json:"bytes"`
}

// SpeechState is what of voice sessions a server has.
type SpeechState struct {
	Media       bool     `json:"mediaServer" doc:"Without it there are no voice sessions."`
	Speaks      bool     `json:"speaks"`
	Understands bool     `json:"understands" doc:"Speech is transcribed."`
	Warnings    []string `json:"warnings" doc:"Programs that are named and missing, and what is lost by it."`
}

func (s *Service) getServer(ctx context.Context, in ServerQuery) (ServerState, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ServerState{}, err
	}
	out := ServerState{Version: s.Setup.Version, StartedAt: s.Setup.StartedAt, Disk: s.diskState(),
		Speech: s.Setup.Speech, Mails: s.Setup.Mails, CanSeal: s.ModelServers.CanKeepKeys(), Backups: s.backupState()}
	out.Speech.Warnings = append([]string{}, out.Speech.Warnings...)
	if out.Database, err = s.databaseState(ctx); err != nil {
		return out, err
	}
	depth, err := s.Jobs.Depth(ctx, s.DB.SQL())
	if err != nil {
		return out, err
	}
	out.Queue = QueueState{depth.Waiting, depth.Running, depth.Dead, depth.OldestDue.Seconds()}
	if out.MailState.Failing, out.MailState.Reason, err = s.Jobs.Failures(ctx, s.DB.SQL(), s.Setup.MailJobs); err != nil {
		return out, err
	}
	models, err := s.ModelServers.List(ctx, account)
	out.Models = httpapi.ConvertList(models, newModelServer)
	return out, err
}

func (s *Service) databaseState(ctx context.Context) (DatabaseState, error) {
	began := s.Now()
	facts, err := s.DB.DatabaseFacts(ctx)
	millis := float64(s.Now().Sub(began).Microseconds()) / 1000
	return DatabaseState{facts.Dialect.String(), facts.Version, facts.Bytes, millis}, err
}

func (s *Service) backupState() *BackupState {
	if s.Backups == nil {
		return nil
	}
	state := s.Backups.State()
	return &BackupState{Hours: s.Backups.Every.Hours(), Keep: s.Backups.Keep, Bytes: state.Bytes,
		InBucket: backup.IsBucket(s.Backups.Folder), LastAt: timeOrNil(state.Newest), DueAt: timeOrNil(state.Due),
		FailedAt: timeOrNil(state.FailedAt), Reason: state.Error}
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (s *Service) diskState() *DiskState {
	free, all := datadir.DiskSpace(s.Setup.Data)
	if all == 0 {
		return nil
	}
	return &DiskState{Free: int64(free), All: int64(all)}
}
