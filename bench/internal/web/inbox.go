package web

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/bench/internal/harness"
	"parley/bench/internal/report"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	inboxRows      = 10_000
	threadMessages = 2_000
	takenRows      = 40 // the newest of the conversations, which people have: their customers write to them
	insertedRows   = 50 // by a statement
)

// measureInbox measures the inbox of 10,000 conversations, one of which has 2,000 messages.
func measureInbox(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScript(ctx, "inbox")
	if err != nil {
		return nil, err
	}
	rows, open, heap := report.AtMost(200, "ms"), report.AtMost(400, "ms"), report.AtMost(60, "MB")
	event, none := report.AtMost(300, "ms"), report.AtMost(0, "")
	at := f.Walk
	return []report.Row{
		f.comparedRow("console: inbox of 10,000 conversations, data → first rows painted, median", "rows", .5, &rows),
		f.comparedRow("… slowest", "rows", 1, nil),
		f.comparedRow("… request → data, median", "answer", .5, nil),
		report.SingleRow("… rows walked through", "", at.Read, nil),
		report.SingleRow("… elements in the page then", "", at.Elements, nil),
		f.comparedRow(fmt.Sprintf("console: press → a thread of %d messages is painted, median", threadMessages), "open",
			.5, &open),
		f.framesRow("… frames a second while it scrolls to its beginning, fewest"),
		f.comparedRow("… longest frame on the way (0: none of 50 ms or more)", "frame", 1, nil),
		f.rowOf("… elements in the page then, most", "", "elements", nil),
		f.rowOf("… heap then, most", "MB", "heap", &heap),
		f.comparedRow(fmt.Sprintf("console: a customer's message sent → its row is painted, p95 of %d",
			len(f.Console["message"])), "message", .95, &event),
		f.comparedRow("… p50", "message", .5, nil),
		report.SingleRow("… rows that never came", "", float64(f.Lost), &none),
	}, nil
}

// rowOf has the largest figure, whatever its unit.
func (f *figures) rowOf(measure, unit, key string, t *report.Threshold) report.Row {
	return report.SingleRow(measure, unit, longest(f.Console[key]), t).WithFailures(lackOf(f.Console[key]))
}

// framesRow compares how many frames a second were painted where they were fewest.
func (f *figures) framesRow(measure string) report.Row {
	minimum := report.AtLeast(50, "")
	return report.ComparedRow(measure, "", quantile(f.Baseline["frames"], 0), quantile(f.Console["frames"], 0), &minimum).
		WithFailures(lackOf(f.Console["frames"]))
}

// fillInbox writes conversations of an agent, the newest first, and the messages of the longest, which is the first of
// them. It returns the ids of those that people have.
func fillInbox(ctx context.Context, s *harness.Server, agent parley.AgentID) (taken []string, err error) {
	db, err := openStore(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := db.Close(); err == nil {
			err = closed
		}
	}()
	fill := inboxFill{account: parley.AccountID(s.AccountID), agent: agent, now: time.Now()}
	err = db.SQL().Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
		for i := range inboxRows {
			fill.addConversation(i)
			if len(fill.conversations) < insertedRows*conversationColumns && i < inboxRows-1 {
				continue
			}
			if err := fill.write(ctx, tx); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `
			insert into conversation_counts (agent_id, account_id, total, api)
			values (?, ?, ?, 0)`, agent, s.AccountID, inboxRows)
		return err
	})
	return fill.taken, err
}

const (
	conversationColumns = 11
	messageColumns      = 10
)

// inboxFill gathers rows that are written together.
type inboxFill struct {
	account                 parley.AccountID
	agent                   parley.AgentID
	now                     time.Time
	conversations, messages []any
	taken                   []string
}

func (f *inboxFill) addConversation(i int) {
	id, at := parley.NewTimedUUID(), f.now.Add(time.Duration(-i)*time.Minute)
	status, count := parley.ConversationOngoing, 2
	if i < takenRows {
		status = parley.ConversationTakenOver
		f.taken = append(f.taken, id)
	}
	if i == 0 {
		count = threadMessages
	}
	for seq := 1; seq <= count; seq++ {
		f.addMessage(id, i, seq, at.Add(time.Duration(seq-count)*time.Second))
	}
	f.conversations = append(f.conversations, id, string(f.account), string(f.agent), "v2",
		string(parley.ChannelAPI), fmt.Sprintf("customer-%05d", i), string(status), count, count, at.UnixMilli(),
		at.UnixMilli())
}

func (f *inboxFill) addMessage(conversation string, i, seq int, at time.Time) {
	author, text := parley.AuthorUser, fmt.Sprintf("Where is order %05d, and when does it come? Message %04d.", i, seq)
	if seq%2 == 0 {
		author = parley.AuthorAssistant
		text = fmt.Sprintf("Order **%05d** has left our warehouse.\n\n- It comes with the post.\n- The label is in the "+
			"parcel.\n\nMessage %04d.", i, seq)
	}
	parts, _ := json.Marshal([]parley.Part{{Type: "text", Text: text}}) // texts always encode
	f.messages = append(f.messages, string(parley.NewMessageID()), string(f.account), string(f.agent),
		conversation, seq, string(author), store.MessageTypeReply, string(parley.MessageComplete), string(parts),
		at.UnixMilli())
}

func (f *inboxFill) write(ctx context.Context, tx *sqldb.DB) error {
	err := insertRows(ctx, tx, `conversations (id, account_id, agent_id, face, channel, user_id, status, message_count,
		last_seq, last_activity, created_at)`, conversationColumns, f.conversations)
	for part := f.messages; err == nil && len(part) > 0; {
		n := min(len(part), insertedRows*messageColumns)
		err = insertRows(ctx, tx, `messages (id, account_id, agent_id, conversation_id, seq, author, type, state, parts,
			created_at)`, messageColumns, part[:n])
		part = part[n:]
	}
	f.conversations, f.messages = nil, nil
	return err
}

func insertRows(ctx context.Context, tx *sqldb.DB, into string, columns int, args []any) error {
	row := ", (?" + strings.Repeat(", ?", columns-1) + ")"
	_, err := tx.Exec(ctx, `insert into `+into+` values `+strings.Repeat(row, len(args)/columns)[2:], args...)
	return err
}
