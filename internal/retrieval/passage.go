package retrieval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/text/words"
)

// A passage row is never changed. Which rows an agent answers from follows from its sources: those of each source's
// live version. Sources tell since which of the agent's passage versions that is so.

const passageColumns = `id, account_id, agent_id, source_id, version_id, ordinal, heading, start_byte, end_byte, ` +
	`text, hash`

// insertBatchRows go into one statement.
const insertBatchRows = 50

// Put writes passages of one version of a source. They are found once that version is the source's live one.
func (l *Indexes) Put(ctx context.Context, tx *sqldb.DB, agent parley.AgentID, account parley.AccountID,
	passages []parley.Passage) error {
	for part := range slices.Chunk(passages, insertBatchRows) {
		args := make([]any, 0, len(part)*11)
		for _, p := range part {
			args = append(args, string(p.ID), string(account), string(agent), string(p.SourceID), string(p.VersionID),
				p.Ordinal, p.Heading,
				p.Start, p.End, p.Text, textHash(p))
		}
		query := `insert into passages (` + passageColumns + `) values ` + strings.Repeat(rowPlaceholders+", ",
			len(part)-1) + rowPlaceholders
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
	rows, err := db.Query(ctx, `select id, coalesce(live_version, '') from sources where agent_id = ? and live_in > ?`,
		string(agent), since)
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

func scanPassage(scan sqldb.Scan) (p parley.Passage, err error) {
	err = scan(&p.ID, &p.SourceID, &p.SourceName, &p.SourceURL, &p.VersionID, &p.VersionHash, &p.Ordinal, &p.Heading,
		&p.Start, &p.End, &p.Text, &p.IsQnA)
	return p, err
}

// batch is passages on their way into an index, with their words.
type batch struct {
	passages []parley.Passage
	readings []tokenizedText
}

func newBatch() *batch {
	return &batch{make([]parley.Passage, 0, chunkSize), make([]tokenizedText, chunkSize)}
}

// tokenize cuts the passages into words.
func (b *batch) tokenize() {
	for i, p := range b.passages {
		b.readings[i] = tokenize(b.readings[i].tokens, passageTitle(p)+"\n"+p.Text, words.English)
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
				b.tokenize()
				full <- b
				b = <-free
				b.passages = b.passages[:0]
			}
		})
		b.tokenize()
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

// eachAddedPassage yields the passages of the sources whose live version is another one since the passage version.
func eachAddedPassage(ctx context.Context, db *sqldb.DB, agent parley.AgentID, since int64,
	yield func(parley.Passage)) error {
	rows, err := db.Query(ctx,
		`select p.id, p.source_id, s.name, s.url, p.version_id, v.hash, p.ordinal, p.heading, p.start_byte, p.end_byte,
			p.text, case when s.kind = 'qna' then 1 else 0 end
		from sources s
		join source_versions v on v.id = s.live_version and v.agent_id = s.agent_id
		join passages p on p.agent_id = s.agent_id and p.source_id = s.id and p.version_id = s.live_version
		where s.agent_id = ? and s.live_in > ?
		order by s.live_in, p.source_id, p.ordinal`, string(agent), since)
	if err != nil {
		return fmt.Errorf("read passages: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		p, err := scanPassage(rows.Scan)
		if err != nil {
			return fmt.Errorf("read passages: %w", err)
		}
		yield(p)
	}
	return rows.Err()
}
