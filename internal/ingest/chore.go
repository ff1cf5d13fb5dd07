package ingest

import (
	"parley"
	"parley/internal/jobs"
)

// NewTrainJob is the job that trains the source's wanted version, for verbs that bring sources along by another way. A link is
// read anew, a file where its text is not known yet.
func NewTrainJob(s *parley.Source) jobs.Job {
	if s.Kind == parley.SourceLink && s.ParentID == "" {
		return newCrawlJob(s)
	}
	if s.Kind == parley.SourceFile {
		return newJob(FileJob, s)
	}
	return newJob(TrainJob, s)
}
