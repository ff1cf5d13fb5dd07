package admin

import (
	"context"
	"encoding/json"

	"parley"
)

// Command is one thing an operator can do: what goes in, what comes out, both as JSON when they cross the socket.
type Command[In, Out any] struct {
	Name          string
	mayCreateData bool // may be the first thing ever done in a data directory
	run           func(d *Service, ctx context.Context, in In) (Out, error)
}

// commandHandler is a Command whose types are behind JSON.
type commandHandler func(d *Service, ctx context.Context, body []byte) (any, error)

func (v Command[In, Out]) handle(d *Service, ctx context.Context, body []byte) (any, error) {
	var in In
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, parley.WrapError(parley.CodeInvalidJSON, err)
	}
	return v.run(d, ctx, in)
}

// commandHandlers is what the socket answers to, by name.
func commandHandlers() map[string]commandHandler {
	return map[string]commandHandler{
		CreateAccount.Name: CreateAccount.handle,
		UpdateAccount.Name: UpdateAccount.handle,
		ListAccounts.Name:  ListAccounts.handle,
		CreateKey.Name:     CreateKey.handle,
		RevokeKey.Name:     RevokeKey.handle,
		ListKeys.Name:      ListKeys.handle,
		AddMember.Name:     AddMember.handle,
		ListMembers.Name:   ListMembers.handle,
		ChangeMember.Name:  ChangeMember.handle,
		RemoveMember.Name:  RemoveMember.handle,
		Trace.Name:         Trace.handle,
		ListSources.Name:   ListSources.handle,

		ListConversations.Name:   ListConversations.handle,
		MoveConversation.Name:    MoveConversation.handle,
		ReplyAsHuman.Name:        ReplyAsHuman.handle,
		CountConversations.Name:  CountConversations.handle,
		DeleteConversations.Name: DeleteConversations.handle,

		ListStatuses.Name:  ListStatuses.handle,
		AddStatus.Name:     AddStatus.handle,
		ChangeStatus.Name:  ChangeStatus.handle,
		DefaultStatus.Name: DefaultStatus.handle,
		ArchiveStatus.Name: ArchiveStatus.handle,
		ListTeams.Name:     ListTeams.handle,
		AddTeam.Name:       AddTeam.handle,
		ChangeTeam.Name:    ChangeTeam.handle,
		RemoveTeam.Name:    RemoveTeam.handle,
		JoinTeam.Name:      JoinTeam.handle,
		LeaveTeam.Name:     LeaveTeam.handle,
		ListRules.Name:     ListRules.handle,
		AddRule.Name:       AddRule.handle,
		RemoveRule.Name:    RemoveRule.handle,
		MoveRule.Name:      MoveRule.handle,
		SwitchRule.Name:    SwitchRule.handle,
		Route.Name:         Route.handle,
		ListCustomers.Name: ListCustomers.handle,
		ListTickets.Name:   ListTickets.handle,
		OpenTicket.Name:    OpenTicket.handle,
		ShowTicket.Name:    ShowTicket.handle,
		ChangeTicket.Name:  ChangeTicket.handle,
		WriteTicket.Name:   WriteTicket.handle,

		Reindex.Name:         Reindex.handle,
		ShowInsights.Name:    ShowInsights.handle,
		RebuildInsights.Name: RebuildInsights.handle,

		AddWebhook.Name:     AddWebhook.handle,
		RemoveWebhook.Name:  RemoveWebhook.handle,
		ListWebhooks.Name:   ListWebhooks.handle,
		ListDeliveries.Name: ListDeliveries.handle,
		Redeliver.Name:      Redeliver.handle,

		ListVoiceSessions.Name:  ListVoiceSessions.handle,
		EndVoiceSession.Name:    EndVoiceSession.handle,
		ReadVoiceRecording.Name: ReadVoiceRecording.handle,
		VoiceStats.Name:         VoiceStats.handle,

		Apply.Name:       Apply.handle,
		ExportAgent.Name: ExportAgent.handle,
		Replay.Name:      Replay.handle,
		Maintenance.Name: Maintenance.handle,
	}
}
