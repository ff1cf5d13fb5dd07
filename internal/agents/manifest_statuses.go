package agents

import (
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

var statusKind = namedKind[parley.TicketStatus]{
	entryKind: entryKind[parley.TicketStatus]{
		part:     "status",
		key:      func(s *parley.TicketStatus) string { return s.Key },
		position: func(s *parley.TicketStatus) int { return s.Position },
		encode:   showStatus,
	},
	name: func(s *parley.TicketStatus) string { return statusName(string(s.Category), s.InternalLabel) },
	entryName: func(text json.RawMessage) string {
		category, label := categoryAndLabel(text)
		return statusName(category, label)
	},
	noun:            "status",
	unmergedMembers: []string{"default", "archived"},
	groupOf:         func(s *parley.TicketStatus) string { return string(s.Category) },
	entryGroup:      func(text json.RawMessage) string { category, _ := categoryAndLabel(text); return category },
}

// categoryAndLabel reads category and label of an entry; what is wrong with them is found elsewhere.
func categoryAndLabel(text json.RawMessage) (category, label string) {
	var s struct{ Category, Label string }
	_ = json.Unmarshal(text, &s)
	return s.Category, s.Label
}

func statusName(category, label string) string { return category + " " + strings.ToLower(label) }

// plannedRow is something of a helpdesk as it will be, with the entry that is about it; none is about what only changes because of
// another one.
type plannedRow[T any] struct {
	entry[T]
	row          T
	wantsDefault httpapi.Opt[bool] // what the entry says of default
	hasEntry     bool              // there is an entry
}

// planStatuses finds out how the statuses will be.
func (w *applyRun) planStatuses(t *target, d *helpdeskPlan) {
	path := t.path + ".helpdesk.statuses"
	section := t.Helpdesk.Value.Statuses
	list := statusKind.matchNamed(w.faults, path, section.Value, d.current.Statuses)
	var all []plannedRow[parley.TicketStatus]
	for _, e := range list {
		if p, ok := w.planStatus(t, d, e); ok {
			all = append(all, p)
		}
	}
	all = append(all, unmentionedRows(statusKind.entryKind, list, d.current.Statuses)...)
	for _, s := range statusKind.removed(section, list, d.current.Statuses, w.Prune) {
		for i := range all {
			if r := &all[i].row; s.Key != "" && r.ID == s.ID && r.ArchivedAt == nil {
				r.ArchivedAt, r.UpdatedAt = &t.now, t.now
				all[i].path = path
			}
		}
	}
	for _, c := range parley.StatusCategories() {
		defaultPicker[parley.TicketStatus]{
			appliesTo: func(s *parley.TicketStatus) bool { return s.Category == c },
			isDefault: func(s *parley.TicketStatus) *bool { return &s.IsDefault },
			noun:      "status of the category " + string(c),
		}.choose(w.faults, all)
	}
	for i := range all {
		if p := &all[i]; p.row.IsDefault && p.row.ArchivedAt != nil {
			w.faults.add(p.faultPath(path, "archived"), "the default status of the category "+string(p.row.Category)+" ("+p.row.InternalLabel+") cannot be archived; make another one the default")
		}
	}
	w.checkUniqueLabels(all)
	d.statuses = changedRows(t, statusKind.entryKind, all, func(s *parley.TicketStatus) string { return s.InternalLabel })
}

// planStatus makes a status of its entry, beside what is there.
func (w *applyRun) planStatus(t *target, d *helpdeskPlan, e entry[parley.TicketStatus]) (p plannedRow[parley.TicketStatus], ok bool) {
	var m ManifestStatus
	if err := httpapi.Decode(e.merged, &m); err != nil {
		_ = w.faults.addError(e.path, err) // httpapi.Decode fails with faults only
		return p, false
	}
	s := parley.TicketStatus{ID: parley.StatusID(d.nextID()), AccountID: w.Account.ID, AgentID: t.agent.ID, Category: parley.StatusCategory(m.Category), CreatedAt: t.now}
	if e.current != nil {
		s = *e.current
		if string(s.Category) != m.Category {
			w.faults.add(e.path+".category", "cannot change, since tickets have this status; archive it and make another one")
		}
	}
	s.Key, s.InternalLabel, s.ExternalLabel, s.Position, s.UpdatedAt = e.key, m.Label, m.ExternalLabel, e.position, t.now
	if s.ExternalLabel == "" {
		s.ExternalLabel = m.Label
	}
	s.Color = ""
	if m.Color != nil {
		s.Color = *m.Color
	}
	switch {
	case !m.Archived:
		s.ArchivedAt = nil
	case s.ArchivedAt == nil:
		s.ArchivedAt = &t.now
	}
	return plannedRow[parley.TicketStatus]{entry: e, row: s, wantsDefault: m.Default, hasEntry: true}, true
}

// checkUniqueLabels finds fault with statuses that people would take for one.
func (w *applyRun) checkUniqueLabels(all []plannedRow[parley.TicketStatus]) {
	for i := range all {
		p := &all[i]
		if !p.hasEntry {
			continue
		}
		for j := range all {
			if other := &all[j]; helpdesk.SameStatus(&p.row, &other.row) && (!other.hasEntry || j < i) {
				w.faults.add(p.path+".label", "another status of the category "+string(p.row.Category)+" that is in use has this label")
			}
		}
	}
}
