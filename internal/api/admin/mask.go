package admin

import (
	"reflect"

	"parley/internal/access"
	"parley/internal/insight"
	"parley/internal/synonym"
	"parley/internal/text/redact"
)

// What viewers read in place of personal data that is a field of its own. Within texts it is masked in the same form.
const (
	nameMask  = "[name]"
	emailMask = "[email]"
	phoneMask = "[phone]"
	idMask    = "[id]"
)

// fromCustomer is the sender of a ticket's message that a customer wrote.
const fromCustomer = "customer"

// personal is what may hold personal data of customers.
type personal interface{ hidePersonalData() }

// hidePersonalData masks the personal data of customers in what a member gets whose role is not shown it.
func (s *Service) hidePersonalData(out any) {
	if s.member == nil || access.SeesPersonalData(*s.member) {
		return
	}
	hideIn(reflect.ValueOf(out).Elem())
}

// hideIn masks personal data in a value, or in each item of a list.
func hideIn(v reflect.Value) {
	switch out := v.Addr().Interface().(type) {
	case personal:
		out.hidePersonalData()
		return
	case *insight.Report:
		hideInReport(out)
		return
	case *synonym.Proposals:
		hideInProposals(out)
		return
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			hideIn(v.Index(i))
		}
	}
}

func hideInReport(r *insight.Report) {
	for i := range r.Lacks {
		maskText(&r.Lacks[i].Example)
	}
}

func hideInProposals(p *synonym.Proposals) {
	for i := range p.Proposals {
		for j := range p.Proposals[i].Answers {
			maskText(&p.Proposals[i].Answers[j].Question)
		}
	}
}

// mask replaces a value that is there.
func mask(value *string, with string) {
	if *value != "" {
		*value = with
	}
}

func maskText(text *string) { *text = redact.Text(*text) }

func (p *Page[T]) hidePersonalData() { hideIn(reflect.ValueOf(&p.Data).Elem()) }

func (c *Conversation) hidePersonalData() { mask(&c.UserID, idMask) }

func (r *InboxRow) hidePersonalData() {
	r.Conversation.hidePersonalData()
	maskText(&r.Title)
	mask(&r.Customer, nameMask)
	if r.LastMessage != nil {
		maskText(&r.LastMessage.Text)
	}
}

func (p *FoundRowPage) hidePersonalData() { hideIn(reflect.ValueOf(&p.Data).Elem()) }

// hidePersonalData masks the excerpt as a whole: what is personal in it may be in several parts.
func (r *FoundRow) hidePersonalData() {
	r.InboxRow.hidePersonalData()
	whole := ""
	for _, part := range r.Snippet {
		whole += part.Text
	}
	if masked := redact.Text(whole); masked != whole {
		r.Snippet = []SnippetPart{{Text: masked}}
	}
}

func (t *Thread) hidePersonalData() {
	t.InboxRow.hidePersonalData()
	maskText(&t.PageTitle)
	if t.Person != nil {
		t.Person.hidePersonalData()
	}
	for i := range t.Entries {
		t.Entries[i].hidePersonalData()
	}
}

func (e *ThreadEntry) hidePersonalData() {
	for i := range e.Parts {
		p := &e.Parts[i]
		maskText(&p.Text)
		p.Input, p.Output = redact.JSON(p.Input), redact.JSON(p.Output)
	}
	for i := range e.Files {
		e.Files[i].hidePersonalData()
	}
	maskText(&e.Comment)
	if e.Event != nil {
		maskText(&e.Event.Reason)
	}
}

func (f *ThreadFile) hidePersonalData() {
	maskText(&f.Name)
	f.Address = ""
}

func (l *SavedViewList) hidePersonalData() {
	for i := range l.SavedViews {
		maskText(&l.SavedViews[i].Name)
		maskText(&l.SavedViews[i].Filter.Query)
	}
}

func (c *CountedConversation) hidePersonalData() { maskText(&c.Title) }

func (v *VoiceSession) hidePersonalData() { mask(&v.UserID, idMask) }

func (c *Customer) hidePersonalData() {
	mask(&c.Email, emailMask)
	mask(&c.Name, nameMask)
	mask(&c.Phone, phoneMask)
	mask(&c.ExternalID, idMask)
}

func (c *CustomerDetails) hidePersonalData() {
	c.Customer.hidePersonalData()
	c.Attributes = []CustomerAttribute{} // anything may be in them
	for i := range c.Conversations {
		c.Conversations[i].hidePersonalData()
	}
	for i := range c.Tickets {
		c.Tickets[i].hidePersonalData()
	}
}

func (l *Lead) hidePersonalData() {
	mask(&l.Email, emailMask)
	mask(&l.Name, nameMask)
	mask(&l.Phone, phoneMask)
	l.Fields = []LeadField{} // anything may be in them
}

func (t *Ticket) hidePersonalData() {
	maskText(&t.Subject)
	maskText(&t.Description)
	t.Customer.hidePersonalData()
}

func (t *TicketDetails) hidePersonalData() {
	t.Ticket.hidePersonalData()
	for i := range t.Messages {
		t.Messages[i].hidePersonalData()
	}
}

func (m *TicketMessage) hidePersonalData() {
	if m.From == fromCustomer {
		mask(&m.Name, nameMask)
		mask(&m.Email, emailMask)
	}
	maskText(&m.Text)
	for i := range m.Files {
		m.Files[i].hidePersonalData()
	}
}

func (e *Explanation) hidePersonalData() {
	for i := range e.Turns {
		t := &e.Turns[i]
		t.TurnTrace.hidePersonalData()
		for j := range t.Tools {
			t.Tools[j].Input, t.Tools[j].Output = redact.JSON(t.Tools[j].Input), redact.JSON(t.Tools[j].Output)
		}
	}
}

func (t *TurnTrace) hidePersonalData() {
	maskText(&t.Question)
	maskText(&t.Answer)
	maskText(&t.Error)
}
