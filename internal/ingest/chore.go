package ingest

import (
	"parley"
	"parley/internal/jobs"
)

// TrainChore is the chore that trains the source's wanted version, for verbs that bring sources along by another way. A link is
// read anew, a file where its text is not known yet.
func TrainChore(s *parley.Source) jobs.Job {
	if s.Kind == parley.SourceLink && s.Parent == "" {
		return crawlChore(s)
	}
	if s.Kind == parley.SourceFile {
		return chore(FileJob, s)
	}
	return chore(TrainJob, s)
}
