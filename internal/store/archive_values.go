package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// archiveEnums are the values of columns that have no enumeration in package parley: all that the program writes.
var archiveEnums = map[string][]string{
	"api": {string(parley.APIV2), string(parley.APIV1)},
	"author": {string(parley.AuthorUser), string(parley.AuthorAssistant), string(parley.AuthorHuman),
		string(parley.AuthorSystem)},
	"messageState": {string(parley.MessageComplete), string(parley.MessageInterrupted), string(parley.MessageFailed)},
	"turnState":    {"open", TurnDone, TurnFailed, TurnInterrupted},
	"toolStatus": {string(parley.ToolSuccess), string(parley.ToolError), string(parley.ToolPending),
		string(parley.ToolIgnored)},
	"runState": {runOpen, runEnded},
	"procedureOutcome": {string(parley.ProcedureCompleted), string(parley.ProcedureFailed),
		string(parley.ProcedureAbandoned), string(parley.ProcedureEscalated)},
	"draftKind":  {MessageTypeReply, MessageTypeNote},
	"voiceState": {voiceOpening, voiceLive, voiceEnded},
	"voiceEnd": {string(parley.EndClientLeft), string(parley.EndMaxDuration), string(parley.EndSilence),
		string(parley.EndCredits), string(parley.EndOperator), string(parley.EndEscalated), string(parley.EndError),
		string(parley.EndServerStopped)},
	"sentimentOrNone": append([]string{""}, parley.EnumValues("sentiment")...),
	"outcome": {"", string(parley.OutcomeResolved), string(parley.OutcomeHandedOver), string(parley.OutcomeDisliked),
		string(parley.OutcomeGivenUp), string(parley.OutcomeAskedAgain)},
	"charge":       {ChargedAnswer, ChargedVoice},
	"moveInKind":   {MoveInSource, MoveInConversation},
	"versionState": {"new", "live", "replaced"},
	"crawlRole":    {"", "map"},
	"crawlState":   {"", "included", "unchanged", "excluded", "failed", "merged", "read", unlisted},
}

// NewRowCheck returns a function that fails, and names the column, if a row of an archive holds what cannot be read by
// those who work with rows of the table.
func (t *ArchiveTable) NewRowCheck() func(row []any) error {
	if reader, ok := archiveReaders[t.Name]; ok {
		return reader.newCheck(t)
	}
	return func([]any) error { return nil }
}

// newRowCheck is NewRowCheck of a noun. Columns that are of a type of the database can always be read.
func newRowCheck[T any](nouns table[T], t *ArchiveTable) func(row []any) error {
	noun, zero := new(T), *new(T)
	dests := make([]sql.Scanner, len(t.Columns))
	for _, f := range nouns.fields(noun) {
		name := strings.TrimPrefix(f.column, "t.")
		i := slices.IndexFunc(t.Columns, func(c ArchiveColumn) bool { return c.Name == name })
		if dest, ok := f.value.(sql.Scanner); ok && i >= 0 {
			dests[i] = dest
		}
	}
	return func(row []any) error {
		*noun = zero // what a row lacks is not that of the one before
		for i, dest := range dests {
			if dest == nil {
				continue
			}
			if err := dest.Scan(row[i]); err != nil {
				return fmt.Errorf("%s: %w", t.Columns[i].Name, describeFormError(err))
			}
		}
		return nil
	}
}

// describeFormError says what is wrong with JSON without the types of the program.
func describeFormError(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	at := ""
	if e.Field != "" {
		at = " of " + e.Field
	}
	return fmt.Errorf("the value%s must not be of the kind %s", at, e.Value)
}
