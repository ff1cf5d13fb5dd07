package actions

import (
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
	// nil where the operator has configured no engine
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
func (b *Toolbox) Tools(ctx context.Context, agent *parley.Agent) ([]chat.Tool, error) {
	if agent.Tools == 0 {
		return nil, nil
	}
	if tools, ok := b.caches.load(agent.ID, agent.ConfigVersion); ok {
		return tools, nil
	}
	actions, err := b.DB.Actions(ctx, agent.Ref())
	if err != nil {
		return nil, err
	}
	procedures, err := b.DB.Procedures(ctx, agent.Ref())
	if err != nil {
		return nil, err
	}
	tools := b.buildTools(actions, procedures)
	b.caches.store(agent.ID, agent.ConfigVersion, tools)
	return tools, nil
}

func (b *Toolbox) buildTools(actions []parley.Action, procedures []parley.Procedure) (tools []chat.Tool) {
	byKey := map[string]chat.Tool{}
	for i := range actions {
		a := &actions[i]
		if !a.Enabled {
			continue
		}
		tool, err := b.newTool(a)
		if err != nil {
			b.Logger.Warn("an action is not offered", "agent", a.AgentID, "action", a.Key, "err", err)
			continue
		}
		byKey[a.Key] = tool
		tools = append(tools, tool)
	}
	for _, p := range procedures {
		if p.Enabled {
			tools = append(tools, b.procedureTool(p, byKey))
		}
	}
	return tools
}

// newTool builds the tool of an action.
func (b *Toolbox) newTool(a *parley.Action) (chat.Tool, error) {
	tool := chat.Tool{Kind: a.Kind, Tool: newLLMTool(a.Name, a.Description, a.Triggers, actionInputs(a))}
	var err error
	switch a.Kind {
	case parley.ActionHTTP:
		err = b.httpTool(a, &tool)
	case parley.ActionClient:
		tool.Check = func(input json.RawMessage) (json.RawMessage, error) {
			known, err := readAllInputs(a.Inputs, input)
			if err != nil {
				return nil, err
			}
			return json.Marshal(known)
		}
	case parley.ActionCollectLeads:
		tool.Run, err = b.leadsTool(a)
	case parley.ActionEscalate:
		tool.IsHandover = true
		tool.Run, tool.HandoverText, err = b.escalateTool(a)
	case parley.ActionCustomButton:
		tool.Run, err = b.buttonTool(a)
	case parley.ActionWebSearch:
		tool.Run, err = b.webSearchTool(a)
		tool.Timeout = searchTimeout + timeoutMargin
	default:
		err = fmt.Errorf("its kind %q is not known", a.Kind)
	}
	return tool, err
}

func newLLMTool(name, description string, triggers []string, inputs []parley.ActionInput) model.Tool {
	return model.Tool{Name: name, Description: description, Parameters: Parameters(inputs), Triggers: triggers}
}

// UnavailableReason says why a valid action is not offered on this server, or nothing.
func (b *Toolbox) UnavailableReason(a *parley.Action) string {
	if a.Kind == parley.ActionWebSearch && b.Search == nil {
		return errNoEngine.Error()
	}
	return ""
}

// Close drops idle connections.
func (b *Toolbox) Close() {
	b.HTTP.Close()
	if b.Search != nil {
		b.Search.Close()
	}
}

// runFunc runs a tool with checked inputs.
type runFunc func(ctx context.Context, call chat.Call, v values) chat.Output

// withCheckedInputs wraps a runFunc: it is called with inputs that are complete and of their types.
func withCheckedInputs(inputs []parley.ActionInput, do runFunc) func(ctx context.Context, call chat.Call) chat.Output {
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
func (b *Toolbox) internalFailure(call chat.Call, what string, err error) chat.Output {
	var fail *parley.Error
	if errors.As(err, &fail) && fail.Code.Status() < 500 {
		return failedOutput("%s: %s", what, fail.Message)
	}
	b.Logger.Error(what, "agent", call.Turn.AgentID, "conversation", call.Turn.ConversationID, "err", err)
	return failedOutput("%s", what)
}

// conversationLocks holds a lock for each conversation.
type conversationLocks struct {
	mu     sync.Mutex
	locked map[parley.ConversationID]chan struct{} // closed by unlock
}

// lock waits until the conversation is free. Fails when ctx ends first.
func (g *conversationLocks) lock(ctx context.Context, id parley.ConversationID) error {
	for {
		g.mu.Lock()
		released, ok := g.locked[id]
		if !ok {
			if g.locked == nil {
				g.locked = map[parley.ConversationID]chan struct{}{}
			}
			g.locked[id] = make(chan struct{})
			g.mu.Unlock()
			return nil
		}
		g.mu.Unlock()
		select {
		case <-released:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (g *conversationLocks) unlock(id parley.ConversationID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.locked[id])
	delete(g.locked, id)
}
