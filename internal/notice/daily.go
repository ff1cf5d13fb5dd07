package notice

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/mail"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// dailyHour is the hour of the day at which the mails about the day before are sent, in the account's time zone.
const dailyHour = 8

// maxDailyRows is how many leads or conversations a daily mail lists.
const maxDailyRows = 20

// daily is the payload of the job that mails one address what happened on a day.
type daily struct {
	Agent parley.AgentID `json:"agent"`
	Kind  mail.Kind      `json:"kind"`
	Email string         `json:"email"`
	Day   string         `json:"day"` // such as 2026-11-28
	Zone  string         `json:"zone"`
}

// dailySetting is one of an agent's daily mails (docs/interface/agents.md#record).
type dailySetting struct {
	Active bool     `json:"active"`
	Emails []string `json:"emails"`
}

// EnqueueDailyMails writes down the daily mails of the agents for which a day is over.
func (s *Service) EnqueueDailyMails(ctx context.Context) error {
	agents, err := s.DB.DailyMails(ctx)
	if err != nil {
		return err
	}
	for _, a := range agents {
		if err := s.enqueueDaily(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) enqueueDaily(ctx context.Context, a store.DailyMailSettings) error {
	day := s.Now().In(zone(a.TimeZone)).Add(-dailyHour*time.Hour).AddDate(0, 0, -1).Format(time.DateOnly)
	list := dailyMails(a, day)
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		begins, err := tx.BeginDailyMails(ctx, a.Agent, day)
		if err != nil || !begins {
			return err
		}
		for _, d := range list {
			key := strings.Join([]string{string(d.Agent), string(d.Kind), d.Day, d.Email}, "/")
			if err := s.Queue.Enqueue(ctx, tx.SQL(), newJob(dailyJob, key, a.Agent.Account, d)); err != nil {
				return err
			}
		}
		return nil
	})
}

// dailyMails returns the mails of a day that an agent's settings ask for, one for each address.
func dailyMails(a store.DailyMailSettings, day string) (list []daily) {
	var settings struct {
		Leads         dailySetting `json:"dailyLeadsCollected"`
		Conversations dailySetting `json:"dailyConversations"`
	}
	if json.Unmarshal(a.Notifications, &settings) != nil {
		return nil
	}
	for kind, setting := range map[mail.Kind]dailySetting{mail.DailyLeads: settings.Leads,
		mail.DailyConversations: settings.Conversations} {
		if !setting.Active {
			continue
		}
		for _, email := range setting.Emails {
			list = append(list, daily{a.Agent.Agent, kind, email, day, a.TimeZone})
		}
	}
	slices.SortFunc(list, func(a, b daily) int { return strings.Compare(string(a.Kind)+a.Email, string(b.Kind)+b.Email) })
	return list
}

// zone returns a time zone, UTC for an unknown name.
func zone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return l
}

// runDailyJob mails one address what happened at an agent on a day. Of a day without anything nothing is mailed.
func (s *Service) runDailyJob(ctx context.Context, j jobs.Job) error {
	d, err := jobs.DecodePayload[daily](j)
	if err != nil {
		return err
	}
	agent, isWithheld, err := s.findAgent(ctx, j.AccountID.AgentRef(d.Agent))
	if err != nil {
		return ignoreGone(err)
	}
	facts, err := s.dailyFacts(ctx, agent, d)
	if err != nil || facts.Count == 0 {
		return err
	}
	if isWithheld {
		facts.Quote = ""
	}
	m, err := mail.ComposeNotice(d.Kind, s.localeOf(ctx, d.Email), facts, facts.Link)
	if err != nil {
		return err
	}
	return s.send(ctx, m, d.Kind)
}

func (s *Service) dailyFacts(ctx context.Context, agent *parley.Agent, d daily) (f mail.Facts, err error) {
	from, err := time.ParseInLocation(time.DateOnly, d.Day, zone(d.Zone))
	if err != nil {
		return f, err
	}
	before := from.AddDate(0, 0, 1)
	f = mail.Facts{Agent: agent.Name, Day: d.Day, Email: d.Email,
		Link: s.ConsoleURL + "/agents/" + string(agent.ID) + "/settings"}
	if d.Kind == mail.DailyLeads {
		f.Count, f.Quote, err = s.leadsOfDay(ctx, agent.Ref(), from, before)
	} else {
		f.Count, f.Quote, err = s.conversationsOfDay(ctx, agent.Ref(), from, before)
	}
	return f, err
}

// leadsOfDay returns how many leads there were, and the newest of them, one a line.
func (s *Service) leadsOfDay(ctx context.Context, ref parley.AgentRef, from, before time.Time) (int, string, error) {
	filter := store.LeadFilter{CreatedFrom: &from, CreatedBefore: &before}
	n, err := s.DB.CountLeads(ctx, ref, filter)
	if err != nil {
		return 0, "", err
	}
	list, err := s.DB.LeadsAtOffset(ctx, ref, filter, 0, maxDailyRows)
	lines := make([]string, len(list))
	for i, l := range list {
		facts := slices.DeleteFunc([]string{l.Name, l.Email, l.Phone}, func(text string) bool { return text == "" })
		lines[i] = strings.Join(facts, " · ")
	}
	return n, strings.Join(lines, "\n"), err
}

// conversationsOfDay returns how many conversations there were, and the titles of the newest, one a line.
func (s *Service) conversationsOfDay(ctx context.Context, ref parley.AgentRef,
	from, before time.Time) (int, string, error) {
	filter := store.ConversationFilter{CreatedFrom: &from, CreatedBefore: &before}
	page, err := s.DB.Conversations(ctx, ref, filter, parley.PageRequest{Limit: maxDailyRows})
	if err != nil {
		return 0, "", err
	}
	var titles []string
	for _, c := range page.Items {
		if c.Title != "" {
			titles = append(titles, c.Title)
		}
	}
	return page.Total, strings.Join(titles, "\n"), nil
}

// localeOf returns the language of whoever has the address here; the empty text if nobody does.
func (s *Service) localeOf(ctx context.Context, email string) string {
	found, err := s.DB.FindUserByEmail(ctx, email)
	if err != nil || found == nil {
		return ""
	}
	p, err := s.DB.Profile(ctx, found.User.ID)
	if err != nil {
		return ""
	}
	return p.Locale
}
