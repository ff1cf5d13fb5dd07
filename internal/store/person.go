package store

import (
	"context"
	"strings"
	"unicode"

	"parley"
	"parley/internal/sqldb"
)

const personColumns = `id, account_id, agent_id, email, external_id, name, phone, attributes, created_at, updated_at`

func scanPerson(scan sqldb.Scan) (p parley.Person, err error) {
	err = scan(personDests(&p)...)
	return p, err
}

// personDests are the places of personColumns in p.
func personDests(p *parley.Person) []any {
	return []any{&p.ID, &p.AccountID, &p.AgentID, textDest[string]{&p.Email}, textDest[string]{&p.ExternalID}, textDest[string]{&p.Name}, textDest[string]{&p.Phone},
		rawJSONDest{&p.Attributes}, timeDest{&p.CreatedAt}, timeDest{&p.UpdatedAt}}
}

// normalizeEmail is an address as it is kept and asked for: beyond ASCII in lower case, for the databases do not agree on the case of those
// letters, and an address must be found whatever its case.
func normalizeEmail(email string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return unicode.ToLower(r)
		}
		return r
	}, email)
}

// Person finds one of the agent's people. Fails with NOT_FOUND.
func (db *DB) Person(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.PersonID) (*parley.Person, error) {
	return db.person(ctx, account, agent, `id = ?`, id)
}

// PersonByEmail finds the one with the address, whatever its case. Fails with NOT_FOUND.
func (db *DB) PersonByEmail(ctx context.Context, account parley.AccountID, agent parley.AgentID, email string) (*parley.Person, error) {
	return db.person(ctx, account, agent, `lower(email) = lower(?)`, normalizeEmail(email))
}

// PersonByExternalID finds the one whom the client knows by the id. Fails with NOT_FOUND.
func (db *DB) PersonByExternalID(ctx context.Context, account parley.AccountID, agent parley.AgentID, external string) (*parley.Person, error) {
	return db.person(ctx, account, agent, `external_id = ?`, external)
}

func (db *DB) person(ctx context.Context, account parley.AccountID, agent parley.AgentID, which string, value any) (*parley.Person, error) {
	p, err := sqldb.One(ctx, db.sql, scanPerson, `select `+personColumns+` from people where agent_id = ? and account_id = ? and `+which, agent, account, value)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeNotFound)
	}
	return &p, nil
}

// AddPerson writes a new person, unless one with the same e-mail address or external id is there, however many try at a time:
// then p becomes that one, unchanged. It must be called in a transaction.
func (db *DB) AddPerson(ctx context.Context, p *parley.Person) error {
	added, err := sqldb.One(ctx, db.sql, scanPerson, `insert into people (`+personColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning `+personColumns,
		p.ID, p.AccountID, p.AgentID, textOrNil(normalizeEmail(p.Email)), textOrNil(p.ExternalID), textOrNil(p.Name), textOrNil(p.Phone), objectJSON(p.Attributes),
		millis(p.CreatedAt), millis(p.UpdatedAt))
	if err == nil {
		*p = added
		return nil
	}
	if !sqldb.IsNotFound(err) {
		return err
	}
	known, err := db.existingPerson(ctx, p)
	if err == nil {
		*p = *known
	}
	return err
}

func (db *DB) existingPerson(ctx context.Context, p *parley.Person) (*parley.Person, error) {
	if p.Email != "" {
		known, err := db.PersonByEmail(ctx, p.AccountID, p.AgentID, p.Email)
		if !parley.IsCode(err, parley.CodeNotFound) {
			return known, err
		}
	}
	return db.PersonByExternalID(ctx, p.AccountID, p.AgentID, p.ExternalID)
}

// UpdatePerson writes what is known of a person. Fails with NOT_FOUND, and with RESOURCE_ALREADY_EXISTS where somebody else of the
// agent has the address or the external id; outside a transaction only, for PostgreSQL loses it then.
func (db *DB) UpdatePerson(ctx context.Context, p *parley.Person) error {
	n, err := db.sql.Exec(ctx, `update people set email = ?, external_id = ?, name = ?, phone = ?, attributes = ?, updated_at = ?
		where id = ? and agent_id = ? and account_id = ?`, textOrNil(normalizeEmail(p.Email)), textOrNil(p.ExternalID), textOrNil(p.Name), textOrNil(p.Phone),
		objectJSON(p.Attributes), millis(p.UpdatedAt), p.ID, p.AgentID, p.AccountID)
	if sqldb.IsDuplicate(err) {
		return parley.WrapError(parley.CodeAlreadyExists, err)
	}
	return requireChanged(n, err, parley.CodeNotFound)
}

// People lists the agent's people, newest first.
func (db *DB) People(ctx context.Context, account parley.AccountID, agent parley.AgentID, ask parley.PageRequest) (parley.Page[parley.Person], error) {
	var page parley.Page[parley.Person]
	var err error
	if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from people where agent_id = ? and account_id = ?`, agent, account); err != nil {
		return page, err
	}
	after := startCursor(ask)
	list, err := sqldb.All(ctx, db.sql, scanPerson, `select `+personColumns+` from people where agent_id = ? and account_id = ?
		and (created_at < ? or (created_at = ? and id < ?)) order by created_at desc, id desc limit ?`, agent, account, after.SortValue, after.SortValue, after.ID, ask.Limit+1)
	page.Items, page.Next = cutPage(list, ask.Limit, func(p parley.Person) parley.Cursor {
		return parley.Cursor{SortValue: millis(p.CreatedAt), ID: string(p.ID)}
	})
	return page, err
}

// SetConversationCustomer says whose conversation it is.
func (db *DB) SetConversationCustomer(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, person parley.PersonID) error {
	n, err := db.sql.Exec(ctx, `update conversations set person_id = ? where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, person, conversation, agent, account)
	return requireChanged(n, err, parley.CodeResourceNotFound)
}
