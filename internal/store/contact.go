package store

import (
	"context"
	"database/sql"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// Contacts are the people whom the client knows by an id of its own. The others of the table are known by their e-mail alone.

const contactColumns = `id, account_id, agent_id, email, external_id, name, phone, attributes, stripe_accounts, created_at, updated_at`

func scanContact(scan sqldb.Scan) (c parley.Contact, err error) {
	var email, external, name, phone, attributes, stripe sql.NullString
	var created, updated int64
	err = scan(&c.ID, &c.AccountID, &c.AgentID, &email, &external, &name, &phone, &attributes, &stripe, &created, &updated)
	c.Email, c.ExternalID, c.Name, c.Phone = email.String, external.String, name.String, phone.String
	c.Attributes, c.StripeAccounts = rawOrNil(attributes), rawOrNil(stripe)
	c.CreatedAt, c.UpdatedAt = timeFromMillis(created), timeFromMillis(updated)
	return c, err
}

func contactNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Contact not found.") }

// Contact finds a contact by the client's id. Fails with NOT_FOUND.
func (db *DB) Contact(ctx context.Context, account parley.AccountID, agent parley.AgentID, external string) (*parley.Contact, error) {
	c, err := sqldb.One(ctx, db.sql, scanContact, `select `+contactColumns+` from people where external_id = ? and agent_id = ? and account_id = ?`, external, agent, account)
	if sqldb.IsNotFound(err) {
		return nil, contactNotFound()
	}
	return &c, err
}

// Contacts lists an agent's contacts, newest first, from an offset, and tells how many there are.
func (db *DB) Contacts(ctx context.Context, account parley.AccountID, agent parley.AgentID, offset, limit int) (list []parley.Contact, total int, err error) {
	const where = ` from people where agent_id = ? and account_id = ? and external_id is not null`
	if total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*)`+where, agent, account); err != nil {
		return nil, 0, err
	}
	list, err = sqldb.All(ctx, db.sql, scanContact, `select `+contactColumns+where+` order by created_at desc, id desc limit ? offset ?`, agent, account, limit, offset)
	return list, total, err
}

// PeopleByExternalIDOrEmail lists the people of an agent that have one of the client's ids or one of the e-mails, whatever its case; at most
// as many as are asked for of each. To be sure of them it must be asked in a transaction that holds the agent.
func (db *DB) PeopleByExternalIDOrEmail(ctx context.Context, account parley.AccountID, agent parley.AgentID, externals, emails []string) (list []parley.Contact, err error) {
	seen := map[parley.PersonID]bool{}
	for _, by := range []struct {
		column string
		values []string
	}{{"external_id", externals}, {"lower(email)", lowerEmails(emails)}} {
		for len(by.values) > 0 {
			some := by.values[:min(peoplePerStatement, len(by.values))]
			by.values = by.values[len(some):]
			found, err := sqldb.All(ctx, db.sql, scanContact, `select `+contactColumns+` from people where agent_id = ? and account_id = ? and `+by.column+` in `+placeholders(len(some)),
				append([]any{agent, account}, toAny(some)...)...)
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

// SaveContacts writes contacts, new or changed. Those in renamed have had another e-mail, which another one of the list may have
// by now. It must be called in a transaction that holds the agent.
func (db *DB) SaveContacts(ctx context.Context, account parley.AccountID, agent parley.AgentID, list []parley.Contact, renamed []parley.PersonID) error {
	for len(renamed) > 0 {
		some := renamed[:min(peoplePerStatement, len(renamed))]
		renamed = renamed[len(some):]
		if _, err := db.sql.Exec(ctx, `update people set email = null where agent_id = ? and account_id = ? and id in `+placeholders(len(some)), append([]any{agent, account}, toAny(some)...)...); err != nil {
			return err
		}
	}
	for len(list) > 0 {
		some := list[:min(peoplePerStatement, len(list))]
		list = list[len(some):]
		if err := db.saveContactBatch(ctx, account, agent, some); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) saveContactBatch(ctx context.Context, account parley.AccountID, agent parley.AgentID, list []parley.Contact) error {
	var args []any
	for _, c := range list {
		args = append(args, c.ID, account, agent, textOrNil(normalizeEmail(c.Email)), textOrNil(c.ExternalID), textOrNil(c.Name), textOrNil(c.Phone), objectJSON(c.Attributes), toJSON(c.StripeAccounts),
			millis(c.CreatedAt), millis(c.UpdatedAt))
	}
	_, err := db.sql.Exec(ctx, `insert into people (`+contactColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, len(list)-1)+`
		on conflict (id) do update set email = excluded.email, external_id = excluded.external_id, name = excluded.name, phone = excluded.phone, attributes = excluded.attributes,
		stripe_accounts = excluded.stripe_accounts, updated_at = excluded.updated_at where people.agent_id = excluded.agent_id and people.account_id = excluded.account_id`, args...)
	return err
}

// DeleteContact takes a contact away. Where tickets are theirs, the person stays with name and e-mail alone. It must be called in a
// transaction that holds the agent and its helpdesk, so that no ticket becomes theirs meanwhile.
func (db *DB) DeleteContact(ctx context.Context, c *parley.Contact) error {
	owner := []any{c.ID, c.AgentID, c.AccountID}
	n, err := db.sql.Exec(ctx, `update people set external_id = null, phone = null, attributes = '{}', stripe_accounts = null where id = ? and agent_id = ? and account_id = ?
		and exists (select 1 from tickets t where t.person_id = people.id and t.agent_id = people.agent_id)`, owner...)
	if err != nil || n > 0 {
		return err
	}
	if _, err := db.sql.Exec(ctx, `update conversations set person_id = null where person_id = ? and agent_id = ? and account_id = ?`, owner...); err != nil {
		return err
	}
	_, err = db.sql.Exec(ctx, `delete from people where id = ? and agent_id = ? and account_id = ?`, owner...)
	return err
}
