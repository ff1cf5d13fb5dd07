package admin

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// AuditFilter narrows the acts on an account. Empty fields do not.
type AuditFilter struct {
	Actor  string `query:"actor" max:"200" doc:"Who, as the list names them."`
	Action string `query:"action" max:"100" doc:"Did what, such as key.create."`
	From   string `query:"from" max:"50" doc:"A day, or an ISO 8601 time."`
	To     string `query:"to" max:"50" doc:"A day or a time that is included."`
}

func (f AuditFilter) storeFilter() (store.AuditFilter, error) {
	out, details := store.AuditFilter{Actor: f.Actor, Action: f.Action}, map[string]string{}
	if from, _, ok := httpapi.ParseTime(f.From); ok {
		out.From = from
	} else if f.From != "" {
		details["from"] = httpapi.InvalidTimeMessage
	}
	if to, isDay, ok := httpapi.ParseTime(f.To); ok {
		out.Before = httpapi.ExclusiveEnd(to, isDay)
	} else if f.To != "" {
		details["to"] = httpapi.InvalidTimeMessage
	}
	return out, parley.InvalidFields(details)
}

// AuditQuery asks for a page of the acts on an account.
type AuditQuery struct {
	AccountID string `path:"accountId" json:"-"`
	AuditFilter
	Paging
}

// AuditActor is who has acted.
type AuditActor struct {
	Actor string `json:"actor" doc:"As the chain has it: operator, or user: or key: and an id."`
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// AuditAct is an act on an account.
type AuditAct struct {
	Seq         int64           `json:"seq" doc:"Of the account, from 1."`
	At          time.Time       `json:"at"`
	By          AuditActor      `json:"by"`
	Action      string          `json:"action"`
	Subject     string          `json:"subject" doc:"The id of what it was done to."`
	SubjectName string          `json:"subjectName,omitempty" doc:"Of what is still there and has one."`
	AgentName   string          `json:"agentName,omitempty" doc:"Of the agent that it was done to, or that it belongs to."`
	Details     json.RawMessage `json:"details" doc:"An object."`
	RequestID   string          `json:"requestId,omitempty" doc:"Of the request that did it."`
	Address     string          `json:"address,omitempty" doc:"That the request came from."`
	Hash        string          `json:"hash"`
}

func (s *Service) listAudit(ctx context.Context, in AuditQuery) (Page[AuditAct], error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return Page[AuditAct]{}, err
	}
	filter, err := in.storeFilter()
	if err != nil {
		return Page[AuditAct]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[store.AuditEvent], error) {
		return s.DB.AuditPage(ctx, account, filter, p)
	}
	purpose := []string{"audit", in.Actor, in.Action, in.From, in.To}
	return readPage(s, in.Paging, purpose, read, func(list []store.AuditEvent) ([]AuditAct, error) {
		return s.newAuditActs(ctx, account, list)
	})
}

func (s *Service) newAuditActs(ctx context.Context, account parley.AccountID,
	list []store.AuditEvent) ([]AuditAct, error) {
	actors, subjects := make([]string, len(list)), make([]string, 0, 2*len(list))
	for i := range list {
		actors[i] = list[i].Actor
		subjects = append(subjects, list[i].Subject, agentOf(&list[i]), keyOf(list[i].Actor))
	}
	people, err := s.findActors(ctx, actors)
	if err != nil {
		return nil, err
	}
	names, err := s.DB.SubjectNames(ctx, account, subjects)
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(list, func(a *store.AuditEvent) AuditAct {
		return AuditAct{Seq: a.Seq, At: a.At, By: withKeyName(people.actor(a.Actor), names), Action: a.Action,
			Subject: a.Subject, SubjectName: names[a.Subject], AgentName: names[agentOf(a)], Details: objectOrEmpty(a.Details),
			RequestID: a.Origin.RequestID, Address: a.Origin.Address, Hash: a.Hash}
	}), nil
}

// agentOf returns the id of the agent that an act names in its details, or else its subject, which may be an agent.
func agentOf(a *store.AuditEvent) string {
	var details struct{ Agent string }
	if json.Unmarshal([]byte(a.Details), &details) != nil || details.Agent == "" {
		return a.Subject
	}
	return details.Agent
}

// keyOf returns the id of the API key that an actor is; empty for any other. Earlier rows have a blank before it.
func keyOf(actor string) string {
	for _, prefix := range []string{access.KeyActor(""), "key "} {
		if id, isKey := strings.CutPrefix(actor, prefix); isKey {
			return id
		}
	}
	return ""
}

// withKeyName returns an actor with the name of the API key that it is, if it is one. names are by ids.
func withKeyName(a AuditActor, names map[string]string) AuditActor {
	if key := keyOf(a.Actor); key != "" {
		a.Name = names[key]
	}
	return a
}

// objectOrEmpty returns the details of an act. Some acts have none, which the chain holds as null.
func objectOrEmpty(details string) json.RawMessage {
	if details == "null" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(details)
}

// actorNames are the users that actors stand for.
type actorNames map[parley.UserID]parley.User

// findActors finds the users among actors, those who have left the account too.
func (s *Service) findActors(ctx context.Context, actors []string) (actorNames, error) {
	var ids []parley.UserID
	for _, a := range actors {
		if id, isUser := strings.CutPrefix(a, access.UserActor("")); isUser {
			ids = append(ids, parley.UserID(id))
		}
	}
	slices.Sort(ids)
	return s.DB.UserNames(ctx, slices.Compact(ids))
}

func (n actorNames) actor(actor string) AuditActor {
	u := n[parley.UserID(strings.TrimPrefix(actor, access.UserActor("")))]
	return AuditActor{Actor: actor, Name: u.Name, Email: u.Email}
}

// emailOf returns the e-mail address of an actor who is a user, and any other as they are called.
func (n actorNames) emailOf(actor string) string {
	if u := n.actor(actor); u.Email != "" {
		return u.Email
	}
	return actor
}

// AuditAccount names the account whose acts are asked about.
type AuditAccount struct {
	AccountID string `path:"accountId" json:"-"`
}

// AuditChoices are the values by which the acts on an account can be filtered.
type AuditChoices struct {
	Actors  []AuditActor `json:"actors"`
	Actions []string     `json:"actions"`
}

// maxAuditChoices bounds each list of AuditChoices.
const maxAuditChoices = 500

func (s *Service) listAuditChoices(ctx context.Context, in AuditAccount) (AuditChoices, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return AuditChoices{}, err
	}
	actors, err := s.DB.AuditActors(ctx, account, maxAuditChoices)
	if err != nil {
		return AuditChoices{}, err
	}
	people, err := s.findActors(ctx, actors)
	if err != nil {
		return AuditChoices{}, err
	}
	keys := make([]string, len(actors))
	for i, a := range actors {
		keys[i] = keyOf(a)
	}
	names, err := s.DB.SubjectNames(ctx, account, keys)
	if err != nil {
		return AuditChoices{}, err
	}
	out := AuditChoices{Actors: []AuditActor{}}
	for _, a := range actors {
		out.Actors = append(out.Actors, withKeyName(people.actor(a), names))
	}
	out.Actions, err = s.DB.AuditActions(ctx, account, maxAuditChoices)
	return out, err
}

// AuditCheck asks for a step of checking the chain of an account.
type AuditCheck struct {
	AccountID string `path:"accountId" json:"-"`
	After     int64  `query:"after" min:"0" doc:"The number of the last act that was checked; 0 begins."`
	Hash      string `query:"hash" max:"64" doc:"Its hash."`
	Look      string `query:"look" max:"64" doc:"A hash that was kept elsewhere, to be looked for on the way."`
}

// AuditCheckResult says how far the chain was checked. Further steps are asked for until it is done.
type AuditCheckResult struct {
	Checked int64  `json:"checked" doc:"Acts from the first one that fit."`
	Hash    string `json:"hash" doc:"Of the last one that fits. A copy stored elsewhere shows even acts cut off the end."`
	Total   int64  `json:"total" doc:"Acts there are."`
	Done    bool   `json:"done"`
	Broken  bool   `json:"broken" doc:"The act after those that fit was changed, or one before it is missing."`
	Found   bool   `json:"found" doc:"An act of this step has the hash that was looked for."`
}

// auditStep is how many acts are checked in a request.
const auditStep = 5000

func (s *Service) verifyAudit(ctx context.Context, in AuditCheck) (AuditCheckResult, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return AuditCheckResult{}, err
	}
	total, err := s.DB.LastAuditEvent(ctx, account)
	if err != nil {
		return AuditCheckResult{}, err
	}
	step, err := s.DB.VerifyAuditRows(ctx, account, store.AuditPlace{Seq: in.After, Hash: in.Hash}, in.Look, auditStep)
	return AuditCheckResult{Checked: step.To.Seq, Hash: step.To.Hash, Total: max(total, step.To.Seq), Done: step.IsEnd,
		Broken: step.Breaks, Found: step.Found}, err
}

// AuditExport asks for the acts on an account as a file.
type AuditExport struct {
	AccountID string `path:"accountId" json:"-"`
	Format    string `query:"format" enum:"jsonl,csv" default:"jsonl"`
	AuditFilter
}

// AuditRow is an act in an export, with what its hash is computed over.
type AuditRow struct {
	Account      parley.AccountID `json:"account"`
	Seq          int64            `json:"seq"`
	At           time.Time        `json:"at"`
	Actor        string           `json:"actor"`
	Action       string           `json:"action"`
	Subject      string           `json:"subject"`
	Details      string           `json:"details"`
	RequestID    string           `json:"requestId"`
	Address      string           `json:"address"`
	PreviousHash string           `json:"previousHash"`
	Hash         string           `json:"hash"`
}

var auditColumns = []string{"account", "seq", "at", "actor", "action", "subject", "details", "previousHash", "hash",
	"requestId", "address"}

func (r *AuditRow) cells() []string {
	cells := []string{string(r.Account), strconv.FormatInt(r.Seq, 10), r.At.Format(time.RFC3339Nano), r.Actor, r.Action,
		r.Subject, r.Details, r.PreviousHash, r.Hash, r.RequestID, r.Address}
	for i, cell := range cells {
		cells[i] = csvCell(cell)
	}
	return cells
}

// csvCell returns a text that a spreadsheet shows and does not compute.
func csvCell(text string) string {
	if strings.ContainsAny(text[:min(len(text), 1)], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

func (s *Service) exportAudit(ctx context.Context, c *httpapi.Call, in AuditExport) error {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return err
	}
	filter, err := in.storeFilter()
	if err == nil {
		err = s.recordAuditExport(ctx, account, in)
	}
	if err != nil {
		return err
	}
	if in.Format == "csv" {
		file := c.StreamFile("text/csv", "audit.csv")
		return file.End(s.writeAuditTable(ctx, account, filter, csv.NewWriter(file)))
	}
	file := c.StreamFile("application/jsonl", "audit.jsonl")
	return file.End(s.writeAuditLines(ctx, account, filter, file))
}

// recordAuditExport has the chain say who exports it, before it is read: the export ends with that.
func (s *Service) recordAuditExport(ctx context.Context, account parley.AccountID, in AuditExport) error {
	facts := map[string]any{"format": in.Format}
	for name, value := range map[string]string{"actor": in.Actor, "action": in.Action, "from": in.From, "to": in.To} {
		if value != "" {
			facts[name] = value
		}
	}
	return s.DB.AppendAuditEvent(ctx, account, s.Now(), s.actor(), "audit.export", string(account), facts)
}

func (s *Service) writeAuditTable(ctx context.Context, account parley.AccountID, f store.AuditFilter,
	w *csv.Writer) error {
	if err := w.Write(auditColumns); err != nil {
		return err
	}
	err := s.eachAuditRow(ctx, account, f, func(r *AuditRow) error { return w.Write(r.cells()) })
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}

func (s *Service) writeAuditLines(ctx context.Context, account parley.AccountID, f store.AuditFilter,
	w io.Writer) error {
	return s.eachAuditRow(ctx, account, f, func(r *AuditRow) error {
		line, err := httpapi.Marshal(r)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	})
}

// eachAuditRow calls a function with each act that the filter leaves, the oldest first.
func (s *Service) eachAuditRow(ctx context.Context, account parley.AccountID, f store.AuditFilter,
	write func(*AuditRow) error) error {
	return s.DB.EachAuditEvent(ctx, account, f, func(a *store.AuditEvent) error {
		return write(&AuditRow{Account: account, Seq: a.Seq, At: a.At, Actor: a.Actor, Action: a.Action, Subject: a.Subject,
			Details: a.Details, RequestID: a.Origin.RequestID, Address: a.Origin.Address, PreviousHash: a.PreviousHash,
			Hash: a.Hash})
	})
}

// ErrAuditBroken is the failure of a chain in which a row was changed, or is missing.
var ErrAuditBroken = errors.New("a row of the audit log was changed, or one before it is missing")

// VerifyAuditFile checks an export in JSON lines that was made without filters, and calls a function with each row that
// fits. It returns the last of them. It needs neither a server nor the data. Fails with ErrAuditBroken.
func VerifyAuditFile(file io.Reader, each func(*AuditRow)) (last AuditRow, err error) {
	lines := json.NewDecoder(file)
	for {
		row := AuditRow{}
		if err := lines.Decode(&row); errors.Is(err, io.EOF) {
			return last, nil
		} else if err != nil {
			return last, parley.NewErrorf(parley.CodeInvalidBody, "Behind row %d the file is no export in JSON lines: %v.",
				last.Seq, err)
		}
		event := store.AuditEvent{Seq: row.Seq, At: row.At, Actor: row.Actor, Action: row.Action, Subject: row.Subject,
			Details: row.Details, Origin: parley.Origin{RequestID: row.RequestID, Address: row.Address},
			PreviousHash: row.PreviousHash, Hash: row.Hash}
		if last.Seq > 0 && row.Account != last.Account || !event.Follows(row.Account, store.AuditPlace{Seq: last.Seq,
			Hash: last.Hash}) {
			return last, ErrAuditBroken
		}
		each(&row)
		last = row
	}
}
