package admin

import (
	"context"
	"time"

	"parley/internal/movein"
)

// MoveInRequest asks for a step of taking over what an account has at another service that speaks REST v2.
type MoveInRequest struct {
	AccountID string `path:"accountId" json:"-"`
	URL       string `json:"url" min:"1" max:"2000" doc:"Of the service's interface, such as https://host.example/api/v2."`
	Key       string `json:"key" min:"1" max:"2000" doc:"Of the service. It is sent to it, and kept nowhere."`
	Begin     bool   `json:"begin" doc:"Where everything was read before, read it again; what is here stays."`
}

// MoveInState says how far that has come. Further steps are asked for, after the wait, until it is done.
type MoveInState struct {
	Agents        int             `json:"agents" doc:"That are known so far."`
	AgentsDone    int             `json:"agentsDone"`
	Conversations int64           `json:"conversations" doc:"That were taken over."`
	Present       int64           `json:"present" doc:"That were here already, and stay as they are."`
	Total         int64           `json:"total" doc:"That the service counts."`
	WaitMillis    int64           `json:"waitMillis" doc:"Before the next step."`
	Problem       string          `json:"problem,omitempty" doc:"Why to wait, if not by the service's limits."`
	Done          bool            `json:"done"`
	LeftOut       []MoveInLeftOut `json:"leftOut,omitempty" doc:"What was not taken over, once it is done."`
	LeftOutMore   int             `json:"leftOutMore,omitempty" doc:"Further ones, which are not listed."`
}

// MoveInLeftOut is something that was not taken over.
type MoveInLeftOut struct {
	AgentID string `json:"agentId" doc:"The agent that has it, here."`
	Agent   string `json:"agent" doc:"The agent's name."`
	Kind    string `json:"kind" enum:"setting,source,conversation"`
	Type    string `json:"type,omitempty" doc:"Of a source."`
	Name    string `json:"name"`
	Reason  string `json:"reason"`
}

func (s *Service) moveIn(ctx context.Context, in MoveInRequest) (MoveInState, error) {
	caller, err := s.findAccountCaller(ctx, in.AccountID)
	if err != nil {
		return MoveInState{}, err
	}
	p, err := s.MoveIns.Step(ctx, movein.Request{Caller: caller, Actor: s.actor(), URL: in.URL, Key: in.Key,
		Begin: in.Begin})
	if err != nil {
		return MoveInState{}, err
	}
	out := MoveInState{Agents: p.Agents, AgentsDone: p.AgentsDone, Conversations: p.Conversations, Present: p.Present,
		Total: p.Total, WaitMillis: int64((p.Wait + time.Millisecond - 1) / time.Millisecond), Problem: p.Problem,
		Done: p.Done, LeftOutMore: p.LeftOutMore}
	for _, l := range p.LeftOut {
		out.LeftOut = append(out.LeftOut, MoveInLeftOut{string(l.AgentID), l.Agent, l.Kind, l.Type, l.Name, l.Reason})
	}
	return out, nil
}
