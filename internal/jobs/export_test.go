package jobs

import (
	"context"
	"strings"
)

// RankDue sets the ranks of the due jobs.
func (r *Runner) RankDue(ctx context.Context) error { return r.rankDue(ctx) }

// HotQueries are the statements that find jobs, with their arguments, and the index that each must use.
func HotQueries() map[string]string {
	fill := func(query string, args ...string) string {
		for _, arg := range args {
			query = strings.Replace(query, "?", arg, 1)
		}
		return query
	}
	return map[string]string{
		fill(selectUnranked, "'train'", "1800000000000", "64"): "jobs_unranked",
		fill(lowestRank, "'train'"):                            "jobs_by_rank",
		// by rank, or the few that run
		fill(runningRank, "'train'"):                                                    "jobs_",
		fill(accountRank, "'train'", "'acc1'"):                                          "jobs_of_account",
		fill(smallestJobFirst, "'train'", "'acc1'"):                                     "jobs_small_first",
		fill(dueQuery("train"), "'train'", "1800000000000", "'train'", "1800000000000"): "jobs_ready",
		fill(dueQuery("idle"), "'idle'", "1800000000000", "'idle'", "1800000000000"):    "jobs_running",
		fill(lockQuery(dueReady, readyOrder), "'train'", "1800000000000", "4"):          "jobs_ready",
		fill(lockQuery(dueExpired, expiredOrder), "'train'", "1800000000000", "4"):      "jobs_running",
		fill(activeQuery, "'train'", "'train'", "1800000000000"):                        "jobs_ready",
		fill(countQuery, "'ready'", "10000"):                                            "jobs_due",
	}
}

// SetStarted sets the start time of the runner to now.
func (r *Runner) SetStarted() { r.started = r.now() }
