package search

import (
	"context"
	"database/sql"
	"errors"

	"parley"
	"parley/internal/events"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// indexState is how far the index of an account is built. The generation that answers searches is updated as events are
// followed; one that is being built beside it is updated, too, and takes its place when all conversations are in it.
type indexState struct {
	account            parley.AccountID
	version            int64 // grows with every write
	generation         int64
	buildingGeneration int64 // 0 when none is being built
	buildingAgent      parley.AgentID
	lastBuilt          parley.Cursor // the last conversation of the agent that is in what is being built
}

const indexStateColumns = `
  account_id,
  turn,
  generation,
  coalesce(building, 0),
  built_agent,
  built_at,
  built_id`

func scanIndexState(scan sqldb.Scan) (st indexState, err error) {
	err = scan(
		&st.account,
		&st.version,
		&st.generation,
		&st.buildingGeneration,
		&st.buildingAgent,
		&st.lastBuilt.SortValue,
		&st.lastBuilt.ID,
	)
	return st, err
}

// findIndexState returns the state of an account's index; nil if there is none yet.
func findIndexState(ctx context.Context, db *sqldb.DB, account parley.AccountID) (*indexState, error) {
	st, err := sqldb.One(ctx, db, scanIndexState, `
		select `+indexStateColumns+`
		from search_accounts
		where account_id = ?`, account)
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return &st, err
}

// createIndex begins the index of an account that has none: the conversations that there are will be built into it, and
// all events from now on are followed.
func createIndex(ctx context.Context, db *store.DB, account parley.AccountID) error {
	return db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		n, err := tx.SQL().Exec(ctx, `
			insert into search_accounts (account_id, seq, generation, building)
			select id, 0, 1, 1
			from accounts
			where id = ?
			on conflict (account_id) do nothing`, account)
		if err != nil || n == 0 {
			return err
		}
		return tx.SkipEvents(ctx, followerName, account)
	})
}

// startRebuild begins a new generation, unless one is being built.
func startRebuild(ctx context.Context, db *sqldb.DB, account parley.AccountID) error {
	_, err := db.Exec(ctx, `
		update search_accounts set
		  building = generation + 1,
		  built_agent = '',
		  built_at = 0,
		  built_id = '',
		  turn = turn + 1
		where account_id = ? and building is null`, account)
	return err
}

// tokenVersion is how words are cut and what forms of them are in the index. It grows with every change of that, and
// what is in the index in an older way is built again, while it goes on to answer.
const tokenVersion = 2

// RebuildOutdated begins a new generation for each account whose index was, or is being, built in an older way. It
// reads all accounts.
func (x *Indexer) RebuildOutdated(ctx context.Context) error {
	_, err := x.DB.SQL().Exec(ctx, `
		update search_accounts set
		  building = coalesce(building, generation) + 1,
		  built_agent = '',
		  built_at = 0,
		  built_id = '',
		  turn = turn + 1
		where exists (
		  select 1
		  from search_agents a
		  where a.account_id = search_accounts.account_id
		    and a.generation = coalesce(search_accounts.building, search_accounts.generation)
		    and a.tokens < ? and a.retired_at is null
		)`, tokenVersion)
	return err
}

// askForTokensOf has the search ask for words as they are in a partition.
func (s *searchRun) askForTokensOf(on *agentPartition) {
	if on.tokens < tokenVersion {
		s.plan.words = withOldTokens(s.plan.words)
	}
}

// save writes the state in place of a version. It fails with events.ErrConflict when another server has written it
// meanwhile.
func (st *indexState) save(ctx context.Context, tx *sqldb.DB, version int64) error {
	var building any
	if st.buildingGeneration != 0 {
		building = st.buildingGeneration
	}
	check := func(affected int64) error {
		if affected == 0 {
			return events.ErrConflict
		}
		return nil
	}
	return tx.QueueCheck(ctx, check, `
		update search_accounts set
		  turn = turn + 1,
		  generation = ?,
		  building = ?,
		  built_agent = ?,
		  built_at = ?,
		  built_id = ?
		where account_id = ? and turn = ?`,
		st.generation, building, st.buildingAgent, st.lastBuilt.SortValue, st.lastBuilt.ID, st.account, version)
}

// activeGenerations returns the generations that are updated as events are followed.
func (st *indexState) activeGenerations() []int64 {
	if st.buildingGeneration != 0 && st.buildingGeneration != st.generation {
		return []int64{st.generation, st.buildingGeneration}
	}
	return []int64{st.generation}
}

// accountsBeingBuilt lists the accounts whose index is being built.
func accountsBeingBuilt(ctx context.Context, db *sqldb.DB) ([]parley.AccountID, error) {
	return sqldb.All(ctx, db, sqldb.Column[parley.AccountID], accountsBeingBuiltQuery)
}

const accountsBeingBuiltQuery = `select account_id from search_accounts where building is not null`

// agentPartition is the range of ids of an agent's conversations in a generation of the index.
type agentPartition struct {
	number             int64
	generation         int64
	lastNumber         int64 // number of the last conversation
	hasMultipleBuckets bool  // some conversation has several buckets
	isRetired          bool  // the agent is gone, or another generation answers
	tokens             int64 // tokenVersion when it was begun
}

// findPartition returns the agent's partition; nil if it has none yet.
func findPartition(ctx context.Context, db *sqldb.DB, ref parley.AgentRef, generation int64) (*agentPartition, error) {
	return scanPartition(db.QueryRow(ctx, `
		select
		  number,
		  generation,
		  last,
		  parted,
		  case when retired_at is null then 0 else 1 end,
		  tokens
		from search_agents
		where agent_id = ? and account_id = ? and generation = ?`,
		ref.Agent, ref.Account, generation))
}

// findLivePartition returns the agent's partition in the generation that answers searches.
func findLivePartition(ctx context.Context, db *sqldb.DB, ref parley.AgentRef) (*agentPartition, error) {
	return scanPartition(db.QueryRow(ctx, `
		select
		  g.number,
		  g.generation,
		  g.last,
		  g.parted,
		  0,
		  g.tokens
		from search_accounts s
		join search_agents g on g.account_id = s.account_id and g.generation = s.generation
		where s.account_id = ? and g.agent_id = ? and g.retired_at is null`, ref.Account, ref.Agent))
}

// findPartitionByNumber returns a partition of the agent by its number, also one that has been retired.
func findPartitionByNumber(ctx context.Context, db *sqldb.DB, ref parley.AgentRef, number,
	generation int64) (*agentPartition, error) {
	return scanPartition(db.QueryRow(ctx, `
		select
		  number,
		  generation,
		  last,
		  parted,
		  case when retired_at is null then 0 else 1 end,
		  tokens
		from search_agents
		where number = ? and generation = ? and agent_id = ? and account_id = ?`,
		number, generation, ref.Agent, ref.Account))
}

func scanPartition(r *sqldb.Row) (*agentPartition, error) {
	var ap agentPartition
	err := r.Scan(&ap.number, &ap.generation, &ap.lastNumber, &ap.hasMultipleBuckets, &ap.isRetired, &ap.tokens)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &ap, err
}

// createPartition takes a free number for an agent. It fails with events.ErrConflict when another server has taken it.
func createPartition(ctx context.Context, db *sqldb.DB, ref parley.AgentRef, generation int64) (*agentPartition,
	error) {
	n, err := sqldb.One(ctx, db, sqldb.Column[int64], `select coalesce(max(number), 0) + 1 from search_agents`)
	if err == nil && n > maxAgents { // only then: it reads all of them
		n, err = sqldb.One(ctx, db, sqldb.Column[int64], `
			select min(n)
			from (select 1 as n union all select number + 1 from search_agents) f
			where not exists (select 1 from search_agents s where s.number = f.n)`)
	}
	if err != nil {
		return nil, err
	}
	if n > maxAgents {
		return nil, errors.New("search: there are no numbers left for agents")
	}
	done, err := db.Exec(ctx, `
		insert into search_agents (number, account_id, agent_id, generation, tokens)
		values (?, ?, ?, ?, ?)
		on conflict do nothing`, n, ref.Account, ref.Agent, generation, tokenVersion)
	if err == nil && done == 0 {
		err = events.ErrConflict
	}
	return &agentPartition{number: n, generation: generation, tokens: tokenVersion}, err
}
