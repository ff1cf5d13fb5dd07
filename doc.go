// Package parley is the vocabulary of an open, self-hosted server for AI support agents, and this page is the guided tour of
// its house, from the ground up.
//
// # What it is for
//
// An operator runs one program. It hosts agents; an agent answers messages from its sources, streams the answer and cites
// what each sentence rests on. Four things matter more than any feature: nothing that was acknowledged is lost; nobody sees
// what belongs to another account; an answer can be checked against its sources; and all of it works on a laptop without a
// network.
//
// # The nouns
//
// This package holds them, a file each, as plain structs whose methods need nothing else. An [Account] owns everything. An
// [APIKey] opens it, within a [Plan] and its [Scope]s. An [Agent] has read [Source]s; the text of a source is a [Version], and
// a version is cut into [Passage]s, which are what retrieval finds and what a [Citation] points into. A [Conversation] holds
// [Message]s. A [Turn] is one answer in the making. Ids are named string types (id.go), so that the compiler keeps them apart.
// [Error] is the one error type that reaches a caller; code.go is the one table of codes, with their statuses and sentences.
//
// # The floors
//
// Imports go to a lower floor, never up and never sideways; arch_test.go holds the table and fails otherwise. A room that
// wants something from above is handed it as a function, or it is in the wrong room.
//
//	9  cmd/parley  bench
//	8  house                                  puts the rooms together
//	7  api  apiv1  mcp  admin  voicepage      faces
//	6b manifest                               above agents
//	6  voice  agents  actions  eval           verbs that use another verb
//	5  chat  ingest  search  access  webhook  verbs; none knows another
//	4  store  voice/sfu                       all SQL of the nouns; the media server
//	3  retrieval  jobs  ingest/crawl  ingest/extract  voice/ear  voice/rtc
//	2  sqldb  llm  wire  outbound  vault  metrics
//	1  parley  words  prose  pcm  listen  docs  web
//
// # Floor 1: words, prose, pcm, listen and docs
//
// internal/text/words cuts text into words the same way wherever words are compared: it folds case and accents, stems, and makes
// the character n-grams that forgive a typo. internal/text/prose tells how a text is laid out: headings, paragraphs, lists, tables,
// code, and the sentences in them. internal/audio holds sound as samples: WAV files and changes of rate.
// internal/listen takes the connections of HTTP servers: it bounds them, and serves clients that have closed their
// half. docs embeds the operator's manual, which the demo's agent reads.
//
// # Floor 2: sqldb, llm, wire, outbound, vault, metrics
//
// internal/sqldb speaks one SQL text in two dialects. A DB is a pool or a transaction, and a method written for one works in
// the other. On SQLite all writes go through one writer that commits whatever is queued together; each caller hears of
// success only after the commit is on disk. Answers have a lane of their own ahead of bulk work. The room also runs the
// migrations, each written once for both databases.
//
// internal/model is the port to language models: Model answers one request as a stream of chunks. Behind it stand the clients
// for the OpenAI wire format and for Anthropic's, a scripted double for tests, and the built-in model, which needs no weights and
// no network: it quotes sentences of the passages it is given, says so when they hold no answer, and asks back when a question is
// too short. Table maps the names that agents choose to back ends. The words of the prompts are files; what sources say is fenced.
// Embedder turns texts into vectors, and its client speaks the same wire format. Synthesizer speaks and Transcriber understands
// speech; Speech chooses among the programs and servers behind them.
//
// internal/httpapi is what HTTP faces share. An operation is a typed function with a description; from it come the routing, the
// strict decoding, the validation and the OpenAPI document, so that they cannot drift apart. Handlers return errors, and only
// the face writes a status. The room also holds cursors, the stream of server-sent events and the record of each request, and it
// reads the Idempotency-Key by which a client says that several requests are one.
//
// internal/outbound is the one HTTP client for what a stranger named. It looks at the very address it is about to dial, on
// every connection and every redirect, and bounds time and size. internal/vault seals secrets before they are stored.
//
// internal/metrics is what Prometheus is shown. The rooms do not know it: they tell functions that they are handed, or are asked when
// somebody looks, and house joins the two.
//
// # Floor 3: retrieval and jobs
//
// internal/retrieval keeps the passages table and searches it in memory: one index per agent, built at first use, kept while
// the budget allows, refreshed by what changed. It fuses character n-grams, stemmed words and word pairs, and then reads the best passages word by word. The same code runs
// on both databases and gives the same order. Where an embedder is configured it compares the vectors of all passages with the
// question's as well, and weighs them against the words.
//
// internal/jobs runs jobs that survive a restart. A job is enqueued in the transaction that made it necessary, leased by a
// worker, tried again after a failure and kept as dead when it never works. Every job may run twice without harm.
//
// internal/ingest/crawl reads web sites through outbound: robots.txt, sitemaps, links, one address after the other, each written
// down in a Frontier that is handed in, so that a crawl goes on after a restart. It knows neither sources nor accounts.
//
// internal/ingest/extract turns files and pages into text laid out like Markdown. Sniff tells a file by its content; Pool has it
// read by children of this program (parley extract), which can do nothing but compute, so that a hostile file costs nothing but
// itself.
//
// internal/voice/rtc is the WebRTC side of voice. Its Server is where the rooms are: it runs the media server as a child of this
// program, opens and ends rooms, signs the tokens that let a user and an agent in, and hands signalling on from the public port.
// Its Participant is the agent in such a room: it gives the user's voice in order (intake), plays speech on the beat of a clock
// (pump), and shows state and transcript. Transport is all that those above see of it.
//
// internal/voice/vad tells voices from other sounds and finds the ends of turns, in PCM alone and without learned weights.
//
// # Floor 4: store, voice/sfu
//
// internal/voice/sfu is the media server: LiveKit, run by the command "parley sfu" in a process of its own and nowhere else.
//
// internal/store holds all SQL of the nouns, a file each, and the migrations. The owner is in every query, so that another
// account's row is simply not found. Rows and nullable columns do not leave this room. Whatever happened is also written as an
// event, in the same transaction, and so is what a request with an Idempotency-Key has done (Did): the same request answers
// with that and does nothing.
//
// # Floor 5: access, ingest, chat, search, insight, helpdesk
//
// internal/access answers who is calling and may they: keys, plans, scopes and rate limits, and whether anybody may while the
// service is under maintenance. Door is how every face lets a request in. Office holds the operator's verbs on accounts, keys and members, each with an entry in the audit log.
//
// internal/ingest makes passages of a source: Split cuts a text along its headings, paragraphs and sentences, and Desk takes
// texts in, trains them as jobs and removes them. An earlier version answers until the next one is complete. A link is read by a job
// of its own: its frontier is in the database, and each page it finds is a source below the link. A file lies in a folder, under
// the hash of its bytes, before its row is written; a job of its own finds the text in it, which is then trained as texts are.
// Where an embedder is configured, a further job gives the passages their vectors; nobody waits for it.
//
// internal/chat runs turns. A turn belongs to the server, not to a request: it goes on when its reader leaves, and any number
// of readers may follow its event log. What a connected model is shown is made to fit its context. Clerk holds what people do with conversations: rate, pause, take over, hand back, end,
// delete. Hub wakes those who follow one.
//
// internal/search finds conversations. Its Indexer follows the events of the accounts and keeps two indexes of words, behind FTS5 and
// tsvector; its Finder reads a query, finds candidates in the one, ranks them by the other and by their texts, and cuts snippets.
//
// internal/insight finds out about conversations after the talk: title, topic, sentiment, and what came of them. Its Keeper follows the
// events too, leaves a job for each conversation, and keeps the sums of the days right in the transaction that writes an insight.
//
// internal/contact keeps the people whom a client knows by ids of its own, and the attributes that they may have. Its Book adds and
// changes many in one step; customers of tickets are people of the same table.
//
// internal/webhook tells other servers what has happened. Desk leaves a delivery for each webhook in the transaction that records
// the event; Sender sends it as a job through outbound, signed, for about a day, and then it is dead until an operator has it sent again.
//
// internal/helpdesk is where people answer. Desk opens tickets: in one transaction a ticket gets its number, its customer, its
// conversation, and by the rules and the team's strategy somebody who is to answer. route.go and pick.go decide that without the
// database, and Explain tells why. What a team has set up, statuses, teams and rules, is changed here too, under the lock that also
// counts the tickets. What is said about a ticket stands in the messages of its conversation.
//
// # Floor 6: voice, agents, actions, eval
//
// internal/voice holds talks. Desk admits a session in one transaction that counts it against the agent's limits and sets the
// credits of its first minute aside, has its room made, and holds it under a lease: each minute is paid for as it begins, and each
// session ends once, for one reason, also when its server dies. Talker is the agent's part: one goroutine owns a talk and takes in
// sound, text, turns and time. It decides whether a voice over the agent is an interruption (barge.go), has each question answered
// by chat, speaks the answer piece by piece, and keeps of it what was heard. Meter measures where the time goes.
//
// internal/agents creates, changes, clones and retires agents, within the plan. A clone of a large agent gets its sources from a
// job, and is training until they are there. A retired agent is gone at once; its rows are erased by a job in small steps.
//
// internal/manifest holds agents as code: it reads and writes their YAML files, compares documents with the agents that exist, and
// applies them in one transaction.
//
// internal/actions is what an agent can do besides talk. define*.go checks what an operator has written; Box makes tools of it,
// which chat offers to the model: HTTP requests, leads, hand-over, links, web search, and procedures, which run others in order.
//
// internal/eval measures answers. It reads sets of questions, runs them through ingest's passages and chat's prompt as a turn does,
// and counts what was found, refused and cited; plain BM25 runs beside it. Replayer asks an agent its past questions again.
//
// # Floor 7: api, apiv1, mcp, admin and voicepage
//
// internal/api/v2 is REST v2: routes.go is the one list of operations, types.go the shapes on the wire. Epoch seconds and ISO
// strings exist here and nowhere below. examples_*.go tell each operation to its readers, and docspage.go shows the whole to
// people. clients/ts, outside the house, is the typed client made from the same document.
//
// internal/api/v1 is REST v1, for integrations that were written for it: other words and shapes for the same verbs. What is no
// part of v2 (conversations under the client's own ids, messages that replace those that were saved) it asks of chat and store.
//
// internal/api/mcp is the face for AI assistants. A tool is an operation of REST v2, with its schemas, asked for within the process
// with the caller's key; so it has no rules of its own.
//
// internal/api/admin is the operator's face: the same verbs through a socket of the running server or on the opened database.
//
// internal/widget hands browsers the library with which they join voice sessions, and a page on which a person can talk to an
// agent. Both are written in web/voice, and built into web/built by "make web"; web embeds them.
//
// # Floors 8 and 9: house, cmd/parley, bench
//
// internal/server opens the database, builds each room on those below it, and starts and stops what works in the background.
// cmd/parley is flags, environment and printing, a file per command. bench measures the server beside a floor: a bare handler
// that does only what cannot be avoided.
//
// # The walk of a chat turn
//
// wire returns the request its id and reads the body; access finds account and plan behind the key, counts the request and checks
// the scope; api checks the shape and calls chat.Start. The first transaction finds or makes the conversation, keeps the user's
// message, opens the turn with a lease and reserves the credits. Meanwhile retrieval looks for passages, and where nothing speaks
// against it the turn's own goroutine already asks the model; what comes goes into the turn's event log, which nobody reads before
// the first transaction is on disk. The second transaction stores the answer with its
// citations, its trace and its price, and only then is the end announced. api reads the log and writes one JSON or a stream. If
// the process dies in between, the lease runs out and recovery closes the turn and gives the credits back.
//
// # How it is tested
//
// go test ./... needs no network. Rules are tables of cases beside the code. Every statement of SQL runs on SQLite and, where its
// programs are installed, on a private PostgreSQL that the tests start themselves (internal/testkit/dbs). The HTTP interface is told
// in stories (internal/api/v2/testdata) against the whole house, which internal/testkit opens on a temporary database; every response is
// checked against the OpenAPI document. internal/testkit/faults kills servers and databases, fills the disk and cuts connections, and
// reads back everything that was acknowledged. What is promised is golden: make golden rewrites it, and the difference is read.
package parley
