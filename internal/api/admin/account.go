package admin

import (
	"context"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// NewAccount asks for an account with its first key.
type NewAccount struct {
	Name    string `json:"name"`
	Plan    string `json:"plan"`
	Credits *int64 `json:"credits,omitempty"` // whole credits a month; nil takes the plan's
	HIPAA   bool   `json:"hipaa"`
}

// CreatedAccount names the new account and shows its key, this once.
type CreatedAccount struct {
	AccountID string `json:"accountId"`
	APIKey    string `json:"apiKey"`
}

// AccountChange says what an account is to be; what is absent stays.
type AccountChange struct {
	ID      string             `path:"accountId" json:"-"`
	Name    *string            `json:"name,omitempty"`
	Plan    *string            `json:"plan,omitempty"`
	Credits httpapi.Opt[int64] `json:"credits,omitzero" nullable:"true"` // a month; null takes the plan's
	HIPAA   *bool              `json:"hipaa,omitempty"`

	ViewersSeePersonalData *bool `json:"viewersSeePersonalData,omitempty"` // of customers

	TimeZone *string `json:"timeZone,omitempty" doc:"IANA name, such as Europe/Berlin; empty for UTC."`

	OnlySSO     *bool   `json:"onlySingleSignOn,omitempty" doc:"Members enter the account by single sign-on alone."`
	ExemptOwner *string `json:"exemptOwner,omitempty" doc:"The owner, by their user id, who need not."`

	AdminsNeedPasskey *bool `json:"adminsNeedPasskey,omitempty" doc:"Owners and admins enter the account with a passkey."`

	NoPasswords *bool `json:"noPasswords,omitempty" doc:"Members enter the account without passwords."`
}

// Account is an account as the operator sees it.
type Account struct {
	ID          string    `json:"accountId"`
	Name        string    `json:"name"`
	Plan        string    `json:"plan"`
	PlanUnknown bool      `json:"planUnknown,omitempty"` // the installation has no such plan
	Credits     *float64  `json:"credits"`               // a month; null is unlimited, or what an unknown plan grants
	CreditsUsed float64   `json:"creditsUsed"`
	HIPAA       bool      `json:"hipaa"`
	CreatedAt   time.Time `json:"createdAt"`

	Plans []string `json:"plans" doc:"That whoever asks may choose; empty for members where there are several accounts."`

	ViewersSeePersonalData bool `json:"viewersSeePersonalData"` // of customers

	ImportBytes int64 `json:"importBytes" doc:"Of an archive that whoever asks may import at most; 0 for none."`

	TimeZone string `json:"timeZone" doc:"IANA name, by which days are counted in mails; empty for UTC."`

	OnlySSO     bool   `json:"onlySingleSignOn" doc:"Members enter the account by single sign-on alone."`
	ExemptOwner string `json:"exemptOwner" doc:"The owner, by their user id, who need not; empty without that."`

	AdminsNeedPasskey bool `json:"adminsNeedPasskey" doc:"Owners and admins enter the account with a passkey."`

	NoPasswords bool `json:"noPasswords" doc:"Members enter the account without passwords."`
}

func (s *Service) createAccount(ctx context.Context, in NewAccount) (CreatedAccount, error) {
	a, key, err := s.Accounts.CreateAccount(ctx, in.account())
	if err != nil {
		return CreatedAccount{}, err
	}
	return CreatedAccount{string(a.ID), key}, nil
}

// Check fails as CreateAccount would, without a database: what is refused then has made none.
func (in NewAccount) Check(plans *access.Plans) error { return plans.CheckNewAccount(in.account()) }

func (in NewAccount) account() access.NewAccount {
	return access.NewAccount{Name: in.Name, Plan: in.Plan, Credits: grantCredits(in.Credits), HIPAA: in.HIPAA}
}

// grantCredits converts whole credits, of which more than 10^12 count as 10^12.
func grantCredits(whole *int64) *parley.Credits {
	if whole == nil {
		return nil
	}
	c := parley.Credits(min(*whole, 1e12)) * parley.Credit
	return &c
}

func (s *Service) updateAccount(ctx context.Context, in AccountChange) (Account, error) {
	if err := s.checkAccount(parley.AccountID(in.ID)); err != nil {
		return Account{}, err
	}
	change := access.AccountChange{Name: in.Name, Plan: in.Plan, HIPAA: in.HIPAA,
		ViewersSeePersonalData: in.ViewersSeePersonalData, TimeZone: in.TimeZone, OnlySSO: in.OnlySSO,
		ExemptOwner: (*parley.UserID)(in.ExemptOwner), AdminsNeedPasskey: in.AdminsNeedPasskey,
		NoPasswords: in.NoPasswords}
	if in.Credits.Present {
		change.Credits = &access.CreditGrant{Credits: grantCredits(in.Credits.Ptr())}
	}
	a, err := s.Accounts.UpdateAccount(ctx, parley.AccountID(in.ID), change)
	if err != nil {
		return Account{}, err
	}
	s.applyChange()
	return s.newAccount(ctx, a)
}

func (s *Service) listAccounts(ctx context.Context, _ NoInput) ([]Account, error) {
	found, err := s.visibleAccounts(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Account, len(found))
	for i := range found {
		if list[i], err = s.newAccount(ctx, &found[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// visibleAccounts returns all accounts to the operator, and to a member their own.
func (s *Service) visibleAccounts(ctx context.Context) ([]parley.Account, error) {
	if s.member == nil {
		return s.Accounts.List(ctx)
	}
	own, err := s.DB.Account(ctx, s.member.Account)
	if err != nil {
		return nil, err
	}
	return []parley.Account{*own}, nil
}

func (s *Service) newAccount(ctx context.Context, a *parley.Account) (Account, error) {
	used, _, err := s.DB.AccountCreditUsage(ctx, a.ID, store.MonthOf(s.Now()))
	_, known := s.Accounts.Plans.Plan(a.Plan)
	out := Account{
		ID:          string(a.ID),
		Name:        a.Name,
		Plan:        a.Plan,
		PlanUnknown: !known,
		CreditsUsed: used.Float(),
		HIPAA:       a.HIPAA,
		CreatedAt:   a.CreatedAt,

		ViewersSeePersonalData: a.ViewersSeePersonalData,

		TimeZone: a.TimeZone,

		OnlySSO: a.OnlySSO, ExemptOwner: string(a.ExemptOwner), AdminsNeedPasskey: a.AdminsNeedPasskey,
		NoPasswords: a.NoPasswords,
	}
	if credits := s.monthlyCredits(a); credits != nil {
		n := credits.Float()
		out.Credits = &n
	}
	if err == nil {
		out.Plans, err = s.plansToChoose(ctx)
	}
	if err == nil {
		out.ImportBytes, err = s.importBytes(ctx)
	}
	return out, err
}

// plansToChoose lists the plans that an account may be given: by the operator, and by the owner of the only account.
func (s *Service) plansToChoose(ctx context.Context) ([]string, error) {
	if s.member == nil {
		return s.Accounts.Plans.Names(), nil
	}
	accounts, err := s.DB.OldestAccounts(ctx, 2)
	if err != nil || len(accounts) > 1 {
		return []string{}, err
	}
	return s.Accounts.Plans.Names(), nil
}

// monthlyCredits returns what the account may use in a month: its own number, else its plan's; nil is unlimited.
func (s *Service) monthlyCredits(a *parley.Account) *parley.Credits {
	if a.Credits != nil {
		return a.Credits
	}
	plan, _ := s.Accounts.Plans.Plan(a.Plan)
	return plan.CreditsPerMonth
}

// Plan is what the plan of an account allows. Null is no limit.
type Plan struct {
	Name                 string   `json:"name"`
	Unknown              bool     `json:"unknown" doc:"The server has no such plan, so that it allows nothing."`
	API                  bool     `json:"api" doc:"The REST interfaces may be used, with a key."`
	Voice                bool     `json:"voice"`
	MaxAgents            *int     `json:"agents"`
	StoragePerAgent      *int64   `json:"storagePerAgent" doc:"Bytes of sources."`
	CreditsPerMonth      *float64 `json:"creditsPerMonth"`
	CreditsPerVoiceMin   float64  `json:"creditsPerVoiceMinute"`
	VoiceSessionsPerHour *int     `json:"voiceSessionsPerHour" doc:"Of an agent that sets no limit of its own."`
	VoiceSessionsPerDay  *int     `json:"voiceSessionsPerDay" doc:"The same in a day."`
	CreditPrice          *Price   `json:"creditPrice" doc:"What a credit costs; null where that is not set."`
}

// Price is an amount of money.
type Price struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency" doc:"By ISO 4217, such as EUR."`
}

func newPrice(p *parley.Price) *Price {
	if p == nil {
		return nil
	}
	return &Price{p.Amount, p.Currency}
}

// Usage is what an account may use and has used in a month.
type Usage struct {
	Month    string    `json:"month" doc:"UTC, such as 2026-11."`
	EndsAt   time.Time `json:"endsAt" doc:"When the month ends and credits begin anew."`
	Plan     Plan      `json:"plan"`
	Agents   int       `json:"agents" doc:"How many there are now."`
	Limit    *float64  `json:"creditLimit" doc:"Of the month: the account's own, else the plan's; null is none."`
	OwnLimit bool      `json:"ownCreditLimit" doc:"The limit was set for the account, in place of the plan's."`
	Used     float64   `json:"credits"`
	Reserved float64   `json:"reservedCredits" doc:"Set aside for answers that are being written."`

	Forecast *float64 `json:"forecast" doc:"Credits at the end of this month at its pace so far; null on its first day."`

	ReachesAt *time.Time   `json:"reachesLimitAt" doc:"When the limit is reached at that pace; null if not in this month."`
	Days      []CreditDay  `json:"days" doc:"From the first of the month, up to today."`
	Models    []ModelUsage `json:"models" doc:"What it was used for on those days, most first; last what nobody counted."`
}

// ModelUsage is what was used for the answers of a model in a month.
type ModelUsage struct {
	Kind    string  `json:"kind" enum:"answer,voice,uncounted" doc:"uncounted: used before models were counted."`
	Model   string  `json:"model,omitempty" doc:"Of answers: the name that agents choose."`
	Credits float64 `json:"credits"`
	Charges int64   `json:"charges" doc:"How many answers or voice conversations were charged; 0 of uncounted."`
}

// CreditDay is what was used on a day.
type CreditDay struct {
	Day     string  `json:"day" doc:"UTC, such as 2026-11-24."`
	Credits float64 `json:"credits"`
}

// UsageQuery asks what an account has used in a month.
type UsageQuery struct {
	AccountID string `path:"accountId" json:"-"`
	Month     string `query:"month" max:"7" doc:"Such as 2026-11; without it the present one."`
	AgentID   string `query:"agentId" doc:"Whose days and models; without it those of all agents."`
}

// AgentUsage is what an agent uses.
type AgentUsage struct {
	AgentID     string  `json:"agentId"`
	Name        string  `json:"name"`
	Credits     float64 `json:"credits" doc:"Of the month."`
	CreditLimit *int64  `json:"creditLimit" doc:"Of a month, as the agent is set; null is none."`
	Storage     int64   `json:"storage" doc:"Bytes of its sources now."`

	Forecast  *float64   `json:"forecast" doc:"As that of Usage, of the agent alone."`
	ReachesAt *time.Time `json:"reachesLimitAt" doc:"When it reaches its own limit at that pace; null if it does not."`
}

// AgentUsageQuery asks for a page of what the agents of an account use.
type AgentUsageQuery struct {
	AccountID string `path:"accountId" json:"-"`
	Month     string `query:"month" max:"7" doc:"Such as 2026-11; without it the present one."`
	Paging
}

// UsageExport asks what an account has used on each day of a month.
type UsageExport struct {
	AccountID string `path:"accountId" json:"-"`
	Month     string `query:"month" max:"7" doc:"Such as 2026-11; without it the present one."`
	By        string `query:"by" enum:"agent,model" default:"agent" doc:"What has a row on each day."`
}

// beginOfMonth reads a month; empty is the present one.
func (s *Service) beginOfMonth(month string) (time.Time, error) {
	if month == "" {
		month = store.MonthOf(s.Now())
	}
	begin, err := time.Parse("2006-01", month)
	if err != nil || begin.After(s.Now()) {
		return time.Time{}, parley.Invalid("month", "must be a month that has begun, such as 2026-11")
	}
	return begin, nil
}

// daysOfMonth lists the days of a month, up to today.
func (s *Service) daysOfMonth(begin time.Time) (days []string) {
	end := begin.AddDate(0, 1, 0)
	for day := begin; day.Before(end) && !day.After(s.Now()); day = day.AddDate(0, 0, 1) {
		days = append(days, store.DayOf(day))
	}
	return days
}

func (s *Service) getUsage(ctx context.Context, in UsageQuery) (Usage, error) {
	id, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return Usage{}, err
	}
	begin, err := s.beginOfMonth(in.Month)
	if err != nil {
		return Usage{}, err
	}
	account, err := s.DB.Account(ctx, id)
	if err != nil {
		return Usage{}, err
	}
	out := Usage{Month: store.MonthOf(begin), EndsAt: begin.AddDate(0, 1, 0), Plan: s.newPlan(account.Plan),
		OwnLimit: account.Credits != nil}
	used, reserved, err := s.DB.AccountCreditUsage(ctx, id, out.Month)
	if err != nil {
		return out, err
	}
	limit := s.monthlyCredits(account)
	out.Used, out.Reserved, out.Limit = used.Float(), reserved.Float(), creditsOrNil(limit)
	out.Forecast, out.ReachesAt = forecastCredits(begin, s.Now(), used, limit)
	if out.Agents, err = s.DB.CountAgents(ctx, id); err != nil {
		return out, err
	}
	agent, days := parley.AgentID(in.AgentID), s.daysOfMonth(begin)
	var ofDays parley.Credits
	if out.Days, ofDays, err = s.readCreditDays(ctx, id, agent, days); err != nil {
		return out, err
	}
	out.Models, err = s.readModelUsage(ctx, id, agent, days, ofDays)
	return out, err
}

func (s *Service) newPlan(name string) Plan {
	plan, isKnown := s.Accounts.Plans.Plan(name)
	return Plan{Name: name, Unknown: !isKnown, API: plan.API, Voice: plan.Voice, MaxAgents: plan.MaxAgents,
		StoragePerAgent: plan.StoragePerAgent, CreditsPerMonth: creditsOrNil(plan.CreditsPerMonth),
		CreditsPerVoiceMin: plan.CreditsPerVoiceMinute.Float(), VoiceSessionsPerHour: plan.VoicePerHour,
		VoiceSessionsPerDay: plan.VoicePerDay, CreditPrice: newPrice(plan.CreditPrice)}
}

func creditsOrNil(c *parley.Credits) *float64 {
	if c == nil {
		return nil
	}
	n := c.Float()
	return &n
}

// minForecastTime is how much of a month must be over before its pace says anything.
const minForecastTime = 24 * time.Hour

// forecastCredits draws a straight line: what will be used by the end of the month if the rest of it is as what is
// over, and when the limit is reached then. Both are nil for a month that is over, or has just begun.
func forecastCredits(begin, now time.Time, used parley.Credits, limit *parley.Credits) (*float64, *time.Time) {
	end, over := begin.AddDate(0, 1, 0), now.Sub(begin)
	if over < minForecastTime || !now.Before(end) {
		return nil, nil
	}
	forecast := used.Float() * float64(end.Sub(begin)) / float64(over)
	if limit == nil || used >= *limit || forecast <= limit.Float() {
		return &forecast, nil
	}
	at := begin.Add(time.Duration(float64(over) * limit.Float() / used.Float()))
	return &forecast, &at
}

// readCreditDays returns what was used on each of the days and on all of them, by all agents or by the one that is
// named.
func (s *Service) readCreditDays(ctx context.Context, account parley.AccountID, agent parley.AgentID,
	days []string) (list []CreditDay, sum parley.Credits, err error) {
	if agent != "" {
		if err := s.DB.CheckAgent(ctx, account.AgentRef(agent), s.Now()); err != nil {
			return nil, 0, err
		}
	}
	found, err := s.DB.CreditDays(ctx, account, agent, days)
	if err != nil {
		return nil, 0, err
	}
	used := map[string]parley.Credits{}
	for _, d := range found {
		used[d.Day] = d.Used
		sum += d.Used
	}
	list = make([]CreditDay, len(days))
	for i, day := range days {
		list[i] = CreditDay{day, used[day].Float()}
	}
	return list, sum, nil
}

// readModelUsage returns what was used by model on the days, on which that much was used: what is more than the models
// have was used before they were counted. The days were read before, so that they never have what models lack yet.
func (s *Service) readModelUsage(ctx context.Context, account parley.AccountID, agent parley.AgentID, days []string,
	ofDays parley.Credits) ([]ModelUsage, error) {
	found, err := s.DB.ModelCredits(ctx, account, agent, days)
	if err != nil {
		return nil, err
	}
	list := make([]ModelUsage, 0, len(found)+1)
	for _, m := range found {
		list = append(list, ModelUsage{m.Kind, m.Model, m.Used.Float(), m.Charges})
		ofDays -= m.Used
	}
	if ofDays > 0 {
		list = append(list, ModelUsage{Kind: "uncounted", Credits: ofDays.Float()})
	}
	return list, nil
}

func (s *Service) listAgentUsage(ctx context.Context, in AgentUsageQuery) (Page[AgentUsage], error) {
	id, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return Page[AgentUsage]{}, err
	}
	begin, err := s.beginOfMonth(in.Month)
	if err != nil {
		return Page[AgentUsage]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Agent], error) { return s.DB.Agents(ctx, id, begin, p) }
	return readPage(s, in.Paging, []string{"usage", in.AccountID, store.MonthOf(begin)}, read,
		eachBy(func(a *parley.Agent) AgentUsage { return s.newAgentUsage(a, begin) }))
}

// newAgentUsage returns what an agent uses in the month that begins then.
func (s *Service) newAgentUsage(a *parley.Agent, begin time.Time) AgentUsage {
	out := AgentUsage{AgentID: string(a.ID), Name: a.Name, Credits: a.CreditsUsed.Float(), CreditLimit: a.CreditLimit,
		Storage: a.Size}
	out.Forecast, out.ReachesAt = forecastCredits(begin, s.Now(), a.CreditsUsed, grantCredits(a.CreditLimit))
	return out
}

func (s *Service) exportUsage(ctx context.Context, c *httpapi.Call, in UsageExport) error {
	id, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return err
	}
	begin, err := s.beginOfMonth(in.Month)
	if err != nil {
		return err
	}
	write, name := s.writeUsage, "usage-"
	if in.By == "model" {
		write, name = s.writeUsageByModel, "usage-by-model-"
	}
	file := c.StreamFile("text/csv", name+store.MonthOf(begin)+".csv")
	return file.End(write(ctx, id, s.daysOfMonth(begin), csv.NewWriter(file)))
}

// writeUsageByModel writes a row for each model that was used on a day, one for voice, and one for what was used before
// models were counted.
func (s *Service) writeUsageByModel(ctx context.Context, account parley.AccountID, days []string,
	w *csv.Writer) error {
	if err := w.Write([]string{"day", "kind", "model", "credits", "charges"}); err != nil {
		return err
	}
	for i := range days {
		_, sum, err := s.readCreditDays(ctx, account, "", days[i:i+1])
		if err != nil {
			return err
		}
		models, err := s.readModelUsage(ctx, account, "", days[i:i+1], sum)
		if err != nil {
			return err
		}
		for _, m := range models {
			credits := strconv.FormatFloat(m.Credits, 'f', -1, 64)
			row := []string{days[i], m.Kind, csvCell(m.Model), credits, strconv.FormatInt(m.Charges, 10)}
			if err := w.Write(row); err != nil {
				return err
			}
		}
		w.Flush()
	}
	return w.Error()
}

func (s *Service) writeUsage(ctx context.Context, account parley.AccountID, days []string, w *csv.Writer) error {
	if err := w.Write([]string{"day", "agentId", "agent", "credits"}); err != nil {
		return err
	}
	for _, day := range days {
		if err := s.writeUsageOfDay(ctx, account, day, w); err != nil {
			return err
		}
		w.Flush()
	}
	return w.Error()
}

// writeUsageOfDay writes a row for each agent that was used, and one without an agent for those that are deleted.
func (s *Service) writeUsageOfDay(ctx context.Context, account parley.AccountID, day string, w *csv.Writer) error {
	rows, err := s.DB.CreditsOfDay(ctx, account, day)
	if err != nil {
		return err
	}
	names, err := s.agentNames(ctx, account, rows)
	if err != nil {
		return err
	}
	rest := store.CreditDay{Day: day}
	ofAgents := rows[:0]
	for _, row := range rows {
		switch {
		case row.Agent == "":
			rest.Used += row.Used
		case names[row.Agent] != "":
			rest.Used -= row.Used
			ofAgents = append(ofAgents, row)
		}
	}
	if rest.Used > 0 {
		ofAgents = append(ofAgents, rest)
	}
	for _, row := range ofAgents {
		credits := strconv.FormatFloat(row.Used.Float(), 'f', -1, 64)
		if err := w.Write([]string{day, csvCell(string(row.Agent)), csvCell(names[row.Agent]), credits}); err != nil {
			return err
		}
	}
	return nil
}

const nameBatch = 500 // names that are read at a time

func (s *Service) agentNames(ctx context.Context, account parley.AccountID,
	rows []store.CreditDay) (map[parley.AgentID]string, error) {
	names := map[parley.AgentID]string{}
	for part := range slices.Chunk(rows, nameBatch) {
		ids := make([]parley.AgentID, len(part))
		for i := range part {
			ids[i] = part[i].Agent
		}
		some, err := s.DB.AgentNames(ctx, account, ids)
		if err != nil {
			return nil, err
		}
		maps.Copy(names, some)
	}
	return names, nil
}

// MaintenanceState says whether the service is under maintenance: whether it refuses requests.
type MaintenanceState struct {
	Enabled bool `json:"maintenance"`
}

func (s *Service) getMaintenance(ctx context.Context, _ NoInput) (MaintenanceState, error) {
	isEnabled, err := s.Accounts.Maintenance(ctx)
	return MaintenanceState{isEnabled}, err
}

func (s *Service) setMaintenance(ctx context.Context, in MaintenanceState) (MaintenanceState, error) {
	if err := s.Accounts.SetMaintenance(ctx, in.Enabled); err != nil {
		return MaintenanceState{}, err
	}
	if s.SetMaintenance != nil {
		s.SetMaintenance(in.Enabled)
	}
	return in, nil
}

// ReindexRequest asks for the index of an account's conversations to be rebuilt.
type ReindexRequest struct {
	AccountID string `path:"accountId" json:"-"`
	Begin     bool   `json:"begin"` // else what has begun goes on
}

// ReindexState says how far the index is built. Steps are asked for until it is done, unless a server runs.
type ReindexState struct {
	Done  bool  `json:"done"`
	Built int64 `json:"built"` // conversations
	Total int64 `json:"total"`
}

// reindex works for about a second on the index; the old one answers meanwhile.
func (s *Service) reindex(ctx context.Context, in ReindexRequest) (ReindexState, error) {
	account := parley.AccountID(in.AccountID)
	if _, err := s.DB.Account(ctx, account); err != nil {
		return ReindexState{}, err
	}
	if in.Begin {
		if err := s.Indexer.Rebuild(ctx, account); err != nil {
			return ReindexState{}, err
		}
	}
	state, err := s.Indexer.Build(ctx, account)
	return ReindexState{state.Done, state.Built, state.Total}, err
}

// ExportNote says which account is exported.
type ExportNote struct {
	AccountID string `path:"accountId" json:"-"`
}

// noteExport comes before the export: whoever cuts that short has read some of the account all the same.
func (s *Service) noteExport(ctx context.Context, in ExportNote) (NoOutput, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.DB.NoteArchive(ctx, account, s.Now(), s.actor(), store.AccountExported, map[string]any{})
}

func (s *Service) exportAccount(ctx context.Context, c *httpapi.Call, in ExportNote) error {
	if _, err := s.noteExport(ctx, in); err != nil {
		return err
	}
	file := c.StreamFile("application/zip", "archive.zip")
	return file.End(s.Archive.ExportTo(ctx, parley.AccountID(in.AccountID), file))
}
