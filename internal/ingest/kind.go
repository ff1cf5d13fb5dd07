package ingest

import (
	"iter"

	"parley"
	"parley/internal/jobs"
)

// sourceKind is what is particular to one kind of source.
type sourceKind struct {
	// newJob returns the job that trains the wanted version of a source, or brings it nearer to that.
	newJob func(s *parley.Source) jobs.Job

	// pieces cuts the text of a version into passages.
	pieces func(s *parley.Source, v *parley.Version) (iter.Seq[Piece], error)

	hasPages bool // sources may stand below a source of the kind
}

// kinds is the registry of the kinds of source: a kind is a row here and a file of its own.
var kinds = map[parley.SourceKind]sourceKind{
	parley.SourceText: textKind,
	parley.SourceQnA:  qnaKind,
	parley.SourceLink: linkKind,
	parley.SourceFile: fileKind,
}

// NewTrainJob returns the job that trains the source's wanted version, for services that create sources in another way.
// A link is read anew, a file where its text is not known yet.
func NewTrainJob(s *parley.Source) jobs.Job { return kinds[s.Kind].newJob(s) }
