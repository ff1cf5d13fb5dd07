package actions

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/outbound"
	"parley/internal/store"
	"parley/internal/vault"
)

// Toolbox builds the tools of agents from their actions and procedures.
type Toolbox struct {
	DB    *store.DB
	HTTP  *outbound.Client
	Vault *vault.Vault
	// nil if the operator has configured no engine
	Search *WebSearch
	// hands the turn's conversation to a person; the turn goes on
	HandOver func(ctx context.Context, turn parley.Turn, reason string) error
	Now      func() time.Time
	Logger   *slog.Logger

	caches         agentCaches
	procedureLocks conversationLocks
}

// timeoutMargin is what a tool's timeout adds to that of what it calls, so that it can report what went wrong.
const timeoutMargin = 2 * time.Second

// Tools returns the agent's tools: its actions in their order, then its procedures. It is a chat.ToolsFunc.
func (t *Toolbox) Tools(ctx context.Context, agent *parley.Agent) ([]chat.Tool, error) {
	if agent.Tools == 0 {
		return nil, nil
	}
	if tools, ok := t.caches.load(agent.ID, agent.ConfigVersion); ok {
		return tools, nil
	}
	actions, err := t.DB.Actions(ctx, agent.Ref())
	if err != nil {
		return nil, err
	}
	procedures, err := t.DB.Procedures(ctx, agent.Ref())
	if err != nil {
		return nil, err
	}
	tools := t.buildTools(actions, procedures)
	t.caches.store(agent.ID, agent.ConfigVersion, tools)
	return tools, nil
}

func (t *Toolbox) buildTools(actions []parley.Action, procedures []parley.Procedure) (tools []chat.Tool) {
	byKey := map[string]chat.Tool{}
	hasForm := false // a chat knows the form of the first action that has one
	for i := range actions {
		a := &actions[i]
		if !a.Enabled {
			continue
		}
		tool, err := t.newTool(a)
		if err != nil {
			t.Logger.Warn("an action is not offered", "agent", a.AgentID, "action", a.Key, "err", err)
			continue
		}
		if hasForm {
			tool.Form = nil
		}
		hasForm = hasForm || a.Kind == parley.ActionCollectLeads
		byKey[a.Key] = tool
		tools = append(tools, tool)
	}
	return append(tools, t.procedureTools(procedures, byKey)...)
}

func (t *Toolbox) newTool(a *parley.Action) (chat.Tool, error) {
	tool := chat.Tool{Kind: a.Kind, Tool: newLLMTool(a.Name, a.Description, a.Triggers, actionInputs(a))}
	var err error
	switch a.Kind {
	case parley.ActionHTTP:
		err = t.httpTool(a, &tool)
	case parley.ActionClient:
		tool.Check = func(input json.RawMessage) (json.RawMessage, error) {
			known, err := readAllInputs(a.Inputs, input)
			if err != nil {
				return nil, err
			}
			return json.Marshal(known)
		}
	case parley.ActionCollectLeads:
		tool.Run, err = t.leadsTool(a)
		tool.Form = leadForm(a)
	case parley.ActionEscalate:
		tool.IsHandover = true
		tool.Run, tool.HandoverText, err = t.escalateTool(a)
	case parley.ActionCustomButton:
		tool.Run, err = t.buttonTool(a)
	case parley.ActionWebSearch:
		tool.Run, err = t.webSearchTool(a)
		tool.Timeout = searchTimeout + timeoutMargin
	default:
		err = fmt.Errorf("its kind %q is not known", a.Kind)
	}
	return tool, err
}

func newLLMTool(name, description string, triggers []string, inputs []parley.ActionInput) model.Tool {
	return model.Tool{Name: name, Description: description, Parameters: Parameters(inputs), Triggers: triggers}
}

// Close drops idle connections.
func (t *Toolbox) Close() {
	t.HTTP.Close()
	if t.Search != nil {
		t.Search.Close()
	}
}

type toolRun = func(ctx context.Context, call chat.Call) chat.Output

// withCheckedInputs returns a toolRun that calls do with inputs that are complete and of their types.
func withCheckedInputs(
	inputs []parley.ActionInput, do func(ctx context.Context, call chat.Call, v values) chat.Output,
) toolRun {
	return func(ctx context.Context, call chat.Call) chat.Output {
		known, err := readAllInputs(inputs, call.Input)
		if err != nil {
			return failedOutput("%v", err)
		}
		return do(ctx, call, values{inputs: known})
	}
}

// successOutput returns the output of a successful call; data may be nil.
func successOutput(data any) chat.Output {
	if data == nil {
		return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess}}
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return failedOutput("the result is not JSON")
	}
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess, Data: raw}}
}

func failedOutput(format string, args ...any) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: fmt.Sprintf(format, args...)}}
}

// internalFailure returns the output for an internal error: the cause is logged, and the model gets the message that an
// *parley.Error has for callers.
func (t *Toolbox) internalFailure(call chat.Call, name string, err error) chat.Output {
	if e, ok := errors.AsType[*parley.Error](err); ok && e.Code.Status() < 500 {
		return failedOutput("%s: %s", name, e.Message)
	}
	t.Logger.Error(name, "agent", call.Turn.AgentID, "conversation", call.Turn.ConversationID, "err", err)
	return failedOutput("%s", name)
}

type conversationLocks struct {
	locked sync.Map // of channels that unlock closes, by conversation
}

// lock waits until the conversation is free. Fails when ctx ends first.
func (l *conversationLocks) lock(ctx context.Context, id parley.ConversationID) error {
	own := make(chan struct{})
	for {
		other, isLocked := l.locked.LoadOrStore(id, own)
		if !isLocked {
			return nil
		}
		select {
		case <-other.(chan struct{}):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *conversationLocks) unlock(id parley.ConversationID) {
	own, _ := l.locked.LoadAndDelete(id)
	close(own.(chan struct{}))
}

const maxCachedAgents = 512

// agentCaches caches the tools of the agents that were used last. Each change of an agent increments its version, so no
// stale tools are found.
type agentCaches struct {
	mu      sync.Mutex
	order   list.List // of *toolCache, the last used first
	byAgent map[parley.AgentID]*list.Element
}

type toolCache struct {
	agent   parley.AgentID
	version int64
	tools   []chat.Tool
}

func (c *agentCaches) load(agent parley.AgentID, version int64) ([]chat.Tool, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byAgent[agent]
	if !ok || e.Value.(*toolCache).version != version {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*toolCache).tools, true
}

func (c *agentCaches) store(agent parley.AgentID, version int64, tools []chat.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byAgent == nil {
		c.byAgent = map[parley.AgentID]*list.Element{}
	}
	if e, ok := c.byAgent[agent]; ok {
		c.order.Remove(e)
	}
	c.byAgent[agent] = c.order.PushFront(&toolCache{agent, version, tools})
	if c.order.Len() > maxCachedAgents {
		last := c.order.Remove(c.order.Back()).(*toolCache)
		delete(c.byAgent, last.agent)
	}
}
