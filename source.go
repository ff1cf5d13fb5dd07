package parley

import (
	"encoding/json"
	"time"
)

// SourceKind is the kind of a source.
type SourceKind string

// The kinds of source (docs/interface/sources.md#kinds).
const (
	SourceText SourceKind = "text"
	SourceQnA  SourceKind = "qna"
	SourceLink SourceKind = "link"
	SourceFile SourceKind = "file"

	sourceNotionPage SourceKind = "notionPage" // clients may name it, but no source of this server is one
)

// sourceKinds is the registry of the kinds that clients may name, a row each, in the order of the interface. How a kind
// is read is its row in internal/ingest, and what clients send of it is its row in internal/api/v2.
var sourceKinds = []struct {
	kind     SourceKind
	hasPages bool // sources may be below one of the kind
}{
	{kind: SourceLink, hasPages: true},
	{kind: SourceFile},
	{kind: SourceQnA},
	{kind: sourceNotionPage},
	{kind: SourceText},
}

// SourceKinds lists the kinds of source that clients may name.
func SourceKinds() []SourceKind {
	list := make([]SourceKind, len(sourceKinds))
	for i, row := range sourceKinds {
		list[i] = row.kind
	}
	return list
}

// HasPages reports whether a source of the kind may be a site: pages that it was read of are sources below it.
func (k SourceKind) HasPages() bool {
	for _, row := range sourceKinds {
		if row.kind == k {
			return row.hasPages
		}
	}
	return false
}

// SourceStatus is the state of a source's training (docs/interface/sources.md#status).
type SourceStatus string

// The states of a source.
const (
	SourceUntrained   SourceStatus = "untrained"   // created, not live yet
	SourceTrained     SourceStatus = "trained"     // live
	SourceUpdated     SourceStatus = "updated"     // changed; the previous version is live until the new one is trained
	SourceFailed      SourceStatus = "failed"      // the last training failed; a previous version stays live
	SourceToBeDeleted SourceStatus = "toBeDeleted" // is being deleted
	SourceDeleted     SourceStatus = "deleted"     // only in the reply of the deletion
)

// SourceStatuses lists the states of a source.
func SourceStatuses() []SourceStatus {
	return []SourceStatus{SourceUntrained, SourceTrained, SourceUpdated, SourceFailed, SourceToBeDeleted, SourceDeleted}
}

// Source is content that an agent answers from.
type Source struct {
	ID            SourceID
	AccountID     AccountID
	AgentID       AgentID
	ParentID      SourceID // the website that the page was found on; empty for sources that are listed
	Kind          SourceKind
	Name          string
	URL           string // for links
	Size          int64  // bytes of content
	Status        SourceStatus
	Failure       string          // why the last training failed, for the operator
	Metadata      json.RawMessage // settings of the kind, or nil
	LiveVersion   VersionID       // the version that the agent answers from; empty until one is trained
	WantedVersion VersionID       // the newest version; differs from LiveVersion while it is trained
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// SetWantedVersion sets the version that is to be trained. The live version, if any, stays live until then.
func (s *Source) SetWantedVersion(v *Version, size int64) {
	s.Size, s.WantedVersion, s.Failure, s.UpdatedAt = size, v.ID, "", v.CreatedAt
	s.Status = SourceUntrained
	if s.LiveVersion != "" {
		s.Status = SourceUpdated
	}
}

// Version is one version of a source's content. Citations refer to its text.
type Version struct {
	ID        VersionID
	AgentID   AgentID
	SourceID  SourceID
	Hash      string          // SHA-256 of Text, hex; citations hold it, so that programs can verify them
	Text      string          // extracted text, UTF-8
	Content   json.RawMessage // the content that the text was extracted from; nil if it is the text itself
	CreatedAt time.Time
}

// Passage is a span of a version's text: Text is exactly its bytes [Start, End).
type Passage struct {
	ID          PassageID
	SourceID    SourceID
	SourceName  string
	SourceURL   string
	VersionID   VersionID
	VersionHash string
	Ordinal     int    // index within the version
	Heading     string // titles above it, outermost first, joined by " › "; is searched, but not quoted
	Start, End  int    // byte span in the version's text
	Text        string
	IsQnA       bool // it answers questions, which are its heading
}
