// Package parley is the vocabulary of an open, self-hosted server for AI support agents. This page is a tour of the
// whole program: what it does, what it is made of, what happens when a request comes in, and where to add things.
//
// # What it does
//
// An operator runs one program. It hosts agents. An agent answers messages from its sources, in chat and by voice,
// streams the answer and cites what each sentence is based on; it calls tools, opens tickets and hands over to people.
// Everything that was said can be listed, exported and searched.
//
// Four things matter more than any feature: nothing that was acknowledged is lost; nobody sees what belongs to another
// account; an answer can be checked against its sources; and all of it works on a laptop without a network.
//
// # The nouns
//
// This package holds them, a file each, as plain structs whose methods need nothing else.
//
//   - An [Account] owns everything. An [APIKey] opens it, within a [Plan] and the key's [Scope]s.
//   - An [Agent] has [Source]s. The text of a source is a [Version], and a version is cut into [Passage]s, which
//     retrieval finds and a [Citation] points into.
//   - A [Conversation] holds [Message]s. A [Turn] is one answer being made. A [VoiceSession] is a conversation by
//     voice.
//   - A [Ticket] is a request that people work on. It belongs to a [Team] and has a conversation of its own.
//   - A [Contact] is a person whom the client knows. A [Webhook] is an address that is sent events.
//
// Ids are named string types (id.go), so that the compiler keeps them apart. [Error] is the one error type that reaches
// a caller; code.go is the one table of codes, with their statuses and default messages.
//
// # The layers
//
// A package imports packages of lower layers, never of its own or a higher one; arch_test.go holds the table and fails
// otherwise. Packages of one folder may share a layer, such as model; arch_test.go then holds their order. A package
// that needs something from above is handed it as a function, or it is in the wrong place. The table is generated from
// the test by "make golden":
//
//	12 cmd/parley
//	11 bench doctor
//	10 bench/internal/chat bench/internal/embedding bench/internal/ingest bench/internal/retrieval
//	   bench/internal/search bench/internal/start bench/internal/voice bench/internal/web server
//	9  console widget
//	8  api/admin api/channelapi api/chatapi api/mcp api/mobile api/oauth api/openai api/pairingapi api/v1 api/v2
//	   manual
//	7  api/looks api/once api/uistream manifest movein synonym
//	6  actions agents archive backup channel eval modelserver notice pairing person visitor voice
//	5  bench/internal/harness access chat contact helpdesk ingest insight search webhook
//	4  bench/internal/baseline events voice/sfu
//	3  bench/internal/load api/docspage ingest/crawl ingest/extract ingest/extract/draft ingest/extract/html
//	   ingest/extract/office ingest/extract/pdf ingest/extract/sandbox jobs limits model model/anthropic
//	   model/bert model/cite model/cohere model/local model/openai model/prompt model/quantized model/quote
//	   model/safetensors model/stream model/tokenizer retrieval speech speech/deepgram speech/local
//	   speech/openai store voice/rtc voice/vad
//	2  bench/internal/corpus bench/internal/stub bus httpapi httpclient mail metrics outbound sqldb vault
//	1  parley bench/internal/process bench/internal/report docs audio certs cmdline datadir listen memory ready
//	   s3 sqldb/sqlite text/charset text/contact text/dictionary text/language text/markdown text/prose
//	   text/redact text/safehtml text/words tracing web
//
// # Layer 1: what needs nothing
//
// internal/text/language holds what is known of each language, a file for each: its words, its phrases, and what the
// built-in model says in it. internal/text/words cuts text into words in the same way wherever words are compared: it
// folds case and accents, stems, and makes the character n-grams that forgive a typo. internal/text/markdown finds the
// blocks of a text: headings, paragraphs, list items, tables, code; internal/text/prose finds the sentences in them.
// internal/audio holds sound as samples: WAV files and changes of rate. internal/listen bounds the connections of HTTP
// servers and serves clients that have closed their half. internal/datadir is the lock and the socket of a data
// directory; internal/memory keeps the program small while it rests; internal/ready answers load balancers;
// internal/certs gets the certificates of HTTPS; internal/tracing sends traces to a collector. internal/cmdline is what
// the command line has beside its parser: completion scripts, the manual page and the file of settings. internal/s3
// keeps files in buckets. docs embeds the operator's manual, which internal/manual shows and the demo's agent reads;
// web embeds what browsers load.
//
// internal/text/dictionary translates words by dictionaries that the operator has installed or written.
//
// internal/text/redact masks personal data in texts; internal/text/contact finds addresses and numbers that somebody is
// reached by. internal/text/charset finds the encoding of a text and converts it to UTF-8. internal/text/safehtml turns
// Markdown of strangers into HTML that does no harm, and that into plain text.
// internal/sqldb/sqlite binds SQLite's C interface, as far as internal/sqldb needs it.
//
// # Layer 2: databases, HTTP
//
// internal/sqldb runs the same SQL on SQLite and PostgreSQL. A DB is a pool or a transaction, and a method written for
// one works in the other. On SQLite all writes go through one writer that commits whatever is queued together; a caller
// learns of success only after the commit is on disk. Answers are written before bulk work. Migrations are written once
// for both databases.
//
// internal/bus tells the servers on one database at once what has changed on one of them, by PostgreSQL's NOTIFY or by
// Redis, so that an idle server hardly asks. What it tells may be lost: everybody looks every ten seconds as well.
// Redis also counts, for all servers together.
//
// internal/httpclient calls the servers of providers, with timeouts and retries.
//
// internal/httpapi is what all HTTP APIs share. An operation is a typed function with a description; routing, strict
// decoding, validation and the OpenAPI document are derived from it, so that they cannot drift apart. Handlers return
// errors, and only this package writes a status. It also holds cursors, server-sent events, the record of each request,
// and the reading of Idempotency-Key. internal/api/docspage renders the OpenAPI document as a page for browsers.
//
// internal/outbound is the one HTTP client for addresses that strangers named. It checks the very address that it is
// about to dial, on every connection and every redirect, and bounds time and size. internal/vault seals secrets before
// they are stored. internal/mail sends mails by SMTP. internal/metrics is what Prometheus reads; the packages that are
// measured do not know it.
//
// # Layer 3: models, speech, store, retrieval, jobs, reading files
//
// internal/model is the port to language models: a Model answers one request as a stream of chunks, an Embedder turns
// texts into vectors, and a Reranker scores texts by how well they answer a question. Behind it are clients for the
// OpenAI and Anthropic wire formats, and the built-in model, which needs no weights and no network: it quotes sentences
// of the passages it is given, says so when they hold no answer, and asks back when a question is too short. A registry
// maps the names that agents choose to back ends. What sources say is fenced in the prompt.
//
// internal/speech is the port to engines that speak and that understand speech, and chooses among them; the engines are
// internal/speech/local, which runs programs of this machine, internal/speech/openai and internal/speech/deepgram.
//
// internal/model/openai and internal/model/anthropic are the clients, internal/model/cohere is the client of reranking
// servers, internal/model/quote is the built-in model, and internal/model/cite finds what a sentence of an answer is
// based on. internal/model/prompt holds the words that they are instructed with, and internal/model/stream reads the
// streams of the clients.
//
// internal/model/local embeds texts in this process, with a model that the operator has put into a folder: it reads the
// folder and has questions go before passages. internal/model/bert computes models of the BERT family,
// internal/model/tokenizer cuts texts into the pieces that they know, internal/model/safetensors reads their weights,
// and internal/model/quantized multiplies with weights of a byte each.
//
// internal/store holds all SQL of the nouns, a file each, and the migrations. The owner is in every query, so that
// another account's row is simply not found. Whatever happened is also written as an event, in the same transaction,
// and so is what a request with an Idempotency-Key has done.
//
// internal/retrieval finds passages. It keeps one index per agent in memory, built at first use and refreshed by what
// changed. It fuses character n-grams, stemmed words and word pairs, then reads the best passages word by word; where
// an embedder is configured, vectors count as well. The same code runs on both databases and returns the same order.
//
// internal/jobs runs jobs that survive a restart. A job is enqueued in the transaction that made it necessary, leased
// by a worker, tried again after a failure, and kept as dead when it never succeeds. Every job may run twice without
// harm.
//
// internal/limits counts requests against limits: exactly, in sliding windows, on this server and, where the bus can
// count, together with the others. It never refuses anybody because the counter is away.
//
// internal/ingest/crawl reads web sites through outbound: robots.txt, sitemaps, links. It writes down what it has done
// in a Frontier that is handed in, so that a crawl continues after a restart. internal/ingest/extract turns files and
// pages into text laid out like Markdown. Files are read by child processes (parley extract) that can do nothing but
// compute, so that a hostile file harms only itself.
//
// internal/ingest/extract/draft is what the readers of files share, with its limits. The readers are
// internal/ingest/extract/pdf, internal/ingest/extract/office and internal/ingest/extract/html;
// internal/ingest/extract/sandbox takes from their process what it does not need.
//
// internal/voice/rtc is the WebRTC side of voice. Its Server runs the media server as a child of this program and signs
// the tokens with which user and agent join. Its Participant is the agent's end of a session: it delivers the user's
// voice in order, plays speech at the pace of a clock, and shows state and transcript. internal/voice/vad detects
// voices among other sounds and the ends of turns, from PCM alone and without learned weights.
//
// # Layer 4: events
//
// internal/events is the one follower of the event log: whoever wants to know what happened follows it under a name,
// and its position is kept. What the console shows follows it without one, as long as somebody looks.
//
// internal/voice/sfu is the media server, LiveKit, run by "parley sfu" in a process of its own and nowhere else.
//
// # Layer 5: services
//
// internal/access answers who is calling and whether they may: keys, plans, scopes, maintenance. Its Accounts are the
// operator's operations on accounts, keys and members, each with an entry in the audit log. Users signs people in, by
// passwords, passkeys, recovery codes and links, and WebSessions finds them by the tokens of their cookies.
//
// internal/ingest makes passages of sources, as jobs. An earlier version of a source answers until the next one is
// complete.
//
// internal/chat runs turns. A turn belongs to the server, not to a request: it continues when its reader leaves, and
// any number of readers may follow its event log. Conversations is what people do with a conversation: rate, pause,
// take over, hand back, end, delete.
//
// internal/search finds conversations. It follows the event log and keeps two indexes of words, behind FTS5 and
// tsvector. internal/insight follows it too, and determines title, topic, sentiment and outcome of each conversation
// once it is quiet. internal/webhook sends events to other servers, signed, as jobs that are tried again for about a
// day.
//
// internal/helpdesk is where people answer. In one transaction a ticket gets its number, its customer, its conversation
// and, by the routing rules and the team's strategy, an assignee. internal/contact keeps the people whom a client
// knows.
//
// # Layer 6: services that use services
//
// internal/visitor knows who meets an agent in its widget: a browser without a name, or a user whom the embedding site
// vouches for. Its tokens are what browsers show in place of keys.
//
// internal/voice holds voice sessions. Sessions admits one in a transaction that counts it against the agent's limits
// and reserves the credits of its first minute; each minute is paid for as it begins, and each session ends once, for
// one reason, also when its server dies. A Responder is the agent's part of a session: one goroutine owns the dialog
// and receives sound, text, turns and time. It decides what is an interruption, has each question answered by chat,
// speaks the answer piece by piece, and stores as much of it as the customer heard.
//
// internal/agents creates, changes, clones and retires agents, within the plan. internal/actions is what an agent can
// do besides talking: HTTP requests, leads, hand-over, links, web search, and procedures, which run others in order.
// internal/eval measures answers: what was found, refused and cited.
//
// internal/modelserver connects accounts to servers of models of their own, sealed and reached through outbound, and
// knows which one a model name of an account leads to and whether it works.
//
// internal/backup copies the database, as it is at one moment, and the files that it names while a server runs, and
// puts them back. internal/archive writes one account to a file and reads it into another installation, on whichever
// database.
//
// internal/notice mails members that a customer waits or that a ticket is theirs, customers that somebody has answered
// them, and once a day what happened at an agent. It follows the event log, and each mail is a job. internal/person
// exports and erases what an account holds of one person.
//
// internal/pairing hands API keys to command lines, once somebody has entered their code in the console.
// internal/channel takes the messages of messengers from the programs that connect them, and has an agent or a person
// answer; internal/webhook sends the answers back.
//
// # Layer 7: agents as code
//
// internal/manifest reads and writes manifests, and applies one in one transaction, through the services.
// internal/synonym proposes groups of synonyms to the operator, from questions that an agent has refused.
// internal/movein takes over what an account has at another service that speaks REST v2, through its public endpoints.
// internal/api/uistream writes answers as streams of events, for the APIs that have them. internal/api/looks is the
// JSON of what visitors see of an agent: its styles and its suggested messages. internal/api/once runs requests with an
// Idempotency-Key once.
//
// # Layer 8: APIs
//
// internal/api/v2 is REST v2: routes.go is the one list of operations. Epoch seconds and ISO strings exist in the APIs
// and nowhere below. internal/api/v1 is REST v1, for integrations that were written for it. internal/api/openai serves
// clients of OpenAI's form, to whom an agent is a model. internal/api/mobile serves operations of REST v2 to apps that
// hold no key. internal/api/mcp serves AI assistants: a tool is an operation of REST v2, called within the process
// with the caller's key; internal/api/oauth hands keys to assistants that can sign in by OAuth alone.
// internal/api/pairingapi hands them to command lines, and internal/api/channelapi takes the messages of messengers.
// internal/api/admin is the operator's API, on a socket of the running server. internal/api/chatapi is what the widget
// calls for visitors of a site. internal/manual shows the operator's manual as pages. They translate and hold no
// rules. clients/ts is the typed client made from the OpenAPI document, and clients/go the client for Go, a module of
// its own.
//
// # Layer 9: the console and the widget
//
// internal/console hands browsers the pages with which the people of a company run their agents, signs them in, tells
// them what happens, and serves them the operator's API and REST v2 with the rights of their roles.
//
// internal/widget serves what the browsers of visitors load: the loader, the chat frame, the help page, and the library
// for voice sessions.
//
// # Layers 10 to 12: the program
//
// internal/server opens the database, builds each value from the configuration, and starts and stops what runs in the
// background. internal/doctor examines an installation: settings, data, engines, machine. cmd/parley is flags,
// environment and printing, a file per command. bench measures the server beside a bare handler that does only what
// cannot be avoided.
//
// # The walk of a chat turn
//
//  1. internal/httpapi assigns the request id and reads the body.
//  2. internal/access finds account and plan of the key, counts the request and checks the scope.
//  3. internal/api/v2 checks the shape and calls chat.Start.
//  4. The first transaction finds or creates the conversation, stores the user's message, opens the turn with a lease
//     and reserves the credits.
//  5. Meanwhile internal/retrieval finds passages, and the turn's own goroutine already asks the model. What it answers
//     goes to the turn's event log, which nobody reads before the first transaction is on disk.
//  6. The second transaction stores the answer with its citations, its trace and its price. Only then is the end
//     announced.
//  7. internal/api/v2 reads the log and writes one JSON document or a stream.
//
// If the process dies in between, the lease runs out, and recovery closes the turn and releases the credits.
//
// # The walk of a source
//
//  1. The API calls internal/ingest, which writes the row and a job in one transaction; the reply is 201.
//  2. A worker of internal/jobs leases the job. A link is read by internal/ingest/crawl, and each page becomes a source
//     below it; a file is read by internal/ingest/extract in a child process.
//  3. The text is split along its headings, paragraphs and sentences, and the passages are put into internal/retrieval.
//  4. The source is trained, or failed with a reason; the earlier version answered until then. Vectors follow in a
//     further job.
//
// # The walk of a search
//
//  1. internal/httpapi and internal/access as above; the scope is chatlogs:export.
//  2. internal/search counts the search against the account's limit, and checks dates, filters and cursor.
//  3. It finds candidates in one index, ranks them by the other and by their texts, and fixes the order for the pages
//     that follow.
//  4. internal/store reads the conversations, with the owner in the query, and snippets are cut.
//
// # Where to add things
//
// CONTRIBUTING.md lists the steps for a route, a source kind, a model wire, a speech engine, a language, a webhook
// event and an error code. docs/interface holds the rules of the REST interface that comments cite; docs/decisions
// explains the decisions that would be expensive to change.
//
// # How it is tested
//
// go test ./... needs no network. Rules are tables of cases beside the code. Every statement of SQL runs on SQLite and,
// where its programs are installed, on a private PostgreSQL that the tests start themselves. The HTTP interface is
// tested by stories (internal/api/v2/testdata) against a whole server, which internal/testkit opens on a temporary
// database, with the model of internal/testkit/scripted; every response is checked against the OpenAPI document.
// Fixtures share internal/testkit/check, clock and dbs. internal/testkit/faults kills servers and databases, fills the
// disk and cuts connections, and reads back everything that was acknowledged. What is promised is golden: make golden
// rewrites it, and the difference is read.
package parley
