package retrieval

import (
	"context"
	"fmt"
	"runtime"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/text/words"
)

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

// putStream puts passages into the index while they are being read and cut, a batch at a time, so that they are in memory once.
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

// eachAddedPassage hands out the passages of the sources whose live version is another one since the passage version.
func eachAddedPassage(ctx context.Context, db *sqldb.DB, agent parley.AgentID, since int64, yield func(parley.Passage)) error {
	rows, err := db.Query(ctx, `select p.id, p.source_id, s.name, s.url, p.version_id, v.hash, p.ordinal, p.heading, p.start_byte, p.end_byte, p.text
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
