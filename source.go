package parley

import (
	"encoding/json"
	"time"
)

// SourceKind is the kind of a source.
type SourceKind string

// The kinds of source (facts 2.8f).
const (
	SourceText SourceKind = "text"
	SourceQnA  SourceKind = "qna"
	SourceLink SourceKind = "link"
	SourceFile SourceKind = "file"

	sourceNotionPage SourceKind = "notionPage" // clients may name it, but no source of this server is one
)

// SourceKinds lists the kinds of source that clients may name.
func SourceKinds() []SourceKind {
	return []SourceKind{SourceLink, SourceFile, SourceQnA, sourceNotionPage, SourceText}
}

// SourceStatus is where a source stands on its way into the agent's answers (facts 3.4).
type SourceStatus string

// The states of a source.
const (
	SourceUntrained   SourceStatus = "untrained"   // created, not live yet
	SourceTrained     SourceStatus = "trained"     // live
	SourceUpdated     SourceStatus = "updated"     // edited; the earlier version answers meanwhile
	SourceFailed      SourceStatus = "failed"      // the last training did not land; an earlier version stays live
	SourceToBeDeleted SourceStatus = "toBeDeleted" // removal is running
	SourceDeleted     SourceStatus = "deleted"     // only in the reply of the deletion
)

// SourceStatuses lists the states of a source.
func SourceStatuses() []SourceStatus {
	return []SourceStatus{SourceUntrained, SourceTrained, SourceUpdated, SourceFailed, SourceToBeDeleted, SourceDeleted}
}

// Source is something an agent has read.
type Source struct {
	ID            SourceID
	AccountID     AccountID
	AgentID       AgentID
	ParentID      SourceID // the site that the page was found on; empty for what stands in lists
	Kind          SourceKind
	Name          string
	URL           string // for links
	Size          int64  // bytes of content
	Status        SourceStatus
	Failure       string          // why the last training failed, for the operator
	Metadata      json.RawMessage // kind's own settings, or nil
	LiveVersion   VersionID       // the version that answers; empty when none is trained yet
	WantedVersion VersionID       // the newest version; differs from Live while it trains
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// SetWantedVersion makes the version the one that the source is to be trained to; an earlier one, if there is, answers meanwhile (facts 3.4).
func (s *Source) SetWantedVersion(v *Version, size int64) {
	s.Size, s.WantedVersion, s.Failure, s.UpdatedAt = size, v.ID, "", v.CreatedAt
	s.Status = SourceUntrained
	if s.LiveVersion != "" {
		s.Status = SourceUpdated
	}
}

// Version is one state of a source's content. Citations point into its text.
type Version struct {
	ID        VersionID
	AgentID   AgentID
	SourceID  SourceID
	Hash      string          // SHA-256 of Text, hex: a citation names it, so that a machine can verify the quote
	Text      string          // extracted text, UTF-8
	Content   json.RawMessage // what the text was made of, where it is not that itself; nil otherwise
	CreatedAt time.Time
}

// Passage is a stretch of a version's text: Text is exactly the bytes [Start, End) of it.
type Passage struct {
	ID          PassageID
	SourceID    SourceID
	SourceName  string
	SourceURL   string
	VersionID   VersionID
	VersionHash string
	Ordinal     int    // place in the version, from 0
	Heading     string // titles above it, outermost first, joined by " › "; helps finding, is not quoted
	Start, End  int    // byte span in the version's text
	Text        string
}
