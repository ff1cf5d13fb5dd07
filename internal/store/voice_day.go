package store

import (
	"context"
	"time"

	"parley"
)

// VoiceEnds counts the voice sessions that have ended for one reason.
type VoiceEnds struct {
	Reason   string
	Sessions int64
	Joined   int64 // by a customer
	Seconds  int64 // from when they had joined
	Minutes  int64 // that were charged
}

var voiceEndsTable = newTable("voice_days", func(v *VoiceEnds) []field {
	return []field{
		{"reason", &v.Reason},
		{"cast(sum(sessions) as bigint)", &v.Sessions},
		{"cast(sum(joined) as bigint)", &v.Joined},
		{"cast(sum(seconds) as bigint)", &v.Seconds},
		{"cast(sum(minutes) as bigint)", &v.Minutes},
	}
})

// dayNumber returns the day of a moment, counted from 1970.
func dayNumber(at time.Time) int64 { return at.Unix() / int64((24 * time.Hour).Seconds()) }

// queueVoiceDay counts a session that has ended on its day: the account's row before the agent's, as addCreditsQuery
// does.
func (db *DB) queueVoiceDay(ctx context.Context, s *parley.VoiceSession) error {
	day, joined, seconds := dayNumber(*s.EndedAt), 0, int64(0)
	if s.JoinedAt != nil {
		joined, seconds = 1, int64(max(s.EndedAt.Sub(*s.JoinedAt), 0).Seconds())
	}
	return db.sql.Queue(ctx, `
		insert into voice_days (
		  account_id,
		  agent_id,
		  day,
		  reason,
		  sessions,
		  joined,
		  seconds,
		  minutes
		)
		values (?, ?, ?, ?, 1, ?, ?, ?), (?, ?, ?, ?, 1, ?, ?, ?)
		on conflict (account_id, agent_id, day, reason) do update set
		  sessions = voice_days.sessions + 1,
		  joined = voice_days.joined + excluded.joined,
		  seconds = voice_days.seconds + excluded.seconds,
		  minutes = voice_days.minutes + excluded.minutes`,
		s.AccountID, wholeAccount, day, s.EndReason, joined, seconds, s.Minutes,
		s.AccountID, s.AgentID, day, s.EndReason, joined, seconds, s.Minutes)
}

// VoiceEnds counts the voice sessions of an account that have ended in a time of whole days, or of one of its agents
// where it is named, by why they have: most first.
func (db *DB) VoiceEnds(ctx context.Context, account parley.AccountID, agent parley.AgentID, begin,
	end time.Time) ([]VoiceEnds, error) {
	return voiceEndsTable.list(ctx, db, voiceEndsRest, account, agent, dayNumber(begin), dayNumber(end))
}

const voiceEndsRest = `
	where account_id = ? and agent_id = ? and day >= ? and day < ?
	group by reason
	order by sum(sessions) desc, reason`

// EraseOldVoiceDays erases the days of all accounts that are long past, as EraseOldCreditDays does.
func (db *DB) EraseOldVoiceDays(ctx context.Context, now time.Time) error {
	return db.execInChunks(ctx, eraseVoiceDaysQuery, dayNumber(now)-creditDaysKept)
}

const eraseVoiceDaysQuery = `
	delete from voice_days
	where (account_id, agent_id, day, reason) in (
	  select account_id, agent_id, day, reason
	  from voice_days
	  where day < ?
	  order by day
	  limit ?)`
