package store

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"parley"
	"parley/internal/sqldb"
)

// Contacts are the people whom the client knows by an id of its own. The others of the table are known by their e-mail
// alone.

var contactTable = newTable("people", func(c *parley.Contact) []field {
	return []field{
		{"id", &c.ID},
		{"account_id", &c.AccountID},
		{"agent_id", &c.AgentID},
		{"email", emailDest{&c.Email}},
		{"external_id", nullableText(&c.ExternalID)},
		{"name", nullableText(&c.Name)},
		{"phone", nullableText(&c.Phone)},
		{"attributes", rawObject(&c.Attributes)},
		{"stripe_accounts", rawJSONDest{&c.StripeAccounts}},
		{"created_at", timeDest{&c.CreatedAt}},
		{"updated_at", timeDest{&c.UpdatedAt}},
	}
})

func contactNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Contact not found.") }

// Contact finds a contact by the client's id. Fails with NOT_FOUND.
func (db *DB) Contact(ctx context.Context, ref parley.AgentRef, external string) (*parley.Contact, error) {
	c, err := contactTable.one(ctx, db, `
		where external_id = ? and agent_id = ? and account_id = ?`, external, ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return nil, contactNotFound()
	}
	return &c, err
}

// Contacts lists an agent's contacts, newest first, from an offset, and returns how many there are.
func (db *DB) Contacts(ctx context.Context, ref parley.AgentRef, offset, limit int) (list []parley.Contact, total int,
	err error) {
	const where = `where agent_id = ? and account_id = ? and external_id is not null`
	if total, err = db.count(ctx, `from people `+where, ref.Agent, ref.Account); err != nil {
		return nil, 0, err
	}
	list, err = contactTable.list(ctx, db, where+`
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
		for some := range slices.Chunk(by.values, peoplePerStatement) {
			found, err := contactTable.list(ctx, db, `
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
		list[i] = foldEmail(e)
	}
	return list
}

// peoplePerStatement is how many people one statement reads or writes.
const peoplePerStatement = 200

// SaveContacts writes contacts, new or changed. Those in renamed have had another e-mail, which another one of the list
// may have by now. It must be called in a transaction that has locked the agent.
func (db *DB) SaveContacts(ctx context.Context, ref parley.AgentRef, list []parley.Contact,
	renamed []parley.PersonID) error {
	for some := range slices.Chunk(renamed, peoplePerStatement) {
		if err := db.exec(ctx, `
			update people set email = null
			where agent_id = ? and account_id = ? and id in `+placeholders(len(some)),
			append([]any{ref.Agent, ref.Account}, toAny(some)...)...); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(list, peoplePerStatement) {
		if err := db.saveContactBatch(ctx, ref, some); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) saveContactBatch(ctx context.Context, ref parley.AgentRef, list []parley.Contact) error {
	rows := make([]*parley.Contact, len(list))
	for i, c := range list {
		c.AccountID, c.AgentID = ref.Account, ref.Agent
		rows[i] = &c
	}
	return contactTable.insert(ctx, db, overwrite("id", "email", "external_id", "name", "phone", "attributes",
		"stripe_accounts", "updated_at")+`
		where people.agent_id = excluded.agent_id and people.account_id = excluded.account_id`, rows...)
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
	if err := db.exec(ctx, `
		update conversations set person_id = null
		where person_id = ? and agent_id = ? and account_id = ?`, owner...); err != nil {
		return err
	}
	return db.exec(ctx, `delete from people where id = ? and agent_id = ? and account_id = ?`, owner...)
}

// MergePeople writes a person who has become one with another one, from, of the same agent: the conversations and the
// tickets of both are theirs, and from is no more. It must be called in a transaction that holds the agent and its
// helpdesk, so that nothing becomes from's meanwhile.
func (db *DB) MergePeople(ctx context.Context, p, from *parley.Person) error {
	owner := []any{from.ID, from.AgentID, from.AccountID}
	for _, table := range []string{"conversations", "tickets"} {
		if err := db.exec(ctx, `
			update `+table+` set person_id = ?
			where person_id = ? and agent_id = ? and account_id = ?`, append([]any{p.ID}, owner...)...); err != nil {
			return err
		}
	}
	if err := db.exec(ctx, `
		update people set stripe_accounts = coalesce(stripe_accounts, (
		  select f.stripe_accounts
		  from people f
		  where f.id = ? and f.agent_id = ? and f.account_id = ?))
		where id = ? and agent_id = ? and account_id = ?`, append(owner, p.ID, p.AgentID, p.AccountID)...); err != nil {
		return err
	}
	if err := db.exec(ctx, `delete from people where id = ? and agent_id = ? and account_id = ?`, owner...); err != nil {
		return err
	}
	return db.UpdatePerson(ctx, p)
}

var personTable = newTable("people", func(p *parley.Person) []field {
	return []field{
		{"id", &p.ID},
		{"account_id", &p.AccountID},
		{"agent_id", &p.AgentID},
		{"email", emailDest{&p.Email}},
		{"external_id", nullableText(&p.ExternalID)},
		{"name", nullableText(&p.Name)},
		{"phone", nullableText(&p.Phone)},
		{"attributes", rawObject(&p.Attributes)},
		{"created_at", timeDest{&p.CreatedAt}},
		{"updated_at", timeDest{&p.UpdatedAt}},
	}
})

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

// composeEmail is normalizeEmail with the letters composed, as those of people are kept.
func composeEmail(email string) string { return normalizeEmail(norm.NFC.String(email)) }

// foldEmail is an address in the one form in which any two of its writings are equal, whatever their case.
func foldEmail(email string) string { return strings.ToLower(composeEmail(email)) }

// emailForms returns the ways in which an address may be kept, the likeliest first: with its letters composed or as
// they were typed, and with the host in its own letters or in ASCII.
func emailForms(email string) []string {
	forms := []string{composeEmail(email)}
	at := strings.LastIndexByte(forms[0], '@') + 1
	for _, convert := range []func(host string) (string, error){idna.Lookup.ToASCII, idna.Lookup.ToUnicode} {
		if host, err := convert(strings.ToLower(forms[0][at:])); err == nil && !strings.EqualFold(host, forms[0][at:]) {
			forms = append(forms, forms[0][:at]+host)
		}
	}
	if typed := normalizeEmail(email); typed != forms[0] {
		forms = append(forms, typed)
	}
	return forms
}

// Person finds one of the agent's people. Fails with NOT_FOUND.
func (db *DB) Person(ctx context.Context, ref parley.AgentRef, id parley.PersonID) (*parley.Person, error) {
	return db.person(ctx, ref, `id = ?`, id)
}

// PersonByEmail finds the one with the address, whatever its case and its form. Fails with NOT_FOUND.
func (db *DB) PersonByEmail(ctx context.Context, ref parley.AgentRef, email string) (p *parley.Person, err error) {
	for _, form := range emailForms(email) {
		p, err = db.person(ctx, ref, `lower(email) = lower(?)`, form)
		if !parley.IsCode(err, parley.CodeNotFound) {
			break
		}
	}
	return p, err
}

// PersonByExternalID finds the one whom the client knows by the id. Fails with NOT_FOUND.
func (db *DB) PersonByExternalID(ctx context.Context, ref parley.AgentRef, external string) (*parley.Person, error) {
	return db.person(ctx, ref, `external_id = ?`, external)
}

func (db *DB) person(ctx context.Context, ref parley.AgentRef, condition string, value any) (*parley.Person, error) {
	return personTable.find(ctx, db, parley.CodeNotFound, `
		where agent_id = ? and account_id = ? and `+condition, ref.Agent, ref.Account, value)
}

// AddPerson writes a new person, unless one with the same e-mail address or external id is there, however many try at a
// time: then p becomes that one, unchanged. It must be called in a transaction, and for an address that has several
// forms in one that holds the agent.
func (db *DB) AddPerson(ctx context.Context, p *parley.Person) error {
	if len(emailForms(p.Email)) > 1 {
		known, err := db.PersonByEmail(ctx, p.AgentRef(), p.Email)
		if !parley.IsCode(err, parley.CodeNotFound) {
			if err == nil {
				*p = *known
			}
			return err
		}
	}
	query, args := personTable.insertion(` on conflict do nothing returning `+personTable.columns, p)
	added, err := personTable.oneFrom(ctx, db, query, args...)
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
	fields := personTable.pick(p, "email", "external_id", "name", "phone", "attributes", "updated_at")
	n, err := db.update(ctx, "people", fields, `id = ? and agent_id = ? and account_id = ?`, p.ID, p.AgentID, p.AccountID)
	if sqldb.IsDuplicate(err) {
		return parley.WrapError(parley.CodeAlreadyExists, err)
	}
	return requireChanged(n, err, parley.CodeNotFound)
}

// People lists those of the agent's people whose name, e-mail address, external id or telephone number has a text in
// it, newest first. An empty text is in all of them.
func (db *DB) People(ctx context.Context, ref parley.AgentRef, text string,
	ask parley.PageRequest) (parley.Page[parley.Person], error) {
	where, args := `agent_id = ? and account_id = ?`, []any{ref.Agent, ref.Account}
	if text != "" {
		where += ` and (
			lower(name) like lower(?) escape '!'
			or lower(email) like lower(?) escape '!'
			or lower(external_id) like lower(?) escape '!'
			or phone like ? escape '!')`
		pattern := "%" + patternEscapes.Replace(text) + "%"
		args = append(args, pattern, pattern, pattern, pattern)
	}
	return personTable.page(ctx, db, ask, func(p parley.Person) parley.Cursor {
		return parley.Cursor{SortValue: millis(p.CreatedAt), ID: string(p.ID)}
	}, where, args...)
}

// FindCustomers lists those of the agent's people whose name or e-mail address begins with a text, whatever its case;
// at most limit of each.
func (db *DB) FindCustomers(ctx context.Context, ref parley.AgentRef, text string,
	limit int) (ids []parley.PersonID, err error) {
	for _, column := range []string{"name", "email"} {
		query, args := db.customersQuery(ref, column, text, limit)
		found, err := sqldb.All(ctx, db.sql, sqldb.Column[parley.PersonID], query, args...)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

// customersQuery finds the people in whose column a text begins. The index holds the letters in the order of bytes.
func (db *DB) customersQuery(ref parley.AgentRef, column, text string, limit int) (query string, args []any) {
	if column == "email" {
		text = composeEmail(text)
	}
	value, bound := `lower(`+column+`)`, `lower(?)`
	if db.sql.Dialect() == sqldb.Postgres {
		value, bound = value+` collate "C"`, bound+` collate "C"`
	}
	return `
		select id
		from people
		where agent_id = ? and account_id = ? and ` + column + ` is not null and ` + value + ` >= ` + bound + `
		  and ` + value + ` < ` + bound + `
		order by ` + value + `
		limit ?`, []any{ref.Agent, ref.Account, text, text + string(utf8.MaxRune), limit}
}

// ConversationsOfPerson lists the conversations of one of the agent's people that are not of the playground, the last
// active first.
func (db *DB) ConversationsOfPerson(ctx context.Context, ref parley.AgentRef, id parley.PersonID,
	limit int) ([]parley.Conversation, error) {
	query, args := conversationsOfPerson(ref, id, limit)
	return conversationTable.list(ctx, db, query, args...)
}

// conversationsOfPerson is what ConversationsOfPerson asks after the columns.
func conversationsOfPerson(ref parley.AgentRef, id parley.PersonID, limit int) (query string, args []any) {
	return `
		where person_id = ? and agent_id = ? and account_id = ? and deleted_at is null and channel <> ?
		order by last_activity desc
		limit ?`, []any{id, ref.Agent, ref.Account, parley.ChannelPlayground, limit}
}

// patternEscapes takes their meaning from the characters that have one in patterns.
var patternEscapes = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// SetConversationCustomer sets the customer of a conversation.
func (db *DB) SetConversationCustomer(ctx context.Context, ref parley.ConversationRef, person parley.PersonID) error {
	return db.execFound(ctx, parley.CodeResourceNotFound, `
		update conversations set person_id = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, person, ref.Conversation, ref.Agent,
		ref.Account)
}

var attributeTable = newTable("custom_attributes", func(a *parley.Attribute) []field {
	return []field{
		{"account_id", &a.AccountID},
		{"agent_id", &a.AgentID},
		{"name", &a.Name},
		{"label", &a.Label},
		{"type", &a.Type},
		{"description", &a.Description},
		{"created_at", timeDest{&a.CreatedAt}},
		{"updated_at", timeDest{&a.UpdatedAt}},
		{"archived_at", timePointerDest{&a.ArchivedAt}},
	}
})

// Attributes lists the custom attributes of an agent's contacts by name, archived ones too.
func (db *DB) Attributes(ctx context.Context, ref parley.AgentRef) ([]parley.Attribute, error) {
	return attributeTable.list(ctx, db, `
		where agent_id = ? and account_id = ?
		order by name`, ref.Agent, ref.Account)
}

// LockAttribute finds a custom attribute that is about to be changed. Fails with NOT_FOUND.
func (db *DB) LockAttribute(ctx context.Context, ref parley.AgentRef, name string) (*parley.Attribute, error) {
	a, err := attributeTable.one(ctx, db, `
		where agent_id = ? and account_id = ? and name = ?`+db.sql.ForUpdate(), ref.Agent, ref.Account, name)
	if sqldb.IsNotFound(err) {
		return nil, parley.NewErrorf(parley.CodeNotFound, "Custom attribute not found.")
	}
	return &a, err
}

// SaveAttribute writes a custom attribute, new or changed. It must be called in a transaction that has locked the
// agent.
func (db *DB) SaveAttribute(ctx context.Context, a *parley.Attribute) error {
	return attributeTable.insert(ctx, db,
		overwrite("agent_id, name", "label", "description", "updated_at", "archived_at"), a)
}
