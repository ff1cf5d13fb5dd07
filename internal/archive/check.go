package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/store"
)

// idBatchSize is how many ids one question about them has.
const idBatchSize = 200

// tableCheck compares the rows of a table with the installation, and with the tables before it.
type tableCheck struct {
	im    *importer
	ctx   context.Context //nolint:containedctx // of one pass over a table
	table *store.ArchiveTable
	read  func(row []any) error // as those who work with rows of the table do
	id    int                   // column of the id; -1 for none
	ids   []string              // that nobody was asked about yet
	rows  int
}

func (im *importer) newTableCheck(ctx context.Context, t *store.ArchiveTable) *tableCheck {
	c := &tableCheck{im: im, ctx: ctx, table: t, read: t.NewRowCheck(), id: -1}
	if t.HasOwnID() && t.Name != "users" {
		c.id = t.ColumnIndex("id")
	}
	return c
}

func (c *tableCheck) row(row []any) error {
	c.rows++
	if err := c.checkNames(row); err != nil {
		return err
	}
	if err := c.checkRules(row); err != nil {
		return damaged(fmt.Errorf("%s, line %d: %w", recordsName(c.table.Name), c.rows, err))
	}
	text := func(column string) string { return row[c.table.ColumnIndex(column)].(string) }
	switch c.table.Name {
	case "accounts":
		if id := text("id"); id != string(c.im.f.manifest.Account) || c.rows > 1 {
			return damaged(fmt.Errorf("it is not of one account, %s", c.im.f.manifest.Account))
		}
		c.im.plan = text("plan")
	case "users":
		return c.im.findUser(c.ctx, text("id"), text("email"))
	case "agents":
		c.im.agents[text("id")] = true
		c.im.agentIDs = append(c.im.agentIDs, parley.AgentID(c.im.ids.of(text("id"))))
	case "blobs":
		if err := c.im.noteFile(text("hash"), row[c.table.ColumnIndex("size")].(int64)); err != nil {
			return err
		}
	}
	return c.checkID(row)
}

// checkRules fails if nobody could work with the row.
func (c *tableCheck) checkRules(row []any) error {
	if c.isUnfinished(row) {
		return errors.New("an archive holds nothing that is under way")
	}
	if err := c.read(row); err != nil {
		return err
	}
	return c.im.rules.check(namedRow{c.table, row, c.rows})
}

// isUnfinished reports whether a row is of what is under way, which an export leaves out: here nobody would carry it to
// its end, and whoever ends what a server has left behind would find it before its account is there.
func (c *tableCheck) isUnfinished(row []any) bool {
	value := func(column string) any { return row[c.table.ColumnIndex(column)] }
	switch c.table.Name {
	case "sources":
		return value("status") == string(parley.SourceToBeDeleted)
	case "turns":
		return value("state") == "open"
	case "voice_sessions":
		return value("ended_at") == nil
	}
	return false
}

// checkNames fails if the row names an agent or a user that the archive does not hold: another account may have them.
func (c *tableCheck) checkNames(row []any) error {
	for i, column := range c.table.Columns {
		id, ok := row[i].(string)
		if !ok || id == "" {
			continue
		}
		switch _, isUser := c.im.ids.users[id]; {
		case column.References == "users" && !isUser:
			return damaged(fmt.Errorf("%s, line %d: it has no user %q", recordsName(c.table.Name), c.rows, id))
		case column.References == "agents" && !c.im.agents[strings.TrimPrefix(id, store.RecordingDaysPrefix)]:
			return damaged(fmt.Errorf("%s, line %d: it has no agent %q", recordsName(c.table.Name), c.rows, id))
		}
	}
	return nil
}

// checkID asks in batches whether ids are taken.
func (c *tableCheck) checkID(row []any) error {
	if c.id < 0 || c.im.o.NewIDs {
		return nil
	}
	if c.ids = append(c.ids, row[c.id].(string)); len(c.ids) < idBatchSize {
		return nil
	}
	return c.end()
}

// finish checks the table as a whole, once all its rows were checked.
func (c *tableCheck) finish() error {
	if c.table.Name == "accounts" && c.rows != 1 {
		return damaged(fmt.Errorf("%s has no row", recordsName(c.table.Name)))
	}
	if err := c.im.rules.checkDefaults(c.table.Name); err != nil {
		return damaged(err)
	}
	return c.end()
}

// end asks about the last ids.
func (c *tableCheck) end() error {
	taken, err := c.im.db.TakenArchiveIDs(c.ctx, c.table, c.im.insert.Account, c.ids)
	c.ids = c.ids[:0]
	if err == nil && len(taken) > 0 {
		err = newTakenError(c.table.Name, taken[0])
	}
	return err
}

// newTakenError says that an id of the archive is taken.
func newTakenError(table, id string) error {
	return parley.NewErrorf(parley.CodeAlreadyExists, "The id %s, of %s in the archive, is taken here. With --new-ids "+
		"everything gets another id.", id, table)
}

// findUser notes which user of the installation one of the archive is: whoever has the same e-mail address, else a new
// one.
func (im *importer) findUser(ctx context.Context, id, email string) error {
	byEmail, err := im.db.FindUserByEmail(ctx, email)
	if err != nil {
		return err
	}
	byID, err := im.db.UserNames(ctx, []parley.UserID{parley.UserID(id)})
	if err != nil {
		return err
	}
	_, isTaken := byID[parley.UserID(id)]
	switch {
	case byEmail != nil && (im.o.NewIDs || string(byEmail.User.ID) == id):
		im.known[id], im.ids.users[id] = true, string(byEmail.User.ID)
	case byEmail != nil:
		return parley.NewErrorf(parley.CodeAlreadyExists, "The user %s of the archive has another id here. With "+
			"--new-ids everything gets another id, and the user is the one who is here.", email)
	case im.o.NewIDs:
		im.ids.users[id] = parley.DeriveID(im.ids.salt, id)
	case isTaken:
		return newTakenError("users", id)
	default:
		im.ids.users[id] = id
	}
	return nil
}

// noteFile notes that a row names a file.
func (im *importer) noteFile(hash string, size int64) error {
	im.used[hash] = true
	if z := im.f.files[hash]; z != nil && z.UncompressedSize64 != uint64(size) { //nolint:gosec // it is not negative
		return damaged(fmt.Errorf("the file %s has %d bytes instead of %d", hash, z.UncompressedSize64, size))
	}
	return nil
}
