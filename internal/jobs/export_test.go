package jobs

import (
	"context"
	"strings"
)

// RankDue returns the due jobs their ranks.
func (r *Runner) RankDue(ctx context.Context) error { return r.rankDue(ctx) }

// FairQueries are the statements of a fair claim with arguments filled in, and the index that each has to use.
func FairQueries() map[string]string {
	fill := func(query string, args ...string) string {
		for _, arg := range args {
			query = strings.Replace(query, "?", arg, 1)
		}
		return query
	}
	return map[string]string{
		fill(selectUnranked, "'train'", "1800000000000", "64"): "jobs_unranked",
		fill(lowestRank, "'train'"):                            "jobs_by_rank",
		fill(runningRank, "'train'"):                           "jobs_by_rank",
		fill(accountRank, "'train'", "'acc1'"):                 "jobs_of_account",
		fill(smallestJobFirst, "'train'", "'acc1'"):            "jobs_small_first",
		fill(`select id from jobs where `+dueUnranked+` and kind = ? limit 1`, "1800000000000", "'train'"): "jobs_unranked",
	}
}

// SetStarted sets the time at which the runner was started to now.
func (r *Runner) SetStarted() { r.started = r.now() }
