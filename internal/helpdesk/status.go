package helpdesk

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// maxLabelRunes is the most characters of the labels and names of a helpdesk.
const maxLabelRunes = 100

var colorPattern = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func checkStatus(s *parley.TicketStatus) error {
	faults := map[string]string{}
	checkKey(faults, s.Key)
	if !slices.Contains(parley.StatusCategories(), s.Category) {
		faults["category"] = "must be one of: new, on_you, on_customer, on_hold, closed, cancelled"
	}
	checkLabel(faults, "externalLabel", s.ExternalLabel)
	checkLabel(faults, "internalLabel", s.InternalLabel)
	if s.Color != "" && !colorPattern.MatchString(s.Color) {
		faults["color"] = "must be a color such as #1F6FEB"
	}
	if s.IsDefault && s.ArchivedAt != nil {
		faults["default"] = "must not be archived; name another default of the category first"
	}
	return parley.InvalidFields(faults)
}

func checkLabel(faults map[string]string, field, text string) {
	if n := utf8.RuneCountInString(text); n < 1 || n > maxLabelRunes {
		faults[field] = "must have 1 to 100 characters"
	}
}

// checkKey checks the key of a status, a team or a rule. One that no manifest manages may have none.
func checkKey(faults map[string]string, key string) {
	if key != "" && !parley.IsKey(key) {
		faults["key"] = parley.KeyRule
	}
}

// AddStatus adds a status with the category, labels, key and color of in, as the category's default where in is. An
// empty external label becomes the internal one, and vice versa; position 0 is the last. Fails with AGENT_NOT_FOUND and
// VALIDATION_INVALID_BODY.
func (s *Service) AddStatus(ctx context.Context, ref parley.AgentRef, in parley.TicketStatus,
	by string) (*parley.TicketStatus, error) {
	in.ID, in.AccountID, in.AgentID = parley.StatusID(parley.NewUUID()), ref.Account, ref.Agent
	in.ExternalLabel = cmp.Or(in.ExternalLabel, in.InternalLabel)
	in.InternalLabel = cmp.Or(in.InternalLabel, in.ExternalLabel)
	var added parley.TicketStatus
	err := s.auditedUpdate(ctx, ref, by, "status.add", func(u *update) (string, any, error) {
		added = in
		added.CreatedAt, added.UpdatedAt = u.now, u.now
		err := appendPosition(ctx, u.tx, &added)
		if err == nil {
			err = s.putUniqueStatus(ctx, u.tx, &added)
		}
		return string(added.ID),
			map[string]any{"category": added.Category, "label": added.InternalLabel, "default": added.IsDefault}, err
	})
	return &added, err
}

// appendPosition sets the position of a status without one to the last of its category.
func appendPosition(ctx context.Context, tx *store.DB, s *parley.TicketStatus) error {
	if s.Position != 0 {
		return nil
	}
	list, err := tx.Statuses(ctx, s.AgentRef(), true)
	for _, other := range list {
		if other.Category == s.Category {
			s.Position = max(s.Position, other.Position+1)
		}
	}
	return err
}

// ChangeStatus changes the labels, color, key or position of a status, or makes it the default. Fails with
// AGENT_NOT_FOUND, TICKET_INVALID_STATUS and VALIDATION_INVALID_BODY.
func (s *Service) ChangeStatus(ctx context.Context, ref parley.AgentRef, id parley.StatusID, by string,
	change func(*parley.TicketStatus)) (*parley.TicketStatus, error) {
	return s.changeStatus(ctx, ref, id, by, "status.change", change)
}

// MakeDefault makes a status the default of its category, in place of the one that was. Fails with AGENT_NOT_FOUND and
// TICKET_INVALID_STATUS.
func (s *Service) MakeDefault(ctx context.Context, ref parley.AgentRef, id parley.StatusID,
	by string) (*parley.TicketStatus, error) {
	return s.changeStatus(ctx, ref, id, by, "status.default", func(status *parley.TicketStatus) {
		status.IsDefault, status.ArchivedAt = true, nil
	})
}

// ArchiveStatus archives a status. Tickets that have it keep it. Fails with AGENT_NOT_FOUND, TICKET_INVALID_STATUS, and
// with VALIDATION_INVALID_BODY of the default of a category: make another one the default first.
func (s *Service) ArchiveStatus(ctx context.Context, ref parley.AgentRef, id parley.StatusID,
	by string) (*parley.TicketStatus, error) {
	return s.changeStatus(ctx, ref, id, by, "status.archive", func(status *parley.TicketStatus) {
		status.ArchivedAt = cmp.Or(status.ArchivedAt, new(status.UpdatedAt))
	})
}

// changeStatus calls change with the status, whose UpdatedAt is the time of the change.
func (s *Service) changeStatus(ctx context.Context, ref parley.AgentRef, id parley.StatusID, by, action string,
	change func(*parley.TicketStatus)) (changed *parley.TicketStatus, err error) {
	err = s.auditedUpdate(ctx, ref, by, action, func(u *update) (_ string, _ any, err error) {
		if changed, err = u.tx.Status(ctx, ref, id); err != nil {
			return "", nil, err
		}
		changed.UpdatedAt = u.now
		change(changed)
		err = s.putUniqueStatus(ctx, u.tx, changed)
		return string(id), map[string]any{"category": changed.Category, "label": changed.InternalLabel,
			"default": changed.IsDefault, "archived": changed.ArchivedAt != nil}, err
	})
	return changed, err
}

// putUniqueStatus is PutStatusTx for a status whose label must be unique.
func (s *Service) putUniqueStatus(ctx context.Context, tx *store.DB, status *parley.TicketStatus) error {
	list, err := tx.Statuses(ctx, status.AgentRef(), false)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(other parley.TicketStatus) bool { return SameStatus(&other, status) }) {
		return parley.Invalid("internalLabel",
			"another status of the category "+string(status.Category)+" that is in use has this label")
	}
	return s.PutStatusTx(ctx, tx, status)
}

// SameStatus reports whether people would take the two statuses for one: both are in use, of one category, and their
// internal labels differ in case at most.
func SameStatus(a, b *parley.TicketStatus) bool {
	return a.ID != b.ID && a.ArchivedAt == nil && b.ArchivedAt == nil && a.Category == b.Category &&
		strings.EqualFold(a.InternalLabel, b.InternalLabel)
}

// PutStatusTx stores a status, in place of the one with its id, after SetupTx. Each category has exactly one default:
// a new one replaces the old one, and none can be unset. Fails with VALIDATION_INVALID_BODY. It does not write to the
// audit chain, nor compare labels: several statuses may swap them.
func (s *Service) PutStatusTx(ctx context.Context, tx *store.DB, status *parley.TicketStatus) error {
	if err := checkStatus(status); err != nil {
		return err
	}
	before, err := tx.Status(ctx, status.AgentRef(), status.ID)
	switch {
	case parley.IsCode(err, parley.CodeTicketStatus):
		before = &parley.TicketStatus{Category: status.Category}
	case err != nil:
		return err
	}
	switch {
	case before.Category != status.Category:
		return parley.Invalid("category", "of a status stays as it is; make another status")
	case before.IsDefault && !status.IsDefault:
		return parley.Invalid("default", "must stay until another status of the category is made the default")
	case !before.IsDefault && status.IsDefault:
		if err := tx.UnsetDefault(ctx, status.AgentRef(), status.Category, status.UpdatedAt); err != nil {
			return err
		}
	}
	return duplicateFault(tx.PutStatus(ctx, status), "key", "the agent has another status of this key")
}

// duplicateFault turns a uniqueness error of the database into a fault of the field.
func duplicateFault(err error, field, problem string) error {
	if sqldb.IsDuplicate(err) {
		return parley.Invalid(field, problem)
	}
	return err
}
