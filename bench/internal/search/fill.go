package search

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley"
	"parley/bench/internal/corpus"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// readUtterances reads what people say in the public sets; without them the manual's sentences serve instead.
func readUtterances(folder string) (lines []string) {
	if f, err := os.Open(filepath.Join(folder, "sgd", "dev.jsonl")); err == nil {
		for scan := bufio.NewScanner(f); scan.Scan(); {
			var talk struct{ Turns [][2]string }
			if json.Unmarshal(scan.Bytes(), &talk) == nil {
				for _, t := range talk.Turns {
					lines = append(lines, t[1])
				}
			}
		}
		_ = f.Close()
	}
	speaker := regexp.MustCompile(`^.*?<[^>]+> `)
	files, _ := filepath.Glob(filepath.Join(folder, "irc", "*.txt"))
	for _, name := range files {
		b, _ := os.ReadFile(name)
		for line := range strings.Lines(strings.ToValidUTF8(string(b), "")) {
			if text := strings.TrimSpace(speaker.ReplaceAllString(line, "")); len(text) > 12 && text != strings.TrimSpace(line) {
				lines = append(lines, text)
			}
		}
	}
	if f, err := os.Open(filepath.Join(folder, "banking77", "train.csv")); err == nil {
		rows, _ := csv.NewReader(f).ReadAll()
		for _, r := range rows {
			lines = append(lines, r[0])
		}
		_ = f.Close()
	}
	if len(lines) == 0 {
		for line := range strings.SplitSeq(corpus.ManualText(), ".") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

const (
	searchedAgents          = 50
	messagesPerConversation = 10 // messages of a conversation
	conversationsPerBatch   = 20 // conversations
)

// conversationGenerator makes conversations out of lines, by repetition with variation: names and numbers that occur in
// one message only, and two lines run together.
type conversationGenerator struct {
	rng         *rand.Rand
	lines       []string
	agents      []parley.AgentID
	agentShares []float64 // of the agents, added up
	firstTime   time.Time
	timeSpan    time.Duration
}

func newConversationGenerator(lines []string, now time.Time) *conversationGenerator {
	t := &conversationGenerator{rng: rand.New(rand.NewPCG(7, 8)), lines: lines, firstTime: now.AddDate(0, -11, 0),
		timeSpan: now.Sub(now.AddDate(0, -11, 0))} //nolint:gosec // text, not a secret
	sum := 0.0
	for i := range searchedAgents {
		t.agents = append(t.agents, parley.NewAgentID())
		sum += 1 / float64(i+1)
		t.agentShares = append(t.agentShares, sum)
	}
	return t
}

// randomAgent draws one; the first has about a fifth of all.
func (g *conversationGenerator) randomAgent() int {
	at := g.rng.Float64() * g.agentShares[len(g.agentShares)-1]
	for i, s := range g.agentShares {
		if at < s {
			return i
		}
	}
	return 0
}

func (g *conversationGenerator) randomLine() string {
	text := g.lines[g.rng.IntN(len(g.lines))]
	for g.rng.IntN(3) == 0 {
		text += " " + g.lines[g.rng.IntN(len(g.lines))]
	}
	if g.rng.IntN(4) == 0 {
		text += fmt.Sprintf(" %s %d", corpus.RandomName(g.rng), int(math.Exp(g.rng.Float64()*14)))
	}
	return text
}

// fillDatabase writes so many messages.
func (g *conversationGenerator) fillDatabase(ctx context.Context, db *store.DB, account *parley.Account,
	messages int) error {
	if err := db.CreateAccount(ctx, account); err != nil {
		return err
	}
	err := db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for _, id := range g.agents {
			a := &parley.Agent{ID: id, AccountID: account.ID, Name: "Bench", CreatedAt: g.firstTime, UpdatedAt: g.firstTime}
			if err := tx.CreateAgent(ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
	all := messages / messagesPerConversation
	for n := 0; n < all && err == nil; n += conversationsPerBatch {
		var conversations, messageRows, calls []any
		for i := range conversationsPerBatch {
			at := g.firstTime.Add(time.Duration(float64(g.timeSpan) * float64(n+i) / float64(all)))
			g.addConversation(account.ID, at, &conversations, &messageRows, &calls)
		}
		err = db.SQL().Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
			if err := insertMany(ctx, tx,
				"conversations (id, account_id, agent_id, face, channel, user_id, status, message_count, "+
					"last_seq, last_activity, created_at)",
				11, conversations); err != nil {
				return err
			}
			if err := insertMany(ctx, tx,
				"messages (id, account_id, agent_id, conversation_id, seq, author, type, state, parts, feedback, created_at)",
				11, messageRows); err != nil {
				return err
			}
			return insertMany(ctx, tx,
				"tool_calls (id, account_id, agent_id, conversation_id, message_id, turn_id, call_id, tool, "+
					"action_type, client_side, input, status, created_at)",
				13, calls)
		})
	}
	if err != nil {
		return err
	}
	_, err = db.SQL().Exec(ctx,
		`insert into conversation_counts (agent_id, account_id, total, api) select agent_id, account_id, count(*), 0
			from conversations group by agent_id, account_id`)
	return err
}

func insertMany(ctx context.Context, tx *sqldb.DB, into string, columns int, args []any) error {
	if len(args) == 0 {
		return nil
	}
	one := ", (?" + strings.Repeat(", ?", columns-1) + ")"
	_, err := tx.Exec(ctx, `insert into `+into+` values `+strings.Repeat(one, len(args)/columns)[2:], args...)
	return err
}

var (
	searchedChannels = []parley.Channel{parley.ChannelAPI, parley.ChannelAPI, parley.ChannelAPI, parley.ChannelWidget,
		parley.ChannelWidget, parley.ChannelWhatsApp, parley.ChannelEmail, parley.ChannelPhone}
	searchedStates = []parley.ConversationStatus{parley.ConversationOngoing, parley.ConversationOngoing,
		parley.ConversationOngoing, parley.ConversationEnded, parley.ConversationEnded, parley.ConversationTakenOver}
)

func (g *conversationGenerator) addConversation(account parley.AccountID, at time.Time, conversations, messages,
	calls *[]any) {
	agent, id := g.agents[g.randomAgent()], parley.NewTimedUUID()
	last := at
	for seq := 1; seq <= messagesPerConversation; seq++ {
		author, feedback := parley.AuthorUser, any(nil)
		if seq%2 == 0 {
			author = parley.AuthorAssistant
			if g.rng.IntN(60) == 0 {
				feedback = []string{"positive", "negative"}[g.rng.IntN(2)]
			}
		}
		parts, _ := json.Marshal([]parley.Part{{Type: "text", Text: g.randomLine()}}) // texts always encode
		last = last.Add(time.Duration(g.rng.IntN(60_000)) * time.Millisecond)
		*messages = append(*messages, string(parley.NewMessageID()), account, agent, id, seq, string(author), "reply",
			"complete", string(parts), feedback, last.UnixMilli())
	}
	if g.rng.IntN(10) == 0 {
		*calls = append(*calls, parley.NewUUID(), account, agent, id, "m", "t", parley.NewCallID(),
			[]string{"orders", "stock", "refund"}[g.rng.IntN(3)], "http", 0, "{}",
			[]string{"success", "success", "error"}[g.rng.IntN(3)], last.UnixMilli())
	}
	*conversations = append(*conversations, id, account, agent, "v2",
		string(searchedChannels[g.rng.IntN(len(searchedChannels))]), fmt.Sprintf("user%d", g.rng.IntN(20_000)),
		string(searchedStates[g.rng.IntN(len(searchedStates))]), messagesPerConversation, messagesPerConversation,
		last.UnixMilli(), at.UnixMilli())
}
