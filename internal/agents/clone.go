package agents

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// CloneJob is the kind of the job that copies what is left of an agent's sources; its key is the copy's id.
const CloneJob = "agent.clone"

// cloneRetryDelay is how long the copying of an original waits that is itself still being copied.
const cloneRetryDelay = 2 * time.Second

// An agent within these bounds is copied completely before Clone returns.
const (
	maxInlinePassages = 200
	maxInlineSources  = 50
	maxInlineBytes    = 1 << 20
)

type clonePayload struct {
	From parley.AgentID `json:"from"`
	At   int64          `json:"at"` // milliseconds
}

// Clone copies an agent: its settings, pictures, actions, procedures and sources, which need no training. The copy has
// an identity secret of its own, and the original's statuses, teams and routing rules; conversations, tickets, leads
// and usage stay with the original. A small agent is copied completely; the sources of a large one are copied by a job,
// and the copy is training until that is done. Sources that would exceed the plan are not copied, and ADD_SOURCE is
// pending. Fails with AGENT_NOT_FOUND or AGENT_LIMIT_REACHED.
func (s *Service) Clone(ctx context.Context, caller parley.Caller,
	id parley.AgentID) (parley.AgentID, []string, error) {
	c := store.Clone{Account: caller.Account.ID, FromAgent: id, ToAgent: parley.NewAgentID(), StartedAt: s.Now()}
	identity := newSecret()
	work, err := s.DB.CloneSize(ctx, c)
	if err != nil {
		return "", nil, err
	}
	var pending []string
	err = s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		pending = nil
		a, err := s.lockOriginal(ctx, tx, caller, c)
		if err != nil {
			return err
		}
		if err := s.writeClone(ctx, tx, c, a, identity); err != nil {
			return err
		}
		isSmall := work.Passages <= maxInlinePassages && work.Sources <= maxInlineSources && a.Size <= maxInlineBytes
		if !caller.Plan.AllowsStorage(a.Size) {
			pending = []string{AddSource}
		} else if err := s.startCopying(ctx, tx, c, isSmall); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "agent:"+string(c.ToAgent)); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, caller.Account.ID, c.StartedAt,
			store.NewEvent{Kind: parley.EventAgentCreated, AgentID: c.ToAgent,
				Subject: string(c.ToAgent), Payload: map[string]any{"clonedFrom": c.FromAgent}})
	})
	if err != nil {
		return "", nil, err
	}
	return c.ToAgent, pending, nil
}

// lockOriginal locks and returns the agent to copy, within the plan's limit of agents.
func (s *Service) lockOriginal(ctx context.Context, tx *store.DB, caller parley.Caller, c store.Clone) (*parley.Agent,
	error) {
	if err := tx.LockAgent(ctx, caller.AgentRef(c.FromAgent)); err != nil { // agents before accounts, always
		return nil, err
	}
	if err := CheckLimit(ctx, tx, caller.Account.ID, caller.Plan); err != nil {
		return nil, err
	}
	return tx.Agent(ctx, caller.AgentRef(c.FromAgent), c.StartedAt)
}

// writeClone writes the copy without its sources.
func (s *Service) writeClone(ctx context.Context, tx *store.DB, c store.Clone, from *parley.Agent,
	identity string) error {
	a := *from
	a.ID, a.Name, a.IdentitySecret, a.Key = c.ToAgent, cloneName(from.Name), identity, ""
	a.OldIdentitySecret, a.OldIdentityUntil = "", nil
	a.ConfigVersion, a.CreatedAt, a.UpdatedAt = 1, c.StartedAt, c.StartedAt
	a.IconBlobID, a.PictureBlobID = c.BlobID(from.IconBlobID), c.BlobID(from.PictureBlobID)
	if err := tx.CreateAgent(ctx, &a); err != nil {
		return err
	}
	if err := tx.CloneBlobs(ctx, c, from.IconBlobID, from.PictureBlobID); err != nil {
		return err
	}
	if err := tx.CloneActionsAndProcedures(ctx, c); err != nil {
		return err
	}
	return tx.CloneHelpdesk(ctx, c)
}

const maxNameRunes = 100

func cloneName(name string) string {
	const mark = " (copy)"
	return parley.ClipText(name, maxNameRunes-len(mark)) + mark
}

// startCopying copies the sources of a small agent at once. Otherwise it writes the rows of the first ones, so that the
// copy is training from the beginning, and enqueues a job for the rest.
func (s *Service) startCopying(ctx context.Context, tx *store.DB, c store.Clone, small bool) error {
	unfinished, err := s.isUnfinishedCopy(ctx, tx, c.Account.AgentRef(c.FromAgent))
	if err != nil {
		return err
	}
	if small && !unfinished {
		return s.copySources(ctx, tx, c)
	}
	if _, _, err := tx.CloneSources(ctx, c, ""); err != nil {
		return err
	}
	return s.Queue.Enqueue(ctx, tx.SQL(), cloneJob(c))
}

// isUnfinishedCopy reports whether the agent is a copy in progress.
func (s *Service) isUnfinishedCopy(ctx context.Context, db *store.DB, ref parley.AgentRef) (bool, error) {
	return s.hasCopyInProgress(ctx, db, ref.Account, func(_ clonePayload, to parley.AgentID) bool {
		return to == ref.Agent
	})
}

func (s *Service) hasCopyInProgress(ctx context.Context, db *store.DB, account parley.AccountID,
	matches func(c clonePayload, to parley.AgentID) bool) (bool, error) {
	live, err := s.Queue.LiveJobs(ctx, db.SQL(), CloneJob, account)
	if err != nil {
		return false, err
	}
	for _, job := range live {
		c, err := jobs.DecodePayload[clonePayload](job)
		if err != nil {
			return false, err
		}
		if matches(c, parley.AgentID(job.Key)) {
			return true, nil
		}
	}
	return false, nil
}

func cloneJob(c store.Clone) jobs.Job {
	payload := jobs.EncodePayload(clonePayload{c.FromAgent, c.StartedAt.UnixMilli()})
	return jobs.Job{Kind: CloneJob, Key: string(c.ToAgent), AccountID: c.Account, Payload: payload}
}

// errAlreadySettled means that there is nothing to do for the copy of a source.
var errAlreadySettled = errors.New("agents: the source's copy is settled")

// copyState is the first state of the copy of a source.
type copyState struct {
	live, wanted parley.VersionID
	status       parley.SourceStatus
	failure      string
	train        bool
}

// finishCopy ends the copying of one source. from is the source when its content was copied, nil if it was deleted
// by then. A version becomes live in the copy only if it was live in the original all the time, so that none of its
// passages is missing. Where the original was edited or deleted meanwhile, the copy is trained from its text, and
// deleted where it has no text.
func (s *Service) finishCopy(ctx context.Context, db *store.DB, c store.Clone, id parley.SourceID,
	from *parley.Source) error {
	now, isDeleted := s.Now(), false
	err := s.transactOnCopy(ctx, db, c, func(tx *store.DB) error {
		l, err := s.nextCopyState(ctx, tx, c, id, from)
		if err != nil {
			return err
		}
		isDeleted = l.status == parley.SourceDeleted
		copied, _, err := tx.UpdateSource(ctx, c.Account.AgentRef(c.ToAgent), c.SourceID(id), func(s *parley.Source) error {
			if s.Status != parley.SourceUntrained || s.LiveVersion != "" {
				return errAlreadySettled
			}
			s.LiveVersion, s.WantedVersion, s.Status, s.Failure, s.UpdatedAt = l.live, l.wanted, l.status, l.failure, now
			return nil
		})
		if err != nil || !l.train {
			return err
		}
		return s.Queue.Enqueue(ctx, tx.SQL(), ingest.NewTrainJob(copied))
	})
	if errors.Is(err, errAlreadySettled) {
		return nil
	}
	if err == nil && isDeleted {
		return db.EraseSource(ctx, c.Account.AgentRef(c.ToAgent), c.SourceID(id))
	}
	return err
}

func (s *Service) nextCopyState(ctx context.Context, tx *store.DB, c store.Clone, id parley.SourceID,
	from *parley.Source) (copyState, error) {
	now, err := tx.Source(ctx, c.Account.AgentRef(c.FromAgent), id)
	if err != nil && !parley.IsCode(err, parley.CodeSourceNotFound) {
		return copyState{}, err
	}
	if from != nil && err == nil && now.LiveVersion == from.LiveVersion && now.Status != parley.SourceToBeDeleted {
		return originalState(c, from), nil
	}
	var wanted parley.VersionID
	if from != nil {
		wanted = c.VersionID(from.WantedVersion)
	} else if copied, err := tx.Source(ctx, c.Account.AgentRef(c.ToAgent), c.SourceID(id)); err != nil {
		return copyState{}, err
	} else {
		wanted = copied.WantedVersion
	}
	_, err = tx.Version(ctx, c.Account.AgentRef(c.ToAgent), c.SourceID(id), wanted)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return copyState{status: parley.SourceDeleted}, nil
	}
	return copyState{wanted: wanted, status: parley.SourceUntrained, train: true}, err
}

func originalState(c store.Clone, from *parley.Source) copyState {
	return copyState{live: c.VersionID(from.LiveVersion), wanted: c.VersionID(from.WantedVersion), status: from.Status,
		failure: from.Failure, train: from.Status == parley.SourceUntrained || from.Status == parley.SourceUpdated}
}

// failCopy marks the copy of a source as failed, if it still waits for its content.
func (s *Service) failCopy(ctx context.Context, c store.Clone, id parley.SourceID) error {
	now := s.Now()
	_, _, err := s.DB.UpdateSource(ctx, c.Account.AgentRef(c.ToAgent), c.SourceID(id), func(s *parley.Source) error {
		if s.Status != parley.SourceUntrained || s.LiveVersion != "" {
			return errAlreadySettled
		}
		s.Status, s.Failure, s.UpdatedAt = parley.SourceFailed,
			"the source could not be copied; the server's log says why", now
		return nil
	})
	if errors.Is(err, errAlreadySettled) {
		return nil
	}
	return err
}
