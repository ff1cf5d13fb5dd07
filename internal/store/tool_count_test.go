package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
)

func TestCallsOfToolsAreCountedOutOfAnIndex(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ref := fx.Account.ID.AgentRef(fx.Agent.ID)
		fx.must(fx.PutAction(fx, fx.newAction("track", "track_order")))
		fx.must(fx.PutProcedure(fx, fx.newProcedure("refund", "refund")))
		conversation := fx.createEmptyConversation()
		var calls []parley.ToolCall
		for i, status := range []parley.ToolStatus{parley.ToolSuccess, parley.ToolError, parley.ToolError} {
			at := testTime.Add(time.Duration(i-1) * time.Hour) // the first is older than what is counted
			out := parley.ToolOutput{Status: status, Error: fmt.Sprintf("failure %d", i)}
			calls = append(calls, parley.ToolCall{ID: parley.NewUUID(), AccountID: ref.Account, AgentID: ref.Agent,
				ConversationID: conversation, MessageID: "m", TurnID: "t", CallID: fmt.Sprint(i), Tool: "track_order",
				Kind: parley.ActionHTTP, Input: []byte(`{}`), Output: out.JSON(), Status: status, CreatedAt: at})
		}
		fx.must(fx.AddToolCalls(fx, calls))
		counts, err := fx.CountToolCalls(fx, ref, testTime)
		fx.must(err)
		if got := fmt.Sprint(counts); got != "[{track_order 2 2} {refund 0 0}]" {
			t.Error(got)
		}
		failures, err := fx.ToolFailures(fx, ref, "track_order", 1)
		fx.must(err)
		if len(failures) != 1 || failures[0].Error != "failure 2" || failures[0].Conversation != conversation {
			t.Errorf("%+v", failures)
		}
		steps := fx.explain(`
			select 1 from tool_calls c
			where c.agent_id = ? and c.account_id = ? and c.tool = ? and c.status = 'error' and c.created_at >= ?
			limit 1000`, ref.Agent, ref.Account, "track_order", 0)
		if plan := strings.Join(steps, "\n"); strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN") {
			t.Error(plan)
		}
	})
}
