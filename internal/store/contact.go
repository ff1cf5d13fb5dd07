package store

import (
	"context"
	"strings"
	"unicode"

	"parley"
	"parley/internal/sqldb"
)

// Contacts are the people whom the client knows by an id of its own. The others of the table are known by their e-mail
// alone.

const contactColumns = `
  id,
  account_id,
  agent_id,
  email,
  external_id,
  name,
  phone,
  attributes,
  stripe_accounts,
  created_at,
  updated_at`

func scanContact(scan sqldb.Scan) (c parley.Contact, err error) {
	err = scan(
		&c.ID,
		&c.AccountID,
		&c.AgentID,
		nullableText(&c.Email),
		nullableText(&c.ExternalID),
		nullableText(&c.Name),
		nullableText(&c.Phone),
		rawJSONDest{&c.Attributes},
		rawJSONDest{&c.StripeAccounts},
		timeDest{&c.CreatedAt},
		timeDest{&c.UpdatedAt},
	)
	return c, err
}

func contactNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Contact not found.") }

// Contact finds a contact by the client's id. Fails with NOT_FOUND.
func (db *DB) Contact(ctx context.Context, ref parley.AgentRef, external string) (*parley.Contact, error) {
	c, err := sqldb.One(ctx, db.sql, scanContact, `
		select `+contactColumns+`
		from people
		where external_id = ? and agent_id = ? and account_id = ?`, external, ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return nil, contactNotFound()
	}
	return &c, err
}

// Contacts lists an agent's contacts, newest first, from an offset, and tells how many there are.
func (db *DB) Contacts(ctx context.Context, ref parley.AgentRef, offset, limit int) (list []parley.Contact, total int,
	err error) {
	const where = ` from people where agent_id = ? and account_id = ? and external_id is not null`
	if total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*)`+where, ref.Agent,
		ref.Account); err != nil {
		return nil, 0, err
	}
	list, err = sqldb.All(ctx, db.sql, scanContact, `
		select `+contactColumns+where+`
		order by created_at desc, id desc
		limit ? offset ?`, ref.Agent, ref.Account, limit, offset)
	return list, total, err
}

// PeopleByExternalIDOrEmail lists the people of an agent that have one of the client's ids or one of the e-mails,
// whatever its case; at most as many as are asked for of each. To be sure of them it must be asked in a transaction
// that holds the agent.
func (db *DB) PeopleByExternalIDOrEmail(ctx context.Context, ref parley.AgentRef, externals,
	emails []string) (list []parley.Contact, err error) {
	seen := map[parley.PersonID]bool{}
	for _, by := range []struct {
		column string
		values []string
	}{{"external_id", externals}, {"lower(email)", lowerEmails(emails)}} {
		for len(by.values) > 0 {
			some := by.values[:min(peoplePerStatement, len(by.values))]
			by.values = by.values[len(some):]
			found, err := sqldb.All(ctx, db.sql, scanContact, `
				select `+contactColumns+`
				from people
				where agent_id = ? and account_id = ? and `+by.column+` in `+placeholders(len(some)),
				append([]any{ref.Agent, ref.Account}, toAny(some)...)...)
			if err != nil {
				return nil, err
			}
			for _, c := range found {
				if !seen[c.ID] {
					seen[c.ID], list = true, append(list, c)
				}
			}
		}
	}
	return list, nil
}

func lowerEmails(emails []string) []string {
	list := make([]string, len(emails))
	for i, e := range emails {
		list[i] = strings.ToLower(normalizeEmail(e))
	}
	return list
}

// peoplePerStatement is how many people one statement reads or writes.
const peoplePerStatement = 200

// SaveContacts writes contacts, new or changed. Those in renamed have had another e-mail, which another one of the list
// may have by now. It must be called in a transaction that has locked the agent.
func (db *DB) SaveContacts(ctx context.Context, ref parley.AgentRef, list []parley.Contact,
	renamed []parley.PersonID) error {
	for len(renamed) > 0 {
		some := renamed[:min(peoplePerStatement, len(renamed))]
		renamed = renamed[len(some):]
		if _, err := db.sql.Exec(ctx, `
			update people set email = null
			where agent_id = ? and account_id = ? and id in `+placeholders(len(some)),
			append([]any{ref.Agent, ref.Account}, toAny(some)...)...); err != nil {
			return err
		}
	}
	for len(list) > 0 {
		some := list[:min(peoplePerStatement, len(list))]
		list = list[len(some):]
		if err := db.saveContactBatch(ctx, ref, some); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) saveContactBatch(ctx context.Context, ref parley.AgentRef, list []parley.Contact) error {
	var args []any
	for _, c := range list {
		args = append(args, c.ID, ref.Account, ref.Agent, textOrNil(normalizeEmail(c.Email)), textOrNil(c.ExternalID),
			textOrNil(c.Name), textOrNil(c.Phone), objectJSON(c.Attributes), toJSON(c.StripeAccounts),
			millis(c.CreatedAt), millis(c.UpdatedAt))
	}
	_, err := db.sql.Exec(ctx, `insert into people (`+contactColumns+`)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, len(list)-1)+`
		on conflict (id) do update set
		  email = excluded.email,
		  external_id = excluded.external_id,
		  name = excluded.name,
		  phone = excluded.phone,
		  attributes = excluded.attributes,
		  stripe_accounts = excluded.stripe_accounts,
		  updated_at = excluded.updated_at
		where people.agent_id = excluded.agent_id and people.account_id = excluded.account_id`, args...)
	return err
}

// DeleteContact deletes a contact. Where tickets are theirs, the person stays with name and e-mail alone. It must be
// called in a transaction that holds the agent and its helpdesk, so that no ticket becomes theirs meanwhile.
func (db *DB) DeleteContact(ctx context.Context, c *parley.Contact) error {
	owner := []any{c.ID, c.AgentID, c.AccountID}
	n, err := db.sql.Exec(ctx, `
		update people set
		  external_id = null,
		  phone = null,
		  attributes = '{}',
		  stripe_accounts = null
		where id = ? and agent_id = ? and account_id = ?
		  and exists (select 1 from tickets t where t.person_id = people.id and t.agent_id = people.agent_id)`, owner...)
	if err != nil || n > 0 {
		return err
	}
	if _, err := db.sql.Exec(ctx, `
		update conversations set person_id = null
		where person_id = ? and agent_id = ? and account_id = ?`, owner...); err != nil {
		return err
	}
	_, err = db.sql.Exec(ctx, `delete from people where id = ? and agent_id = ? and account_id = ?`, owner...)
	return err
}

const personColumns = `
  id,
  account_id,
  agent_id,
  email,
  external_id,
  name,
  phone,
  attributes,
  created_at,
  updated_at`

func scanPerson(scan sqldb.Scan) (p parley.Person, err error) {
	err = scan(personDests(&p)...)
	return p, err
}

// personDests are the places of personColumns in p.
func personDests(p *parley.Person) []any {
	return []any{
		&p.ID,
		&p.AccountID,
		&p.AgentID,
		nullableText(&p.Email),
		nullableText(&p.ExternalID),
		nullableText(&p.Name),
		nullableText(&p.Phone),
		rawJSONDest{&p.Attributes},
		timeDest{&p.CreatedAt},
		timeDest{&p.UpdatedAt},
	}
}

// normalizeEmail is an address as it is kept and asked for: beyond ASCII in lower case, for the databases do not agree
// on the case of those letters, and an address must be found whatever its case.
func normalizeEmail(email string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return unicode.ToLower(r)
		}
		return r
	}, email)
}

// Person finds one of the agent's people. Fails with NOT_FOUND.
func (db *DB) Person(ctx context.Context, ref parley.AgentRef, id parley.PersonID) (*parley.Person, error) {
	return db.person(ctx, ref, `id = ?`, id)
}

// PersonByEmail finds the one with the address, whatever its case. Fails with NOT_FOUND.
func (db *DB) PersonByEmail(ctx context.Context, ref parley.AgentRef, email string) (*parley.Person, error) {
	return db.person(ctx, ref, `lower(email) = lower(?)`, normalizeEmail(email))
}

// PersonByExternalID finds the one whom the client knows by the id. Fails with NOT_FOUND.
func (db *DB) PersonByExternalID(ctx context.Context, ref parley.AgentRef, external string) (*parley.Person, error) {
	return db.person(ctx, ref, `external_id = ?`, external)
}

func (db *DB) person(ctx context.Context, ref parley.AgentRef, which string, value any) (*parley.Person, error) {
	p, err := sqldb.One(ctx, db.sql, scanPerson, `
		select `+personColumns+`
		from people
		where agent_id = ? and account_id = ? and `+which, ref.Agent, ref.Account, value)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeNotFound)
	}
	return &p, nil
}

// AddPerson writes a new person, unless one with the same e-mail address or external id is there, however many try at a
// time: then p becomes that one, unchanged. It must be called in a transaction.
func (db *DB) AddPerson(ctx context.Context, p *parley.Person) error {
	added, err := sqldb.One(ctx, db.sql, scanPerson, `insert into people (`+personColumns+`)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict do nothing
		returning `+personColumns,
		p.ID, p.AccountID, p.AgentID, textOrNil(normalizeEmail(p.Email)), textOrNil(p.ExternalID), textOrNil(p.Name),
		textOrNil(p.Phone), objectJSON(p.Attributes),
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
		known, err := db.PersonByEmail(ctx, p.AgentRef(), p.Email)
		if !parley.IsCode(err, parley.CodeNotFound) {
			return known, err
		}
	}
	return db.PersonByExternalID(ctx, p.AgentRef(), p.ExternalID)
}

// UpdatePerson writes the fields of a person. Fails with NOT_FOUND, and with RESOURCE_ALREADY_EXISTS where another
// person of the agent has the address or the external id; outside a transaction only, for PostgreSQL loses it then.
func (db *DB) UpdatePerson(ctx context.Context, p *parley.Person) error {
	n, err := db.sql.Exec(ctx, `
		update people set
		  email = ?,
		  external_id = ?,
		  name = ?,
		  phone = ?,
		  attributes = ?,
		  updated_at = ?
		where id = ? and agent_id = ? and account_id = ?`, textOrNil(normalizeEmail(p.Email)), textOrNil(p.ExternalID),
		textOrNil(p.Name), textOrNil(p.Phone),
		objectJSON(p.Attributes), millis(p.UpdatedAt), p.ID, p.AgentID, p.AccountID)
	if sqldb.IsDuplicate(err) {
		return parley.WrapError(parley.CodeAlreadyExists, err)
	}
	return requireChanged(n, err, parley.CodeNotFound)
}

// People lists the agent's people, newest first.
func (db *DB) People(ctx context.Context, ref parley.AgentRef, ask parley.PageRequest) (parley.Page[parley.Person],
	error) {
	var page parley.Page[parley.Person]
	var err error
	if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from people
		where agent_id = ? and account_id = ?`, ref.Agent, ref.Account); err != nil {
		return page, err
	}
	after := startCursor(ask)
	list, err := sqldb.All(ctx, db.sql, scanPerson, `
		select `+personColumns+`
		from people
		where agent_id = ? and account_id = ? and (created_at < ? or (created_at = ? and id < ?))
		order by created_at desc, id desc
		limit ?`, ref.Agent, ref.Account, after.SortValue, after.SortValue, after.ID, ask.Limit+1)
	page.Items, page.Next = cutPage(list, ask.Limit, func(p parley.Person) parley.Cursor {
		return parley.Cursor{SortValue: millis(p.CreatedAt), ID: string(p.ID)}
	})
	return page, err
}

// SetConversationCustomer sets the customer of a conversation.
func (db *DB) SetConversationCustomer(ctx context.Context, ref parley.ConversationRef, person parley.PersonID) error {
	n, err := db.sql.Exec(ctx, `
		update conversations set person_id = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, person, ref.Conversation, ref.Agent,
		ref.Account)
	return requireChanged(n, err, parley.CodeResourceNotFound)
}

const attributeColumns = `
  account_id,
  agent_id,
  name,
  label,
  type,
  description,
  created_at,
  updated_at,
  archived_at`

func scanAttribute(scan sqldb.Scan) (a parley.Attribute, err error) {
	err = scan(
		&a.AccountID,
		&a.AgentID,
		&a.Name,
		&a.Label,
		&a.Type,
		&a.Description,
		timeDest{&a.CreatedAt},
		timeDest{&a.UpdatedAt},
		timePointerDest{&a.ArchivedAt},
	)
	return a, err
}

// Attributes lists the custom attributes of an agent's contacts by name, archived ones too.
func (db *DB) Attributes(ctx context.Context, ref parley.AgentRef) ([]parley.Attribute, error) {
	return sqldb.All(ctx, db.sql, scanAttribute, `
		select `+attributeColumns+`
		from custom_attributes
		where agent_id = ? and account_id = ?
		order by name`, ref.Agent, ref.Account)
}

// LockAttribute finds a custom attribute that is about to be changed. Fails with NOT_FOUND.
func (db *DB) LockAttribute(ctx context.Context, ref parley.AgentRef, name string) (*parley.Attribute, error) {
	a, err := sqldb.One(ctx, db.sql, scanAttribute, `
		select `+attributeColumns+`
		from custom_attributes
		where agent_id = ? and account_id = ? and name = ?`+db.sql.ForUpdate(), ref.Agent, ref.Account, name)
	if sqldb.IsNotFound(err) {
		return nil, parley.NewErrorf(parley.CodeNotFound, "Custom attribute not found.")
	}
	return &a, err
}

// SaveAttribute writes a custom attribute, new or changed. It must be called in a transaction that has locked the
// agent.
func (db *DB) SaveAttribute(ctx context.Context, a *parley.Attribute) error {
	_, err := db.sql.Exec(ctx, `insert into custom_attributes (`+attributeColumns+`)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (agent_id, name) do update set
		  label = excluded.label,
		  description = excluded.description,
		  updated_at = excluded.updated_at,
		  archived_at = excluded.archived_at`,
		a.AccountID, a.AgentID, a.Name, a.Label, string(a.Type), a.Description, millis(a.CreatedAt),
		millis(a.UpdatedAt), millisOrNil(a.ArchivedAt))
	return err
}
