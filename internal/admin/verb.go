package admin

import (
	"context"
	"encoding/json"

	"parley"
)

// Verb is one thing an operator can do: what goes in, what comes out, both as JSON when they cross the socket.
type Verb[In, Out any] struct {
	Name  string
	fresh bool // may be the first thing ever done in a data directory
	do    func(d *Desk, ctx context.Context, in In) (Out, error)
}

// act is a Verb whose types are behind JSON.
type act func(d *Desk, ctx context.Context, body []byte) (any, error)

func (v Verb[In, Out]) act(d *Desk, ctx context.Context, body []byte) (any, error) {
	var in In
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, parley.Because(parley.CodeInvalidJSON, err)
	}
	return v.do(d, ctx, in)
}

// acts is what the socket answers to, by name.
func acts() map[string]act {
	return map[string]act{
		CreateAccount.Name: CreateAccount.act,
		UpdateAccount.Name: UpdateAccount.act,
		ListAccounts.Name:  ListAccounts.act,
		CreateKey.Name:     CreateKey.act,
		RevokeKey.Name:     RevokeKey.act,
		ListKeys.Name:      ListKeys.act,
		AddMember.Name:     AddMember.act,
		ListMembers.Name:   ListMembers.act,
		ChangeMember.Name:  ChangeMember.act,
		RemoveMember.Name:  RemoveMember.act,
		Trace.Name:         Trace.act,
		ListSources.Name:   ListSources.act,

		ListConversations.Name:   ListConversations.act,
		MoveConversation.Name:    MoveConversation.act,
		ReplyAsHuman.Name:        ReplyAsHuman.act,
		CountConversations.Name:  CountConversations.act,
		DeleteConversations.Name: DeleteConversations.act,

		ListStatuses.Name:  ListStatuses.act,
		AddStatus.Name:     AddStatus.act,
		ChangeStatus.Name:  ChangeStatus.act,
		DefaultStatus.Name: DefaultStatus.act,
		ArchiveStatus.Name: ArchiveStatus.act,
		ListTeams.Name:     ListTeams.act,
		AddTeam.Name:       AddTeam.act,
		ChangeTeam.Name:    ChangeTeam.act,
		RemoveTeam.Name:    RemoveTeam.act,
		JoinTeam.Name:      JoinTeam.act,
		LeaveTeam.Name:     LeaveTeam.act,
		ListRules.Name:     ListRules.act,
		AddRule.Name:       AddRule.act,
		RemoveRule.Name:    RemoveRule.act,
		MoveRule.Name:      MoveRule.act,
		SwitchRule.Name:    SwitchRule.act,
		Route.Name:         Route.act,
		ListCustomers.Name: ListCustomers.act,
		ListTickets.Name:   ListTickets.act,
		OpenTicket.Name:    OpenTicket.act,
		ShowTicket.Name:    ShowTicket.act,
		ChangeTicket.Name:  ChangeTicket.act,
		WriteTicket.Name:   WriteTicket.act,

		Reindex.Name:         Reindex.act,
		ShowInsights.Name:    ShowInsights.act,
		RebuildInsights.Name: RebuildInsights.act,

		AddWebhook.Name:     AddWebhook.act,
		RemoveWebhook.Name:  RemoveWebhook.act,
		ListWebhooks.Name:   ListWebhooks.act,
		ListDeliveries.Name: ListDeliveries.act,
		Redeliver.Name:      Redeliver.act,

		ListVoiceSessions.Name:  ListVoiceSessions.act,
		EndVoiceSession.Name:    EndVoiceSession.act,
		ReadVoiceRecording.Name: ReadVoiceRecording.act,
		VoiceStats.Name:         VoiceStats.act,

		Apply.Name:       Apply.act,
		ExportAgent.Name: ExportAgent.act,
		Replay.Name:      Replay.act,
		Maintenance.Name: Maintenance.act,
	}
}
