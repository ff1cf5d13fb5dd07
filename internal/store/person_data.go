package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// PersonKeys are by what a person is known.
type PersonKeys struct {
	Emails []string // whatever their case
	Users  []string // ids that clients or embedding sites have given them
}

// NewPersonKeys returns the keys of somebody with an address and an id; one of them may be empty.
func NewPersonKeys(email, user string) PersonKeys {
	return foldKeys(PersonKeys{Emails: []string{email}, Users: []string{user}})
}

// Count returns how many keys there are.
func (k *PersonKeys) Count() int { return len(k.Emails) + len(k.Users) }

// AddPersonKeys returns keys with those of the people of an agent who are found by them.
func (db *DB) AddPersonKeys(ctx context.Context, ref parley.AgentRef, keys PersonKeys) (PersonKeys, error) {
	_, keys, err := db.findPeople(ctx, ref, keys)
	return keys, err
}

// findPeople finds the people of an agent who have one of the keys, or one of those that they add to them.
func (db *DB) findPeople(ctx context.Context, ref parley.AgentRef, keys PersonKeys) (people []parley.Contact,
	all PersonKeys, err error) {
	all = foldKeys(keys)
	for n := -1; n < all.Count(); {
		n = all.Count()
		if people, err = db.PeopleByExternalIDOrEmail(ctx, ref, all.Users, all.Emails); err != nil {
			return nil, all, err
		}
		all.add(people)
	}
	return people, all, nil
}

// PersonData is what an agent holds of a person.
type PersonData struct {
	Keys          PersonKeys // with those of the people
	People        []parley.Contact
	Conversations []parley.ConversationID
	Leads         []parley.Lead
	Visitors      []parley.Visitor
}

// IsEmpty reports whether there is nothing.
func (d *PersonData) IsEmpty() bool {
	return len(d.People)+len(d.Conversations)+len(d.Leads)+len(d.Visitors) == 0
}

// PersonData finds what an agent holds of a person: the people who have one of the keys, the conversations that are
// theirs, that they have left their address in or that have a ticket of theirs, their leads, and the browsers in which
// those conversations began.
func (db *DB) PersonData(ctx context.Context, ref parley.AgentRef, keys PersonKeys) (*PersonData, error) {
	d := &PersonData{}
	var err error
	if d.People, d.Keys, err = db.findPeople(ctx, ref, keys); err != nil {
		return nil, err
	}
	own, err := db.leadsByEmail(ctx, ref, d.Keys.Emails)
	if err != nil {
		return nil, err
	}
	if d.Conversations, err = db.personConversations(ctx, ref, d, own); err != nil {
		return nil, err
	}
	if d.Leads, err = db.personLeads(ctx, ref, d, own); err != nil {
		return nil, err
	}
	d.Visitors, err = db.personVisitors(ctx, ref, d)
	return d, err
}

const leadsPerRead = 500

// leadsByEmail finds the leads that have one of the addresses. They are compared here: leads keep an address as it was
// typed, and the databases do not agree on the case of its letters.
func (db *DB) leadsByEmail(ctx context.Context, ref parley.AgentRef, emails []string) (found []parley.Lead, err error) {
	if len(emails) == 0 {
		return nil, nil
	}
	for after, id := int64(math.MinInt64), ""; ; {
		list, err := leadTable.list(ctx, db, `
			where agent_id = ? and account_id = ? and (created_at, id) > (?, ?) and email <> ''
			order by created_at, id
			limit ?`, ref.Agent, ref.Account, after, id, leadsPerRead)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			if slices.Contains(emails, foldEmail(l.Email)) {
				found = append(found, l)
			}
		}
		if len(list) < leadsPerRead {
			return found, nil
		}
		after, id = millis(list[len(list)-1].CreatedAt), list[len(list)-1].ID
	}
}

// personLeads finds the leads of the conversations besides those that have one of the addresses.
func (db *DB) personLeads(ctx context.Context, ref parley.AgentRef, d *PersonData,
	own []parley.Lead) (list []parley.Lead, err error) {
	list = slices.Clone(own)
	for some := range slices.Chunk(d.Conversations, peoplePerStatement) {
		if err != nil {
			return nil, err
		}
		var found []parley.Lead
		found, err = leadTable.list(ctx, db, `
			where agent_id = ? and account_id = ? and conversation_id in `+placeholders(len(some)),
			append([]any{ref.Agent, ref.Account}, toAny(some)...)...)
		list = append(list, found...)
	}
	return eachOnce(list, func(l *parley.Lead) (time.Time, string) { return l.CreatedAt, l.ID }), err
}

// personVisitors finds the browsers in which one of the ids is known, and those in which the conversations began.
func (db *DB) personVisitors(ctx context.Context, ref parley.AgentRef, d *PersonData) ([]parley.Visitor, error) {
	list, err := visitorTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and user_id in `+listOf(len(d.Keys.Users)),
		append([]any{ref.Agent, ref.Account}, toAny(d.Keys.Users)...)...)
	for some := range slices.Chunk(d.Conversations, peoplePerStatement) {
		if err != nil {
			return nil, err
		}
		var found []parley.Visitor
		found, err = visitorTable.list(ctx, db, `
			where agent_id = ? and account_id = ? and id in (select visitor_id from conversations
			  where agent_id = ? and account_id = ? and visitor_id is not null and id in `+placeholders(len(some))+`)`,
			append([]any{ref.Agent, ref.Account, ref.Agent, ref.Account}, toAny(some)...)...)
		list = append(list, found...)
	}
	return eachOnce(list, func(v *parley.Visitor) (time.Time, string) { return v.CreatedAt, string(v.ID) }), err
}

// eachOnce returns each row once, the oldest first.
func eachOnce[T any](list []T, place func(*T) (at time.Time, id string)) []T {
	slices.SortFunc(list, func(a, b T) int {
		atA, idA := place(&a)
		atB, idB := place(&b)
		return cmp.Or(atA.Compare(atB), cmp.Compare(idA, idB))
	})
	return slices.CompactFunc(list, func(a, b T) bool {
		_, idA := place(&a)
		_, idB := place(&b)
		return idA == idB
	})
}

// personConversations finds the conversations that are theirs, also by one of their own leads.
func (db *DB) personConversations(ctx context.Context, ref parley.AgentRef, d *PersonData,
	own []parley.Lead) ([]parley.ConversationID, error) {
	people := make([]any, len(d.People))
	for i, p := range d.People {
		people[i] = p.ID
	}
	owner, users := []any{ref.Agent, ref.Account}, toAny(d.Keys.Users)
	list, err := db.conversationsWith(ctx, `
		where agent_id = ? and account_id = ? and deleted_at is null
		  and (user_id in `+listOf(len(users))+`
		    or person_id in `+listOf(len(people))+`
		    or id in (select conversation_id from tickets
		      where agent_id = ? and account_id = ? and person_id in `+listOf(len(people))+`))`,
		slices.Concat(owner, users, people, owner, people)...)
	for some := range slices.Chunk(own, peoplePerStatement) {
		if err != nil {
			return nil, err
		}
		ids := make([]any, len(some))
		for i, l := range some {
			ids[i] = l.ConversationID
		}
		var found []datedConversation
		found, err = db.conversationsWith(ctx, `
			where agent_id = ? and account_id = ? and deleted_at is null and id in `+placeholders(len(ids)),
			append(slices.Clone(owner), ids...)...)
		list = append(list, found...)
	}
	list = eachOnce(list, func(c *datedConversation) (time.Time, string) { return c.createdAt, string(c.id) })
	var ids []parley.ConversationID
	for _, c := range list {
		ids = append(ids, c.id)
	}
	return ids, err
}

// datedConversation is a conversation with the time when it began.
type datedConversation struct {
	id        parley.ConversationID
	createdAt time.Time
}

func (db *DB) conversationsWith(ctx context.Context, where string, args ...any) ([]datedConversation, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (c datedConversation, err error) {
		err = scan(&c.id, timeDest{&c.createdAt})
		return c, err
	}, `
		select id, created_at
		from conversations
		`+where, args...)
}

// foldKeys returns keys with all forms of the addresses as they are compared, without empty ones.
func foldKeys(k PersonKeys) (out PersonKeys) {
	for _, email := range k.Emails {
		out.addEmail(email)
	}
	for _, user := range k.Users {
		addNew(&out.Users, user)
	}
	return out
}

// add adds the keys of people.
func (k *PersonKeys) add(people []parley.Contact) {
	for _, p := range people {
		k.addEmail(p.Email)
		addNew(&k.Users, p.ExternalID)
	}
}

// addEmail adds an address in all forms in which it may be kept.
func (k *PersonKeys) addEmail(email string) {
	for _, form := range emailForms(email) {
		addNew(&k.Emails, strings.ToLower(form))
	}
}

func addNew(list *[]string, text string) {
	if text != "" && !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// listOf is placeholders that may have none: then nothing is in it.
func listOf(n int) string {
	if n == 0 {
		return "(null)"
	}
	return placeholders(n)
}

// ErasePersonRows deletes what an agent holds of a person outside of conversations, which must be deleted before:
// leads with their events, tickets without a conversation and visitors with their files. The people stay, without what
// was theirs, until ErasePeople.
func (db *DB) ErasePersonRows(ctx context.Context, ref parley.AgentRef, d *PersonData) error {
	for _, user := range d.Keys.Users {
		if _, err := db.ForgetVisitors(ctx, ref, parley.EndUserID(user)); err != nil {
			return err
		}
	}
	ids := personIDs(d)
	for _, s := range []struct {
		statement string
		ids       []any
	}{
		{`delete from events where agent_id = ? and account_id = ? and subject_id in `, ids.leads},
		{`delete from leads where agent_id = ? and account_id = ? and id in `, ids.leads},
		{`delete from visitor_files where agent_id = ? and account_id = ? and visitor_id in `, ids.visitors},
		{`delete from visitor_credits where agent_id = ? and account_id = ? and visitor_id in `, ids.visitors},
		{`delete from visitors where agent_id = ? and account_id = ? and not exists (select 1 from conversations c
			where c.visitor_id = visitors.id and c.deleted_at is null) and id in `, ids.visitors},
		{`delete from tickets where agent_id = ? and account_id = ? and person_id in `, ids.people},
		{`update conversations set person_id = null where agent_id = ? and account_id = ? and person_id in `, ids.people},
	} {
		for part := range slices.Chunk(s.ids, maxEraseRows) {
			err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
				return tx.exec(ctx, s.statement+placeholders(len(part)), append([]any{ref.Agent, ref.Account}, part...)...)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ErasePeople deletes people of any agent of an account, all in one transaction, whom nothing names any more.
func (db *DB) ErasePeople(ctx context.Context, account parley.AccountID, ids []parley.PersonID) error {
	if len(ids) == 0 {
		return nil
	}
	return db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		for part := range slices.Chunk(ids, peoplePerStatement) {
			if err := tx.exec(ctx, `delete from people where account_id = ? and id in `+placeholders(len(part)),
				append([]any{account}, toAny(part)...)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// personRowIDs are the ids of rows of a person.
type personRowIDs struct{ people, leads, visitors []any }

func personIDs(d *PersonData) (ids personRowIDs) {
	for _, p := range d.People {
		ids.people = append(ids.people, p.ID)
	}
	for _, l := range d.Leads {
		ids.leads = append(ids.leads, l.ID)
	}
	for _, v := range d.Visitors {
		ids.visitors = append(ids.visitors, v.ID)
	}
	return ids
}

// storedText is a row that holds what was sent or answered as a text.
type storedText struct{ id, text string }

// EraseTexts deletes the deliveries of an account's webhooks, the replies that are kept for requests with an
// Idempotency-Key and the jobs, such as mails, whose text isOf says yes to, and returns how many. A job that runs
// finds that it is gone when it ends.
func (db *DB) EraseTexts(ctx context.Context, account parley.AccountID,
	isOf func(text string) bool) (n int, err error) {
	for _, t := range []textTable{{"webhook_deliveries", "id", "body"}, {"idempotency_keys", "key", "key || ' ' || reply"},
		{"jobs", "id", "key || ' ' || payload || ' ' || coalesce(last_error, '')"}} {
		for after, more := "", true; more; {
			var found []any
			if found, after, more, err = db.findTexts(ctx, account, t, after, isOf); err != nil {
				return n, err
			}
			if err := db.deleteTexts(ctx, account, t, found); err != nil {
				return n, err
			}
			n += len(found)
		}
	}
	return n, nil
}

// textTable is a table of texts, with the columns of its key and of the text.
type textTable struct{ table, key, text string }

// findTexts looks at some rows behind a key, and returns those that isOf says yes to, the last key, and whether more
// may follow.
func (db *DB) findTexts(ctx context.Context, account parley.AccountID, t textTable, after string,
	isOf func(text string) bool) (found []any, last string, more bool, err error) {
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (s storedText, err error) {
		err = scan(&s.id, &s.text)
		return s, err
	}, `
		select `+t.key+`, `+t.text+`
		from `+t.table+`
		where account_id = ? and `+t.key+` > ?
		order by `+t.key+`
		limit ?`, account, after, maxEraseRows)
	for _, s := range list {
		if last = s.id; isOf(s.text) {
			found = append(found, s.id)
		}
	}
	return found, last, len(list) == maxEraseRows, err
}

func (db *DB) deleteTexts(ctx context.Context, account parley.AccountID, t textTable, ids []any) error {
	if len(ids) == 0 {
		return nil
	}
	return db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		return tx.exec(ctx, `delete from `+t.table+` where account_id = ? and `+t.key+` in `+placeholders(len(ids)),
			append([]any{account}, ids...)...)
	})
}

// RecordingBlob finds the file of a recording. Fails with SOURCE_NOT_FOUND.
func (db *DB) RecordingBlob(ctx context.Context, r *parley.VoiceRecording) (*Blob, error) {
	return blobTable.find(ctx, db, parley.CodeSourceNotFound, `
		where id = ? and agent_id = ? and account_id = ?`, r.BlobID, r.AgentID, r.AccountID)
}

// PersonActs are the acts on what is held of a person, in the audit chain.
const (
	PersonExported = "person.export"
	PersonErased   = "person.erase"
)

// NotePerson records in the account's audit chain that what is held of a person was exported or erased. mark tells
// people apart and does not say who they are.
func (db *DB) NotePerson(ctx context.Context, account parley.AccountID, now time.Time, actor, act, mark string,
	counts map[string]any) error {
	return db.AppendAuditEvent(ctx, account, now, actor, act, mark, counts)
}
