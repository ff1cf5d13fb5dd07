package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/store"
	"parley/internal/webhook"
)

// rules are what the rows of an account must hold to besides the form of their columns. The programs that write them
// see to it, and an account without it could never be used, or mended.
type rules struct {
	checkAction func(*parley.Action) error // nil checks nothing

	pictures    map[string]bool       // the ids of blobs that agents show
	categories  map[string]string     // of statuses, by their ids
	lastNumbers map[string]int64      // of tickets, by agent
	defaults    map[string]firstOfAll // of what has one default, by what that is for
}

// firstOfAll is the first of several rows of which one must be the default.
type firstOfAll struct {
	line       int
	hasDefault bool
}

func newRules(checkAction func(*parley.Action) error) *rules {
	return &rules{checkAction: checkAction, pictures: map[string]bool{}, categories: map[string]string{},
		lastNumbers: map[string]int64{}, defaults: map[string]firstOfAll{}}
}

// The bounds of what programs write.
const (
	maxOwnNameRunes = 255 // of accounts and members
	maxEmailBytes   = 320 // of members
)

// namedRow is a row with its columns by name.
type namedRow struct {
	table *store.ArchiveTable
	row   []any
	line  int
}

// text returns a text or JSON; empty for null.
func (r namedRow) text(column string) string {
	text, _ := r.row[r.table.ColumnIndex(column)].(string)
	return text
}

func (r namedRow) number(column string) int64 {
	n, _ := r.row[r.table.ColumnIndex(column)].(int64)
	return n
}

// time returns a time; nil for null.
func (r namedRow) time(column string) *time.Time {
	millis, ok := r.row[r.table.ColumnIndex(column)].(int64)
	if !ok {
		return nil
	}
	at := time.UnixMilli(millis)
	return &at
}

// rowRules are the rules of each table that has some.
var rowRules = map[string]func(*rules, namedRow) error{
	"accounts":        (*rules).checkAccount,
	"users":           (*rules).checkUser,
	"agents":          (*rules).checkAgent,
	"settings":        (*rules).checkSetting,
	"webhooks":        (*rules).checkWebhook,
	"actions":         (*rules).checkActionRow,
	"blobs":           (*rules).checkBlob,
	"sources":         (*rules).checkAddress,
	"crawl_pages":     (*rules).checkAddress,
	"passages":        (*rules).checkPassage,
	"messages":        (*rules).checkMessage,
	"ticket_statuses": (*rules).checkStatus,
	"teams":           (*rules).checkTeam,
	"team_members":    (*rules).checkHours,
	"routing_rules":   (*rules).checkRoutingRule,
	"helpdesks":       (*rules).checkHelpdesk,
	"tickets":         (*rules).checkTicket,
}

// check fails if a row breaks a rule. Rows come in the order of the archive.
func (r *rules) check(row namedRow) error {
	if rule := rowRules[row.table.Name]; rule != nil {
		return rule(r, row)
	}
	return nil
}

func checkOwnName(name string) error {
	if utf8.RuneCountInString(name) > maxOwnNameRunes {
		return fmt.Errorf("name: it has more than %d characters", maxOwnNameRunes)
	}
	return nil
}

// checkVisible fails where nobody could see a name.
func (r namedRow) checkVisible(column string) error {
	if !parley.IsVisible(r.text(column)) {
		return fmt.Errorf("%s: it has no character that can be seen", column)
	}
	return nil
}

func (*rules) checkAccount(row namedRow) error {
	if _, err := time.LoadLocation(row.text("time_zone")); err != nil {
		return errors.New("time_zone: it is no time zone")
	}
	return errors.Join(row.checkVisible("name"), checkOwnName(row.text("name")))
}

func (*rules) checkUser(row namedRow) error {
	email := row.text("email")
	at := strings.LastIndexByte(email, '@')
	if at < 1 || at == len(email)-1 || len(email) > maxEmailBytes || strings.ContainsAny(email, " \t\r\n<>,;") {
		return errors.New("email: it is no e-mail address")
	}
	return checkOwnName(row.text("name"))
}

func (r *rules) checkAgent(row namedRow) error {
	r.pictures[row.text("icon_blob")], r.pictures[row.text("picture_blob")] = true, true
	if temp, ok := row.row[row.table.ColumnIndex("temp")].(float64); !ok || temp < 0 || temp > 1 {
		return errors.New("temp: it is not from 0 to 1")
	}
	var limit parley.DeviceLimit // its form was checked before
	_ = json.Unmarshal([]byte(row.text("rate_limit")), &limit)
	if limit.Limit < 0 || limit.Timeframe < 0 {
		return errors.New("rate_limit: it has a number below 0")
	}
	a := parley.Agent{Voice: json.RawMessage(row.text("voice"))}
	if _, err := a.VoiceSettings(); err != nil {
		return errors.New("voice: it does not have the form of settings")
	}
	return row.checkVisible("name")
}

// checkSetting checks for how many days an agent keeps recordings.
func (*rules) checkSetting(row namedRow) error {
	if days, err := strconv.Atoi(row.text("value")); err != nil || days < 0 {
		return errors.New("value: it is no number of days")
	}
	return nil
}

func (*rules) checkWebhook(row namedRow) error {
	if fault := webhook.EndpointFault(row.text("endpoint")); fault != "" {
		return errors.New("endpoint: it " + fault)
	}
	known := parley.WebhookEvents()
	if row.text("channel") != "" {
		if err := checkChannel(row); err != nil {
			return err
		}
		known = parley.ChannelEvents()
	}
	var events []parley.EventKind // their form was checked before
	_ = json.Unmarshal([]byte(row.text("events")), &events)
	for _, e := range events {
		if !slices.Contains(known, e) {
			return fmt.Errorf("events: %q is no event that it is sent", e)
		}
	}
	return nil
}

// checkChannel checks a webhook by which messages come in.
func checkChannel(row namedRow) error {
	if !slices.Contains(parley.MessengerChannels(), parley.Channel(row.text("channel"))) {
		return errors.New("channel: it is none of a messenger")
	}
	if row.text("agent_id") == "" {
		return errors.New("agent_id: a channel needs an agent")
	}
	return row.checkVisible("name")
}

func (r *rules) checkActionRow(row namedRow) error {
	if r.checkAction == nil {
		return nil
	}
	a := parley.Action{Key: row.text("key"), Kind: parley.ActionKind(row.text("kind")), Name: row.text("name"),
		Description: row.text("description"), Config: json.RawMessage(row.text("config"))}
	_ = json.Unmarshal([]byte(row.text("triggers")), &a.Triggers) // their form was checked before
	_ = json.Unmarshal([]byte(row.text("inputs")), &a.Inputs)
	return describeInvalid(r.checkAction(&a))
}

// describeInvalid says which fields are wrong, and why.
func describeInvalid(err error) error {
	known, ok := errors.AsType[*parley.Error](err)
	if !ok || len(known.Details) == 0 {
		return err
	}
	var list []string
	for _, field := range slices.Sorted(maps.Keys(known.Details)) {
		list = append(list, field+" "+known.Details[field])
	}
	return errors.New(strings.Join(list, "; "))
}

// checkBlob refuses what agents show and is no picture: everybody gets it from the address of the server.
func (r *rules) checkBlob(row namedRow) error {
	if _, _, err := mime.ParseMediaType(row.text("media_type")); err != nil && row.text("media_type") != "" {
		return errors.New("media_type: it is no type of a file")
	}
	if r.pictures[row.text("id")] && !strings.HasPrefix(row.text("media_type"), "image/") {
		return errors.New("media_type: an agent shows the file, and it is no picture")
	}
	return nil
}

// checkAddress checks the address of a source or of a page that was read for one.
func (*rules) checkAddress(row namedRow) error {
	text := strings.ToLower(row.text("url"))
	if text == "" || strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return nil
	}
	return errors.New("url: it is no http or https URL")
}

func (*rules) checkPassage(row namedRow) error {
	if row.number("end_byte") < row.number("start_byte") {
		return errors.New("end_byte: it is before the start")
	}
	return nil
}

func (*rules) checkHours(row namedRow) error {
	var hours []parley.WorkingHours // their form was checked before
	_ = json.Unmarshal([]byte(row.text("hours")), &hours)
	return describeInvalid(helpdesk.CheckHours("hours", hours))
}

func (*rules) checkRoutingRule(row namedRow) error {
	rule := parley.Rule{Key: row.text("key"), Name: row.text("name")}
	rule.TeamID = "any" // the team and the member of an old rule may be gone

	_ = json.Unmarshal([]byte(row.text("all_of")), &rule.All) // their form was checked before
	_ = json.Unmarshal([]byte(row.text("any_of")), &rule.Any)
	return describeInvalid(helpdesk.CheckRule(&rule))
}

func (*rules) checkMessage(row namedRow) error {
	if row.number("seq") < 1 {
		return errors.New("seq: it is no number of a message")
	}
	return nil
}

func (r *rules) checkStatus(row namedRow) error {
	r.categories[row.text("id")] = row.text("category")
	if err := errors.Join(row.checkVisible("internal_label"), row.checkVisible("external_label")); err != nil {
		return err
	}
	r.noteDefault("statuses of the category "+row.text("category")+" of the agent "+row.text("agent_id"), row)
	return nil
}

func (r *rules) checkTeam(row namedRow) error {
	r.noteDefault("teams of the agent "+row.text("agent_id"), row)
	return errors.Join(row.checkVisible("name"), r.checkHours(row))
}

// noteDefault notes whether one of several rows is the default. No two are: the database refuses that.
func (r *rules) noteDefault(of string, row namedRow) {
	first, isKnown := r.defaults[of]
	if !isKnown {
		first.line = row.line
	}
	first.hasDefault = first.hasDefault || row.number("is_default") == 1
	r.defaults[of] = first
}

// checkDefaults fails if rows of a table that was read have no default.
func (r *rules) checkDefaults(table string) error {
	for _, of := range slices.Sorted(maps.Keys(r.defaults)) {
		if first := r.defaults[of]; !first.hasDefault {
			return fmt.Errorf("%s, line %d: none of the %s is the default", recordsName(table), first.line, of)
		}
	}
	clear(r.defaults)
	return nil
}

func (r *rules) checkHelpdesk(row namedRow) error {
	r.lastNumbers[row.text("agent_id")] = row.number("last_number")
	var targets []parley.SLATarget
	if text := row.text("targets"); text != "" && json.Unmarshal([]byte(text), &targets) != nil {
		return errors.New("targets: they do not have the form of SLA targets")
	}
	return helpdesk.CheckTargets("targets", targets)
}

func (r *rules) checkTicket(row namedRow) error {
	n, last := row.number("number"), r.lastNumbers[row.text("agent_id")]
	if n < 1 || n > last {
		return fmt.Errorf("number: it is not from 1 to %d, the last number of the helpdesk of its agent", last)
	}
	category, isKnown := r.categories[row.text("status_id")]
	if isKnown && category != row.text("category") {
		return fmt.Errorf("category: its status is of the category %s", category)
	}
	if isOpen := parley.StatusCategory(row.text("category")).IsOpen(); isOpen != (row.number("is_open") == 1) {
		return errors.New("is_open: it does not go with the category")
	}
	return checkDueTimes(row)
}

// checkDueTimes fails if the times by which overdue tickets are found do not follow from those at which they are due.
func checkDueTimes(row namedRow) error {
	sla := parley.TicketSLA{
		FirstReplyDueAt:      row.time("first_reply_due"),
		ResolutionDueAt:      row.time("resolution_due"),
		FirstReplyBreachedAt: row.time("first_reply_breached_at"),
		ResolutionBreachedAt: row.time("resolution_breached_at"),
	}
	if !isSameTime(row.time("due_at"), sla.DueAt()) {
		return errors.New("due_at: it is not when the ticket is due next")
	}
	if !isSameTime(row.time("breach_at"), sla.NextBreachAt()) {
		return errors.New("breach_at: it is not when the next target is missed")
	}
	return nil
}

func isSameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}
