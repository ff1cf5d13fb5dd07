package movein

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/agents"
	"parley/internal/store"
)

// agentSettings are the settings that the record of an agent tells, by the names that both interfaces have for them, in
// the order in which they are taken over.
var agentSettings = []string{"instructions", "channelInstructions", "model", "temp", "visibility", "allowedDomains",
	"suggestedMessages", "initialMessages", "creditLimit", "notificationsSettings", "ipRateLimits", "voiceSettings",
	"autoRetrain"}

// readAgents reads a page of the list of agents and takes over those that are not known yet.
func (r *run) readAgents(ctx context.Context) (time.Duration, error) {
	p, err := r.client.readPage(ctx, r.moveIn.Walk, listPageSize, "agents")
	if r.isCursorOver(err, r.moveIn.Walk) {
		return 0, r.write(ctx, func(_ *store.DB, m *store.MoveIn) error {
			m.Walk = store.MoveInWalk{Pages: m.Walk.Pages} // which say that the run is recorded
			return nil
		})
	}
	if err != nil {
		return 0, err
	}
	next, isEnd, err := p.next(r.moveIn.Walk)
	if err != nil {
		return 0, err
	}
	known, err := r.DB.MoveInAgents(ctx, r.moveIn)
	if err != nil {
		return 0, err
	}
	fresh, err := r.newAgents(*p.Data, known)
	if err != nil {
		return 0, err
	}
	isFirst := r.moveIn.Walk.Pages == 0
	return p.wait, r.write(ctx, func(tx *store.DB, m *store.MoveIn) error {
		m.Walk, m.AgentsRead = next, isEnd
		for i := range fresh {
			if err := r.addAgent(ctx, tx, fresh[i]); err != nil {
				return err
			}
		}
		if !isFirst {
			return nil
		}
		return r.record(ctx, tx, m) // whether it comes to its end or not
	})
}

// record has the audit chain say that the account takes over what another service has.
func (r *run) record(ctx context.Context, tx *store.DB, m *store.MoveIn) error {
	return tx.AppendAuditEvent(ctx, m.AccountID, r.Now(), r.in.Actor, "account.move_in", string(m.AccountID),
		map[string]any{"url": m.URL})
}

// movedAgent is an agent that is to be written.
type movedAgent struct {
	agent   *parley.Agent
	row     store.MoveInAgent
	madeAt  string         // when it was made at the service; empty where that does not tell
	ownID   parley.AgentID // that it has there; empty if no agent here can have it
	otherID parley.AgentID // that takes its place; empty where no later run could find it again
}

// newAgents returns those of a page of agents that are not known.
func (r *run) newAgents(records []json.RawMessage, known []store.MoveInAgent) (list []movedAgent, err error) {
	isKnown := map[string]bool{}
	for i := range known {
		isKnown[known[i].RemoteID] = true
	}
	for _, record := range records {
		var fields map[string]json.RawMessage
		var id string
		if json.Unmarshal(record, &fields) != nil || json.Unmarshal(fields["id"], &id) != nil || id == "" ||
			len(id) > maxIDBytes {
			return nil, parley.Invalid("url", "lists an agent without a usable id")
		}
		if isKnown[id] {
			continue
		}
		isKnown[id] = true
		if len(isKnown) > maxAgents {
			return nil, parley.Invalid("url", fmt.Sprintf("lists more than %d agents", maxAgents))
		}
		a, leftOut := r.newAgent(fields)
		n := movedAgent{agent: a, row: store.MoveInAgent{ID: parley.NewTimedUUID(), MoveInID: r.moveIn.ID,
			RemoteID: id, Name: a.Name, Ordinal: int64(len(isKnown)), Stage: store.MoveInSources, LeftOut: leftOut}}
		n.findIDs()
		list = append(list, n)
	}
	return list, nil
}

// findIDs finds the ids that the agent may have here.
func (n *movedAgent) findIDs() {
	if n.agent.CreatedAt.Before(n.agent.UpdatedAt) {
		n.madeAt = secondOf(n.agent.CreatedAt)
	}
	if agentIDPattern.MatchString(n.row.RemoteID) {
		n.ownID = parley.AgentID(n.row.RemoteID)
	}
	if n.ownID != "" || n.madeAt != "" {
		n.otherID = derivedAgentID(n.agent.AccountID, n.row.RemoteID, n.madeAt)
	}
}

const maxIDBytes = 200

var agentIDPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{20}$`)

// newAgent returns an agent with as many of the settings of a record as this installation takes, and the others.
func (r *run) newAgent(fields map[string]json.RawMessage) (*parley.Agent, []store.MoveInSetting) {
	now := r.Now()
	var name string
	if json.Unmarshal(fields["name"], &name) != nil || !parley.IsVisible(name) {
		name = "Agent"
	}
	name = parley.StorableText(name)
	for utf8.RuneCountInString(name) > maxNameLength {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	a := agents.NewAgent{Name: name}.Agent(r.in.Account.ID, now)
	var createdAt time.Time
	if json.Unmarshal(fields["createdAt"], &createdAt) == nil && createdAt.Year() >= firstYear && createdAt.Before(now) {
		a.CreatedAt = createdAt
	}
	var leftOut []store.MoveInSetting
	take := func(name string, settings json.RawMessage) {
		err := agents.ApplyChange(a, r.in.Plan, now, func(a *parley.Agent) error { return r.ApplySettings(a, settings) })
		if err != nil && !errors.Is(err, agents.ErrUnchanged) {
			leftOut = append(leftOut, store.MoveInSetting{Name: name, Reason: reasonOf(err)})
		}
	}
	for _, name := range agentSettings {
		if value := fields[name]; !isNull(value) {
			take(name, object(name, value))
		}
	}
	for _, style := range stylesOf(fields["styles"]) {
		take(style.name, style.settings)
	}
	a.ConfigVersion, a.UpdatedAt = 1, now
	return a, leftOut
}

const (
	maxNameLength = 100
	firstYear     = 2000
)

func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

// object returns a JSON object with one member.
func object(name string, value json.RawMessage) json.RawMessage {
	out, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return json.RawMessage("{}") // the value was decoded as JSON
	}
	return out
}

// style is one style, as settings have it.
type style struct {
	name     string
	settings json.RawMessage
}

// stylesOf returns the styles that a record tells, each as it is written. Some are read in another form.
func stylesOf(record json.RawMessage) (list []style) {
	var parts map[string]map[string]json.RawMessage
	if isNull(record) || json.Unmarshal(record, &parts) != nil {
		return nil
	}
	for _, part := range []string{"chat", "centerStage"} {
		values := parts[part]
		if part == "centerStage" {
			foldAccent(values)
		}
		for _, name := range sortedNames(values) {
			if value := values[name]; !isNull(value) {
				list = append(list, style{"styles." + part + "." + name, object("styles", object(part, object(name, value)))})
			}
		}
	}
	return list
}

// foldAccent turns the accent color from its two fields into the object that is written.
func foldAccent(stage map[string]json.RawMessage) {
	color, isOn := stage["accentColor"], stage["accentColorEnabled"]
	delete(stage, "accentColorEnabled")
	delete(stage, "accentSyncWithIcon")
	if len(color) > 0 && color[0] == '{' {
		return
	}
	accent := map[string]json.RawMessage{}
	if !isNull(color) {
		accent["color"] = color
	}
	if string(isOn) == "true" {
		accent["enabled"] = isOn
	}
	delete(stage, "accentColor")
	if len(accent) > 0 {
		stage["accentColor"], _ = json.Marshal(accent) // of values that were decoded
	}
}

func sortedNames(m map[string]json.RawMessage) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// reasonOf returns why something was refused, in one line.
func reasonOf(err error) string {
	e := parley.AsError(err)
	var reasons []string
	for _, reason := range e.Details {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	return parley.ClipBytes(cmp.Or(strings.Join(slices.Compact(reasons), "; "), e.Message), maxReasonBytes)
}

const maxReasonBytes = 300

// addAgent writes a new agent, unless the account has it already: then that one is it, and keeps its settings. Where
// its id is taken in another account, it gets another one.
func (r *run) addAgent(ctx context.Context, tx *store.DB, n movedAgent) error {
	present, err := r.findAgent(ctx, tx, &n)
	if err != nil {
		return err
	}
	row := n.row
	if present != "" {
		row.Ref, row.LeftOut = r.in.Account.ID.AgentRef(present), nil
		if err := tx.TakeMoveInItems(ctx, row.Ref, row.MoveInID); err != nil {
			return err
		}
		return tx.AddMoveInAgent(ctx, &row)
	}
	a := *n.agent
	if a.ID, err = findFreeID(ctx, tx, n.ownID, n.otherID, a.ID); err != nil {
		return err
	}
	if err := agents.CheckLimit(ctx, tx, a.AccountID, r.in.Plan); err != nil {
		return err
	}
	if err := tx.CreateAgent(ctx, &a); err != nil {
		return err
	}
	if a.AutoRetrain {
		if err := tx.ScheduleAgentSync(ctx, a.Ref(), agents.NextResync(&a, r.Now())); err != nil {
			return err
		}
	}
	row.Ref = a.Ref()
	if err := tx.AddMoveInAgent(ctx, &row); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, a.AccountID, a.UpdatedAt,
		store.NewEvent{Kind: parley.EventAgentCreated, AgentID: a.ID, Subject: string(a.ID)})
}

// findAgent finds the agent of the account that the one of the service has become before, through another address of
// it or elsewhere, if the account has come with an archive; empty otherwise.
func (r *run) findAgent(ctx context.Context, tx *store.DB, n *movedAgent) (parley.AgentID, error) {
	moved, err := tx.MovedAgents(ctx, r.in.Account.ID, n.row.RemoteID)
	if err != nil {
		return "", err
	}
	for _, known := range moved {
		if n.ownID != "" || n.madeAt != "" && n.madeAt == secondOf(known.CreatedAt) {
			return known.ID, nil
		}
	}
	for _, id := range []parley.AgentID{n.ownID, n.otherID} {
		err := tx.CheckAgent(ctx, r.in.Account.ID.AgentRef(id), r.Now())
		if err == nil {
			return id, nil
		}
		if !parley.IsCode(err, parley.CodeAgentNotFound) {
			return "", err
		}
	}
	return "", nil
}

// findFreeID returns the first of the ids that no agent of any account has; the last one is new.
func findFreeID(ctx context.Context, tx *store.DB, ids ...parley.AgentID) (parley.AgentID, error) {
	last := len(ids) - 1
	for _, id := range ids[:last] {
		isFree, err := tx.IsAgentIDFree(ctx, id)
		if err != nil {
			return "", err
		}
		if isFree && id != "" {
			return id, nil
		}
	}
	return ids[last], nil
}
