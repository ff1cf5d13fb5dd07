package admin

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"parley"
	"parley/internal/archive"
	"parley/internal/httpapi"
	"parley/internal/movein"
	"parley/internal/store"
)

// MoveInRequest asks for a step of taking over what an account has at another service that speaks REST v2.
type MoveInRequest struct {
	AccountID string `path:"accountId" json:"-"`
	URL       string `json:"url" min:"1" max:"2000" doc:"Of the service's interface, such as https://host.example/api/v2."`
	Key       string `json:"key" min:"1" max:"2000" doc:"Of the service. It is sent to it, and kept nowhere."`
	Begin     bool   `json:"begin" doc:"Where everything was read before, read it again; what is here stays."`
}

// MoveInState says how far that has come. Further steps are asked for, after the wait, until it is done.
type MoveInState struct {
	Agents        int             `json:"agents" doc:"That are known so far."`
	AgentsDone    int             `json:"agentsDone"`
	Conversations int64           `json:"conversations" doc:"That were taken over."`
	Present       int64           `json:"present" doc:"That were here already, and stay as they are."`
	Deleted       int64           `json:"deleted" doc:"That were deleted here before, and stay so."`
	Total         int64           `json:"total" doc:"That the service counts."`
	WaitMillis    int64           `json:"waitMillis" doc:"Before the next step."`
	Problem       string          `json:"problem,omitempty" doc:"Why to wait, if not by the service's limits."`
	Done          bool            `json:"done"`
	LeftOut       []MoveInLeftOut `json:"leftOut,omitempty" doc:"What was not taken over, once it is done."`
	LeftOutMore   int             `json:"leftOutMore,omitempty" doc:"Further ones, which are not listed."`
}

// MoveInLeftOut is something that was not taken over.
type MoveInLeftOut struct {
	AgentID string `json:"agentId" doc:"The agent that has it, here."`
	Agent   string `json:"agent" doc:"The agent's name."`
	Kind    string `json:"kind" enum:"setting,source,conversation"`
	Type    string `json:"type,omitempty" doc:"Of a source."`
	Name    string `json:"name"`
	Reason  string `json:"reason"`
}

func (s *Service) moveIn(ctx context.Context, in MoveInRequest) (MoveInState, error) {
	caller, err := s.findAccountCaller(ctx, in.AccountID)
	if err != nil {
		return MoveInState{}, err
	}
	p, err := s.MoveIns.Step(ctx, movein.Request{Caller: caller, Actor: s.actor(), URL: in.URL, Key: in.Key,
		Begin: in.Begin})
	if err != nil {
		return MoveInState{}, err
	}
	out := MoveInState{Agents: p.Agents, AgentsDone: p.AgentsDone, Conversations: p.Conversations, Present: p.Present,
		Deleted: p.Deleted, Total: p.Total, WaitMillis: int64((p.Wait + time.Millisecond - 1) / time.Millisecond),
		Problem: p.Problem, Done: p.Done, LeftOutMore: p.LeftOutMore}
	for _, l := range p.LeftOut {
		out.LeftOut = append(out.LeftOut, MoveInLeftOut{string(l.AgentID), l.Agent, l.Kind, l.Type, l.Name, l.Reason})
	}
	return out, nil
}

// AccountImport is asked for in the account that somebody works in. The archive is the body.
type AccountImport struct {
	AccountID string `path:"accountId" json:"-"`
	NewIDs    bool   `query:"newIds" json:"-" doc:"Give everything new ids, so that the account may be here already."`
}

// ImportProgress is an event of an import: how far a step has come.
type ImportProgress struct {
	Step string `json:"step"`
	Done int64  `json:"done"`
	All  int64  `json:"all"`
}

// ImportedAccount is the event that ends an import.
type ImportedAccount struct {
	AccountID string   `json:"accountId"`
	Name      string   `json:"name"`
	From      string   `json:"from"` // the id in the archive
	Agents    int64    `json:"agents"`
	Messages  int64    `json:"messages"`
	Files     int      `json:"files"`
	Missing   []string `json:"missing"` // hashes of files that were gone when the archive was made

	UnknownPlan string `json:"unknownPlan,omitempty"` // that the account has and the server has not
}

// ImportFailure is the event that ends an import that has failed. Nothing of it is left.
type ImportFailure struct {
	Code    parley.Code `json:"code"`
	Message string      `json:"message"`
}

// mayImport reports whether whoever asks may make accounts of archives: an archive says who its owners are, and what
// plan its account has.
func (s *Service) mayImport(ctx context.Context) (bool, error) {
	if s.member == nil || s.member.Role != parley.RoleOwner {
		return s.member == nil, nil
	}
	return s.DB.OwnsEveryAccount(ctx, s.member.User)
}

// importBytes returns the size of the largest archive that whoever asks may import; 0 for none.
func (s *Service) importBytes(ctx context.Context) (int64, error) {
	may, err := s.mayImport(ctx)
	if !may {
		return 0, err
	}
	return s.MaxImportBytes, err
}

// importAccount answers with events: "progress" as often as there is some, and at last "done" or "error".
func (s *Service) importAccount(ctx context.Context, c *httpapi.Call, in AccountImport) error {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return err
	}
	may, err := s.mayImport(ctx)
	if err == nil && !may {
		err = parley.NewErrorf(parley.CodeInsufficientScope, "This server has accounts of others: its operator imports "+
			"archives.")
	}
	if err != nil {
		return err
	}
	dir, err := s.IncomingFolder()
	if err != nil {
		return err
	}
	path, err := c.SaveBody(dir, s.MaxImportBytes)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }()
	return s.streamImport(ctx, c, account, path, in.NewIDs)
}

// streamImport imports a file and sends the events of it. The account that asks records that it did, whatever comes of
// it; the new one begins its audit log with it.
func (s *Service) streamImport(ctx context.Context, c *httpapi.Call, account parley.AccountID, path string,
	newIDs bool) error {
	if err := s.DB.NoteArchive(ctx, account, s.Now(), s.actor(), store.AccountImportBegun, map[string]any{
		"newIds": newIDs}); err != nil {
		return err
	}
	options := archive.Options{NewIDs: newIDs, Actor: s.actor()}
	if s.member != nil {
		options.Owner = s.member.User
	}
	sender := newImportSender(c.StreamEvents())
	into := *s.Archive
	into.OnProgress = sender.note
	done, err := into.ImportInto(ctx, s.DB, path, options)
	sender.stop()
	if err != nil {
		known := parley.AsError(err)
		return sender.send("error", ImportFailure{known.Code, known.Message})
	}
	s.applyChange()
	return sender.send("done", s.describeImport(ctx, done))
}

func (s *Service) describeImport(ctx context.Context, done *archive.Imported) ImportedAccount {
	m, name := &done.Manifest, ""
	if a, err := s.DB.Account(ctx, done.Account); err == nil { // it is imported all the same
		name = a.Name
	}
	out := ImportedAccount{AccountID: string(done.Account), Name: name, From: string(m.Account),
		Agents: m.RowsOf("agents"), Messages: m.RowsOf("messages"), Files: m.Files,
		Missing: slices.Concat([]string{}, m.Missing)}
	if _, isKnown := s.Accounts.Plans.Plan(done.Plan); !isKnown {
		out.UnknownPlan = done.Plan
	}
	return out
}

// importPing is how long nothing is sent before a comment keeps the connection alive.
const importPing = 15 * time.Second

// importSender sends how far an import is, from a goroutine of its own: an import writes in a transaction, which must
// not wait for whoever reads.
type importSender struct {
	out      *httpapi.Stream
	progress chan ImportProgress
	done     chan struct{}
}

func newImportSender(out *httpapi.Stream) *importSender {
	s := &importSender{out: out, progress: make(chan ImportProgress, 1), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *importSender) run() {
	defer close(s.done)
	ping := time.NewTicker(importPing)
	defer ping.Stop()
	for {
		select {
		case p, ok := <-s.progress:
			if !ok {
				return
			}
			_ = s.send("progress", p) // whoever is gone has ended the request
		case <-ping.C:
			_ = s.out.Ping()
		}
	}
}

// note notes how far the import is. What cannot be sent now is left out: more follows.
func (s *importSender) note(step string, done, all int64) {
	select {
	case s.progress <- ImportProgress{step, done, all}:
	default:
	}
}

// stop ends the goroutine. From then on send is the caller's.
func (s *importSender) stop() {
	close(s.progress)
	<-s.done
}

func (s *importSender) send(name string, event any) error {
	return errors.Join(s.out.SendEvent(name, 0, event), s.out.Flush())
}
