package manifest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// statusSpec is a ticket status as manifests write it. One without a key is recognized by its category and label.
type statusSpec struct {
	Key      string `json:"key,omitempty"`
	Category string `json:"category" enum:"@statusCategory"`
	Label    string `json:"label" min:"1" max:"100"` // what the team reads
	// what customers read; the label where it is absent
	ExternalLabel string            `json:"externalLabel,omitempty" min:"1" max:"100"`
	Color         *string           `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$"`
	Default       httpapi.Opt[bool] `json:"default,omitzero"`
	Archived      bool              `json:"archived,omitempty"`
}

func encodeStatus(s *parley.TicketStatus) json.RawMessage {
	spec := statusSpec{Key: s.Key, Category: string(s.Category), Label: s.InternalLabel, Color: nonEmpty(s.Color),
		Archived: s.ArchivedAt != nil}
	if s.ExternalLabel != s.InternalLabel {
		spec.ExternalLabel = s.ExternalLabel
	}
	if s.IsDefault {
		spec.Default = httpapi.Some(true)
	}
	return mustJSON(spec)
}

var statusKind = kind[parley.TicketStatus]{
	noun:       "status",
	key:        func(s *parley.TicketStatus) string { return s.Key },
	encode:     encodeStatus,
	name:       func(s *parley.TicketStatus) string { return statusName(string(s.Category), s.InternalLabel) },
	position:   func(s *parley.TicketStatus) int { return s.Position },
	group:      func(s *parley.TicketStatus) string { return string(s.Category) },
	entryName:  func(text json.RawMessage) string { return statusName(categoryAndLabel(text)) },
	entryGroup: func(text json.RawMessage) string { category, _ := categoryAndLabel(text); return category },
	resetting:  []string{"default", "archived"},
}

// categoryAndLabel reads category and label of an entry; what is wrong with them is found elsewhere.
func categoryAndLabel(text json.RawMessage) (category, label string) {
	var s struct{ Category, Label string }
	_ = json.Unmarshal(text, &s)
	return s.Category, s.Label
}

func statusName(category, label string) string { return category + " " + strings.ToLower(label) }

// planStatuses plans the ticket statuses. A status that is removed is archived: tickets may have it.
func (r *applyRun) planStatuses(t *target, p *helpdeskPlan) {
	path := t.path + ".helpdesk.statuses"
	c := reconcileSection(r.faults, statusKind, path, t.Helpdesk.Value.Statuses, p.current.Statuses, r.Prune)
	var all []plannedRow[parley.TicketStatus]
	for i := range c.entries {
		if row, ok := r.planStatus(t, &c.entries[i]); ok {
			all = append(all, row)
		}
	}
	for _, u := range statusKind.unlistedRows(c) {
		if u.isRemoved && u.row.ArchivedAt == nil {
			u.row.ArchivedAt, u.row.UpdatedAt, u.path = &t.now, t.now, path
		}
		all = append(all, u)
	}
	for _, category := range parley.StatusCategories() {
		defaultChoice[parley.TicketStatus]{
			appliesTo: func(s *parley.TicketStatus) bool { return s.Category == category },
			isDefault: func(s *parley.TicketStatus) *bool { return &s.IsDefault },
			noun:      "status of the category " + string(category),
		}.choose(r.faults, all)
	}
	for i := range all {
		if s := &all[i].row; s.IsDefault && s.ArchivedAt != nil {
			r.faults.add(all[i].faultPath(path, "archived"), "the default status of the category "+string(s.Category)+
				" ("+s.InternalLabel+") cannot be archived; make another one the default")
		}
	}
	r.checkUniqueLabels(all)
	p.statuses = statusKind.changedRows(t, all, func(s *parley.TicketStatus) string { return s.InternalLabel })
}

// planStatus returns the status of an entry; ok is false if the entry has faults.
func (r *applyRun) planStatus(t *target,
	e *entry[parley.TicketStatus]) (p plannedRow[parley.TicketStatus], ok bool) {
	var spec statusSpec
	if !r.faults.decode(e.path, e.merged, &spec) {
		return p, false
	}
	s := parley.TicketStatus{ID: parley.StatusID(t.nextID()), AccountID: r.Account.ID, AgentID: t.agent.ID,
		Category: parley.StatusCategory(spec.Category), CreatedAt: t.now}
	if e.existing != nil {
		s = *e.existing
		if string(s.Category) != spec.Category {
			r.faults.add(e.path+".category", "cannot change, since tickets have this status; archive it and make another one")
		}
	}
	s.Key, s.Position, s.UpdatedAt = e.key, e.position, t.now
	s.InternalLabel, s.ExternalLabel = spec.Label, cmp.Or(spec.ExternalLabel, spec.Label)
	s.Color = ""
	if spec.Color != nil {
		s.Color = *spec.Color
	}
	s.ArchivedAt = cmp.Or(s.ArchivedAt, &t.now)
	if !spec.Archived {
		s.ArchivedAt = nil
	}
	return plannedRow[parley.TicketStatus]{entry: *e, row: s, wantsDefault: spec.Default, hasEntry: true}, true
}

// checkUniqueLabels refuses statuses that people would take for the same one.
func (r *applyRun) checkUniqueLabels(all []plannedRow[parley.TicketStatus]) {
	for i := range all {
		p := &all[i]
		if !p.hasEntry {
			continue
		}
		for j := range all {
			other := &all[j]
			if helpdesk.SameStatus(&p.row, &other.row) && (!other.hasEntry || j < i) {
				reason := "another status of the category " + string(p.row.Category) + " that is in use has this label"
				r.faults.add(p.path+".label", reason)
			}
		}
	}
}

// writeStatuses stores the new defaults first: that ends the old ones.
func (r *applyRun) writeStatuses(ctx context.Context, p *helpdeskPlan) error {
	slices.SortStableFunc(p.statuses, func(a, b parley.TicketStatus) int { return trueFirst(a.IsDefault, b.IsDefault) })
	for i := range p.statuses {
		if err := r.Helpdesk.PutStatusTx(ctx, r.tx, &p.statuses[i]); err != nil {
			return err
		}
	}
	return nil
}
