package agents

import (
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/wire"
)

var statusKind = named[parley.TicketStatus]{
	kind: kind[parley.TicketStatus]{
		part:  "status",
		key:   func(s *parley.TicketStatus) string { return s.Key },
		place: func(s *parley.TicketStatus) int { return s.Position },
		show:  showStatus,
	},
	name: func(s *parley.TicketStatus) string { return statusName(string(s.Category), s.InternalLabel) },
	word: func(text json.RawMessage) string {
		category, label := labelled(text)
		return statusName(category, label)
	},
	noun:   "status",
	silent: []string{"default", "archived"},
	group:  func(s *parley.TicketStatus) string { return string(s.Category) },
	within: func(text json.RawMessage) string { category, _ := labelled(text); return category },
}

// labelled reads category and label of an entry; what is wrong with them is found elsewhere.
func labelled(text json.RawMessage) (category, label string) {
	var s struct{ Category, Label string }
	_ = json.Unmarshal(text, &s)
	return s.Category, s.Label
}

func statusName(category, label string) string { return category + " " + strings.ToLower(label) }

// planned is something of a helpdesk as it will be, with the entry that is about it; none is about what only changes because of
// another one.
type planned[T any] struct {
	entry[T]
	row     T
	claim   wire.Opt[bool] // what the entry says of default
	managed bool           // there is an entry
}

// planStatuses finds out how the statuses will be.
func (w *work) planStatuses(t *target, d *deskPlan) {
	path := t.path + ".helpdesk.statuses"
	section := t.Helpdesk.Value.Statuses
	list := statusKind.pairNamed(w.faults, path, section.Value, d.there.Statuses)
	var all []planned[parley.TicketStatus]
	for _, e := range list {
		if p, ok := w.planStatus(t, d, e); ok {
			all = append(all, p)
		}
	}
	all = append(all, rest(statusKind.kind, list, d.there.Statuses)...)
	for _, s := range statusKind.gone(section, list, d.there.Statuses, w.Prune) {
		for i := range all {
			if r := &all[i].row; s.Key != "" && r.ID == s.ID && r.ArchivedAt == nil {
				r.ArchivedAt, r.UpdatedAt = &t.now, t.now
				all[i].path = path
			}
		}
	}
	for _, c := range parley.StatusCategories() {
		claims[parley.TicketStatus]{
			of:   func(s *parley.TicketStatus) bool { return s.Category == c },
			flag: func(s *parley.TicketStatus) *bool { return &s.IsDefault },
			noun: "status of the category " + string(c),
		}.settle(w.faults, all)
	}
	for i := range all {
		if p := &all[i]; p.row.IsDefault && p.row.ArchivedAt != nil {
			w.faults.say(p.at(path, "archived"), "the default status of the category "+string(p.row.Category)+" ("+p.row.InternalLabel+") cannot be archived; make another one the default")
		}
	}
	w.distinct(all)
	d.statuses = changedRows(t, statusKind.kind, all, func(s *parley.TicketStatus) string { return s.InternalLabel })
}

// planStatus makes a status of its entry, beside what is there.
func (w *work) planStatus(t *target, d *deskPlan, e entry[parley.TicketStatus]) (p planned[parley.TicketStatus], ok bool) {
	var m ManifestStatus
	if err := wire.Decode(e.given, &m); err != nil {
		_ = w.faults.take(e.path, err) // wire.Decode fails with faults only
		return p, false
	}
	s := parley.TicketStatus{ID: parley.StatusID(d.id()), AccountID: w.Account.ID, AgentID: t.agent.ID, Category: parley.StatusCategory(m.Category), CreatedAt: t.now}
	if e.there != nil {
		s = *e.there
		if string(s.Category) != m.Category {
			w.faults.say(e.path+".category", "cannot change, since tickets have this status; archive it and make another one")
		}
	}
	s.Key, s.InternalLabel, s.ExternalLabel, s.Position, s.UpdatedAt = e.key, m.Label, m.ExternalLabel, e.place, t.now
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
	return planned[parley.TicketStatus]{entry: e, row: s, claim: m.Default, managed: true}, true
}

// distinct finds fault with statuses that people would take for one.
func (w *work) distinct(all []planned[parley.TicketStatus]) {
	for i := range all {
		p := &all[i]
		if !p.managed {
			continue
		}
		for j := range all {
			if other := &all[j]; helpdesk.SameStatus(&p.row, &other.row) && (!other.managed || j < i) {
				w.faults.say(p.path+".label", "another status of the category "+string(p.row.Category)+" that is in use has this label")
			}
		}
	}
}
