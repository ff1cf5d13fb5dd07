package retrieval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// A passage row is never changed. Which rows an agent answers from follows from its sources: those of each source's
// live version. Sources tell since which of the agent's passage versions that is so.

const insertPassagesQuery = `
	insert into passages (
	  id,
	  account_id,
	  agent_id,
	  source_id,
	  version_id,
	  ordinal,
	  heading,
	  start_byte,
	  end_byte,
	  text,
	  hash
	)
	values `

// insertBatchRows go into one statement.
const insertBatchRows = 50

// Put writes passages of one version of a source. They are found once that version is the source's live one.
func (ix *Indexes) Put(ctx context.Context, tx *sqldb.DB, ref parley.AgentRef, passages []parley.Passage) error {
	for part := range slices.Chunk(passages, insertBatchRows) {
		args := make([]any, 0, len(part)*11)
		for _, p := range part {
			args = append(args, string(p.ID), string(ref.Account), string(ref.Agent), string(p.SourceID),
				string(p.VersionID), p.Ordinal, p.Heading, p.Start, p.End, p.Text, textHash(p))
		}
		query := insertPassagesQuery + strings.Repeat(rowPlaceholders+", ", len(part)-1) + rowPlaceholders
		if _, err := tx.Exec(ctx, query, args...); err != nil {
			return fmt.Errorf("put passages: %w", err)
		}
	}
	return nil
}

const rowPlaceholders = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// changedSources returns the sources whose live version is another one since the passage version, and which it is;
// empty for none.
func changedSources(ctx context.Context, db *sqldb.DB, agent parley.AgentID,
	since int64) (map[parley.SourceID]parley.VersionID, error) {
	rows, err := db.Query(ctx, `
		select id, coalesce(live_version, '')
		from sources
		where agent_id = ? and live_in > ?`, string(agent), since)
	if err != nil {
		return nil, fmt.Errorf("read changed sources: %w", err)
	}
	defer func() { _ = rows.Close() }()
	live := map[parley.SourceID]parley.VersionID{}
	for rows.Next() {
		var id parley.SourceID
		var version parley.VersionID
		if err := rows.Scan(&id, &version); err != nil {
			return nil, fmt.Errorf("read changed sources: %w", err)
		}
		live[id] = version
	}
	return live, rows.Err()
}

// liveSources returns the sources that have a live version, in order.
func liveSources(versions map[parley.SourceID]parley.VersionID) (list []parley.SourceID) {
	for id, version := range versions {
		if version != "" {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// passageColumns are read from passages p, sources s and source_versions v.
const passageColumns = `
  p.id,
  p.source_id,
  s.name,
  s.url,
  p.version_id,
  v.hash,
  p.ordinal,
  p.heading,
  p.start_byte,
  p.end_byte,
  p.text,
  case when s.kind = 'qna' then 1 else 0 end`

// livePassageColumns are passageColumns with what is the same for all passages of a source only in the first of them.
const livePassageColumns = `
  p.id,
  case when p.ordinal = 0 then s.id else '' end,
  case when p.ordinal = 0 then s.name else '' end,
  case when p.ordinal = 0 then s.url else '' end,
  case when p.ordinal = 0 then v.id else '' end,
  case when p.ordinal = 0 then v.hash else '' end,
  p.ordinal,
  p.heading,
  p.start_byte,
  p.end_byte,
  p.text,
  case when p.ordinal = 0 and s.kind = 'qna' then 1 else 0 end`

func scanPassage(scan sqldb.Scan) (p parley.Passage, err error) {
	var id, source, version string // plain strings are scanned in less time than named ones
	err = scan(
		&id,
		&source,
		&p.SourceName,
		&p.SourceURL,
		&version,
		&p.VersionHash,
		&p.Ordinal,
		&p.Heading,
		&p.Start,
		&p.End,
		&p.Text,
		&p.IsQnA,
	)
	p.ID, p.SourceID, p.VersionID = parley.PassageID(id), parley.SourceID(source), parley.VersionID(version)
	return p, err
}

// PassagesByID finds those of the passages that are still there, in no order. It is the operator's view and asks for no
// account.
func PassagesByID(ctx context.Context, db *sqldb.DB, ids []parley.PassageID) ([]parley.Passage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = string(id)
	}
	return sqldb.All(ctx, db, scanPassage, `
		select `+passageColumns+`
		from passages p
		join sources s on s.id = p.source_id and s.account_id = p.account_id
		join source_versions v on v.id = p.version_id and v.agent_id = p.agent_id
		where p.id in (?`+strings.Repeat(", ?", len(ids)-1)+`)`, args...)
}

// batch is passages on their way into an index, with their words.
type batch struct {
	passages []parley.Passage
	words    []passageWords
}

func newBatch() *batch {
	return &batch{make([]parley.Passage, 0, chunkSize), make([]passageWords, chunkSize)}
}

// readWords cuts the passages into words.
func (b *batch) readWords() {
	for i := range b.passages {
		b.words[i].read(&b.passages[i])
		runtime.Gosched() // an import must not keep turns from the processor for a whole time slice
	}
}

// putStream puts passages into the index while they are being read and cut, a batch at a time, so that they are in
// memory once.
func putStream(index *Index, source func(yield func(parley.Passage)) error) error {
	free, full := make(chan *batch, maxBatches), make(chan *batch, maxBatches)
	for range maxBatches {
		free <- newBatch()
	}
	done := make(chan error, 1)
	go func() {
		defer close(full)
		b := <-free
		b.passages = b.passages[:0]
		err := source(func(p parley.Passage) {
			if b.passages = append(b.passages, p); len(b.passages) == chunkSize {
				b.readWords()
				full <- b
				b = <-free
				b.passages = b.passages[:0]
			}
		})
		b.readWords()
		full <- b
		done <- err
	}()
	for b := range full {
		index.putBatch(b)
		free <- b
	}
	return <-done
}

// maxBatches are on their way at a time.
const maxBatches = 4

// sourcesPerRead are read by one statement, in the order of an index: to sort the texts of all would take longer than
// to read them.
const sourcesPerRead = 64

// eachLivePassage yields the passages of the sources' live versions, source by source.
func eachLivePassage(ctx context.Context, db *sqldb.DB, agent parley.AgentID, sources []parley.SourceID,
	yield func(parley.Passage)) error {
	for part := range slices.Chunk(sources, sourcesPerRead) {
		if err := readLivePassages(ctx, db, agent, part, yield); err != nil {
			return fmt.Errorf("read passages: %w", err)
		}
	}
	return nil
}

func readLivePassages(ctx context.Context, db *sqldb.DB, agent parley.AgentID, sources []parley.SourceID,
	yield func(parley.Passage)) error {
	args := []any{string(agent)}
	for _, s := range sources {
		args = append(args, string(s))
	}
	// A cross join keeps SQLite to the order in which the tables are written, so that a source is looked up once.
	rows, err := db.Query(ctx, `
		select `+livePassageColumns+`
		from sources s cross join source_versions v cross join passages p
		where s.agent_id = ? and s.id in (?`+strings.Repeat(", ?", len(sources)-1)+`)
		  and v.id = s.live_version and v.agent_id = s.agent_id
		  and p.agent_id = s.agent_id and p.source_id = s.id and p.version_id = v.id
		order by s.id, p.ordinal`, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var first parley.Passage // of the source
	for rows.Next() {
		p, err := scanPassage(rows.Scan)
		if err != nil {
			return err
		}
		if p.SourceID != "" {
			first = p
		} else {
			p.SourceID, p.SourceName, p.SourceURL, p.IsQnA = first.SourceID, first.SourceName, first.SourceURL, first.IsQnA
			p.VersionID, p.VersionHash = first.VersionID, first.VersionHash
		}
		yield(p)
	}
	return rows.Err()
}
