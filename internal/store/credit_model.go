package store

import (
	"context"
	"time"

	"parley"
)

// What credits are charged for.
const (
	ChargedAnswer = "answer"
	ChargedVoice  = "voice"
)

// ModelCredits is what was charged for the answers of a model, or for voice.
type ModelCredits struct {
	Kind    string // ChargedAnswer or ChargedVoice
	Model   string // the name that agents choose; empty of voice
	Used    parley.Credits
	Charges int64 // answers or voice conversations
}

var modelCreditsTable = newTable("credit_models", func(m *ModelCredits) []field {
	return []field{
		{"kind", &m.Kind},
		{"model", &m.Model},
		{"cast(sum(used) as bigint)", &m.Used},
		{"cast(sum(charges) as bigint)", &m.Charges},
	}
})

// queueModelCredits counts what was charged on its day, by model: the account's row before the agent's, as
// addCreditsQuery does.
func (db *DB) queueModelCredits(ctx context.Context, s settlement, now time.Time) error {
	day := dayInMonth(s.month, now)
	return db.sql.Queue(ctx, `
		insert into credit_models (
		  account_id,
		  agent_id,
		  day,
		  kind,
		  model,
		  used,
		  charges
		)
		values (?, ?, ?, ?, ?, ?, 1), (?, ?, ?, ?, ?, ?, 1)
		on conflict (account_id, agent_id, day, kind, model) do update set
		  used = credit_models.used + excluded.used,
		  charges = credit_models.charges + excluded.charges`,
		s.agent.Account, wholeAccount, day, s.kind, s.model, int64(s.cost),
		s.agent.Account, s.agent.Agent, day, s.kind, s.model, int64(s.cost))
}

// ModelCredits adds up what an account was charged on days, or one of its agents where it is named, by model: most
// first.
func (db *DB) ModelCredits(ctx context.Context, account parley.AccountID, agent parley.AgentID,
	days []string) ([]ModelCredits, error) {
	if len(days) == 0 {
		return nil, nil
	}
	return modelCreditsTable.list(ctx, db, `
		where account_id = ? and agent_id = ? and day in `+placeholders(len(days))+`
		group by kind, model
		order by sum(used) desc, kind, model`, append([]any{account, agent}, toAny(days)...)...)
}

// EraseOldModelCredits erases the days of all accounts that are long past, as EraseOldCreditDays does.
func (db *DB) EraseOldModelCredits(ctx context.Context, now time.Time) error {
	return db.execInChunks(ctx, `
		delete from credit_models
		where (account_id, agent_id, day, kind, model) in (
		  select account_id, agent_id, day, kind, model
		  from credit_models
		  where day < ?
		  order by day
		  limit ?)`, DayOf(now.AddDate(0, 0, -creditDaysKept)))
}
