package retrieval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// A vector belongs to a text, by its hash: it stays when the same text is trained again. made_in tells in which of the
// agent's passage versions it came, so that every server's memory notices.

// Embeddable returns what of a passage is embedded: its headings tell what the text does not repeat.
func Embeddable(heading, text string) string {
	if heading == "" {
		return text
	}
	return heading + "\n" + text
}

// textHash names a passage's text and headings, which is what its vector is made of.
func textHash(p parley.Passage) string {
	sum := sha256.Sum256([]byte(Embeddable(p.Heading, p.Text)))
	return hex.EncodeToString(sum[:])
}

// Unembedded is a text that passages of an agent hold and that has no vector yet.
type Unembedded struct {
	Hash string
	Text string
	mark readPosition
}

// readPosition is a passage's place in the order of reading.
type readPosition struct {
	source, version string
	ordinal         int
}

// Unembedded lists texts of the agent's live passages that have no vector of the model, those that come after another
// one (nil for the first), at most limit.
func (ix *Indexes) Unembedded(ctx context.Context, ref parley.AgentRef, model string, after *Unembedded,
	limit int) ([]Unembedded, error) {
	m := readPosition{ordinal: -1}
	if after != nil {
		m = after.mark
	}
	list, err := sqldb.All(ctx, ix.DB, scanUnembedded, `
		select
		  p.hash,
		  p.heading,
		  p.text,
		  p.source_id,
		  p.version_id,
		  p.ordinal
		from passages p
		cross join sources s
		where s.id = p.source_id and s.agent_id = p.agent_id and s.live_version = p.version_id and p.agent_id = ?
		  and p.account_id = ? and (p.source_id, p.version_id, p.ordinal) > (?, ?, ?)
		  and not exists (select 1 from passage_vectors v where v.agent_id = p.agent_id and v.text_hash = p.hash
		    and v.model = ?)
		order by p.source_id, p.version_id, p.ordinal
		limit ?`, string(ref.Agent), string(ref.Account), m.source,
		m.version, m.ordinal, model, limit)
	if err != nil {
		return nil, fmt.Errorf("read passages without a vector: %w", err)
	}
	return list, nil
}

func scanUnembedded(scan sqldb.Scan) (u Unembedded, err error) {
	var heading, text string
	err = scan(
		&u.Hash,
		&heading,
		&text,
		&u.mark.source,
		&u.mark.version,
		&u.mark.ordinal,
	)
	u.Text = Embeddable(heading, text)
	return u, err
}

// VectorCount says how many of the live passages of all agents have vectors.
type VectorCount struct{ Passages, Embedded int }

// CountVectors counts the live passages, and those with a vector of the model. It reads all of them, and is for whoever
// examines an installation.
func (ix *Indexes) CountVectors(ctx context.Context, model string) (VectorCount, error) {
	n, err := sqldb.One(ctx, ix.DB, scanVectorCount, `
		select
		  count(*),
		  coalesce(sum(case when exists (
		    select 1
		    from passage_vectors v
		    where v.agent_id = p.agent_id and v.text_hash = p.hash and v.model = ?
		  ) then 1 else 0 end), 0)
		from passages p
		join sources s on s.id = p.source_id and s.agent_id = p.agent_id and s.live_version = p.version_id`, model)
	if err != nil {
		return n, fmt.Errorf("count passages with vectors: %w", err)
	}
	return n, nil
}

func scanVectorCount(scan sqldb.Scan) (n VectorCount, err error) {
	err = scan(
		&n.Passages,
		&n.Embedded,
	)
	return n, err
}

// AgentsUnembedded lists the agents with a live passage that has no vector of the model, with their accounts: those of
// one account, or of all where that is empty. It is a job of the installation then.
func (ix *Indexes) AgentsUnembedded(ctx context.Context, account parley.AccountID,
	model string) (map[parley.AgentID]parley.AccountID, error) {
	of, args := ``, []any{}
	if account != "" {
		of, args = ` and a.account_id = ?`, []any{string(account)}
	}
	rows, err := ix.DB.Query(ctx, `
		select a.id, a.account_id
		from agents a
		where a.deleted_at is null`+of+` and exists (
		  select 1
		  from passages p
		  join sources s on s.id = p.source_id and s.agent_id = p.agent_id and s.live_version = p.version_id
		  where p.agent_id = a.id
		    and not exists (select 1 from passage_vectors v where v.agent_id = p.agent_id and v.text_hash = p.hash
		      and v.model = ?))`, append(args, model)...)
	if err != nil {
		return nil, fmt.Errorf("find agents without vectors: %w", err)
	}
	defer func() { _ = rows.Close() }()
	all := map[parley.AgentID]parley.AccountID{}
	for rows.Next() {
		var agent parley.AgentID
		var account parley.AccountID
		if err := rows.Scan(&agent, &account); err != nil {
			return nil, fmt.Errorf("find agents without vectors: %w", err)
		}
		all[agent] = account
	}
	return all, rows.Err()
}

// PutVectors writes vectors of texts, by their hashes; they are found from the passage version on. nil stands for a
// text that can have none. A text that no passage of the agent holds any more is left out: it was erased while its
// vector was made.
func (ix *Indexes) PutVectors(ctx context.Context, tx *sqldb.DB, agent parley.AgentID, model string,
	passageVersion int64, packed map[string][]byte) error {
	for part := range slices.Chunk(sortedHashes(packed), insertBatchRows) {
		part, err := heldHashes(ctx, tx, agent, part)
		if err != nil {
			return err
		}
		if len(part) == 0 {
			continue
		}
		args := make([]any, 0, len(part)*5)
		for _, h := range part {
			v := packed[h]
			if v == nil {
				v = []byte{}
			}
			args = append(args, string(agent), h, model, v, passageVersion)
		}
		_, err = tx.Exec(ctx, `
			insert into passage_vectors (
			  agent_id,
			  text_hash,
			  model,
			  vector,
			  made_in
			)
			values (?, ?, ?, ?, ?)`+strings.Repeat(", (?, ?, ?, ?, ?)", len(part)-1)+`
			on conflict (agent_id, text_hash, model) do nothing`, args...)
		if err != nil {
			return fmt.Errorf("put vectors: %w", err)
		}
	}
	return nil
}

// heldHashes returns those of the texts that passages of the agent hold.
func heldHashes(ctx context.Context, tx *sqldb.DB, agent parley.AgentID, hashes []string) ([]string, error) {
	args := []any{string(agent)}
	for _, h := range hashes {
		args = append(args, h)
	}
	list, err := sqldb.All(ctx, tx, sqldb.Column[string], `
		select distinct hash
		from passages
		where agent_id = ? and hash in (?`+strings.Repeat(", ?", len(hashes)-1)+`)
		order by hash`, args...)
	if err != nil {
		return nil, fmt.Errorf("find texts that have got a vector: %w", err)
	}
	return list, nil
}

func sortedHashes(packed map[string][]byte) []string {
	hashes := make([]string, 0, len(packed))
	for h := range packed {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	return hashes
}

// loadVectors applies to the index the vectors that came after a passage version, and those of passages that did.
func (ix *Indexes) loadVectors(ctx context.Context, index *Index, agent parley.AgentID, model string,
	since int64) error {
	if model == "" {
		return nil
	}
	// A cross join keeps SQLite to the order in which the tables are written: few rows first.
	err := ix.queryVectors(ctx, index, `
		from passage_vectors v
		cross join passages p
		cross join sources s
		where v.agent_id = ? and v.made_in > ? and v.model = ? and p.agent_id = v.agent_id and p.hash = v.text_hash
		  and s.id = p.source_id and s.agent_id = p.agent_id and s.live_version = p.version_id`, string(agent), since,
		model)
	if err != nil || since == 0 {
		return err
	}
	return ix.queryVectors(ctx, index, `
		from sources s
		cross join passages p
		cross join passage_vectors v
		where s.agent_id = ? and s.live_in > ? and v.model = ? and p.agent_id = s.agent_id and p.source_id = s.id
		  and p.version_id = s.live_version and v.agent_id = p.agent_id and v.text_hash = p.hash`, string(agent), since,
		model)
}

// vectorBatchSize are put into the index together.
const vectorBatchSize = 256

func (ix *Indexes) queryVectors(ctx context.Context, index *Index, from string, args ...any) error {
	rows, err := ix.DB.Query(ctx, `select p.id, v.vector `+from, args...)
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	defer func() { _ = rows.Close() }()
	pending := make([]Vector, 0, vectorBatchSize)
	for rows.Next() {
		var v Vector
		if err := rows.Scan(&v.Passage, &v.Packed); err != nil {
			return fmt.Errorf("read vectors: %w", err)
		}
		if pending = append(pending, v); len(pending) == vectorBatchSize {
			index.PutVectors(pending...)
			pending = pending[:0]
		}
	}
	index.PutVectors(pending...)
	return rows.Err()
}

// HasVectors reports whether passages of the agent have vectors at the passage version, so that a question's vector is
// worth having.
func (ix *Indexes) HasVectors(ctx context.Context, agent parley.AgentID, passageVersion int64) (bool, error) {
	model, err := ix.vectorModel(ctx, agent)
	if err != nil || model == "" {
		return false, err
	}
	index, err := ix.loadIndex(ctx, agent, passageVersion)
	return err == nil && index.HasVectors(), err
}

const (
	eraseBatchSize = 200
	eraseReadSize  = 10_000
)

// EraseVectors erases the vectors of texts that no passage of the agent holds any more, in chunks in the bulk lane.
func (ix *Indexes) EraseVectors(ctx context.Context, agent parley.AgentID) error {
	return ix.eraseVectors(ctx, agent, `not exists (select 1 from passages p
		  where p.agent_id = passage_vectors.agent_id and p.hash = passage_vectors.text_hash)`)
}

// EraseOtherVectors erases the agent's vectors of other models.
func (ix *Indexes) EraseOtherVectors(ctx context.Context, agent parley.AgentID, model string) error {
	return ix.eraseVectors(ctx, agent, `model <> ?`, model)
}

// eraseVectors finds outside the writer what may be erased. The condition is checked again when it is.
func (ix *Indexes) eraseVectors(ctx context.Context, agent parley.AgentID, where string, args ...any) error {
	args = append([]any{string(agent)}, args...)
	for {
		hashes, err := sqldb.All(ctx, ix.DB, sqldb.Column[string], `
			select distinct text_hash
			from passage_vectors
			where agent_id = ? and `+where+`
			limit ?`, append(slices.Clone(args), eraseReadSize)...)
		if err != nil {
			return fmt.Errorf("find unused vectors: %w", err)
		}
		for part := range slices.Chunk(hashes, eraseBatchSize) {
			with := slices.Clone(args)
			for _, h := range part {
				with = append(with, h)
			}
			err := ix.DB.Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
				_, err := tx.Exec(ctx, `
					delete from passage_vectors
					where agent_id = ? and `+where+` and text_hash in (?`+strings.Repeat(`, ?`, len(part)-1)+`)`, with...)
				return err
			})
			if err != nil {
				return fmt.Errorf("erase unused vectors: %w", err)
			}
		}
		if len(hashes) < eraseReadSize {
			return nil
		}
	}
}
