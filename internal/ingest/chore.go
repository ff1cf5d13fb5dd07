package ingest

import (
	"parley"
	"parley/internal/jobs"
)

// TrainChore is the chore that trains the source's wanted version, for verbs that bring sources along by another way.
func TrainChore(s *parley.Source) jobs.Job { return chore(TrainJob, s) }
