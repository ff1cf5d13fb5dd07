package store

// archiveSpec lists the tables and columns of which an archive of an account holds the rows, in the order in which they
// are written and read. A line that begins a table has its name, in parentheses the columns by which its rows are
// ordered, which are unique, and behind a colon a condition of the rows t that are archived, which may go on in lines
// that begin with "and" or "where". Every table but accounts, users and settings has an account_id too, which is the
// archive's.
//
// The lines of its columns have a name and what is in it; a question mark allows null:
//
//	text         a text
//	nat32, nat   a number from 0, of 32 bits or up to MaxArchiveNumber
//	int          a number that is added up, not farther from 0 than MaxArchiveSum
//	time         a time in milliseconds since 1970, up to MaxArchiveTime
//	real, flag   a fraction; 0 or 1
//	json         any JSON; object and array are JSON of that kind
//	hash         the SHA-256 of a file, in hex
//	id           an id; id0 may be empty
//	message      the id of a message, which another service may have given; message0 may be empty
//	who          an id of a member, or a word for somebody else
//	agent        the name of a setting of an agent, which ends with its id
//	day, month   a day such as 2026-11-21, a month such as 2026-11
//	enum:NAME    one of the values of NAME (archiveEnums, parley.EnumValues)
//
// "-> table" says whose id it is. A row whose id there is not archived is not either; where the id may be null, it is
// null then. "ids" lists the places of ids within JSON. A column with "=" is not archived: it gets that value on
// import, and the reason follows.
const archiveSpec = agentArchiveSpec + conversationArchiveSpec + ticketArchiveSpec

// agentArchiveSpec has an account with its members, and its agents with their sources.
const agentArchiveSpec = `
accounts (id)
  id id
  name text
  plan text
  credits nat?
  hipaa flag
  viewers_see_personal_data flag
  time_zone text
  created_at time
  updated_at time
  event_seq = 0 # counts the log of events, which begins at the start
  open_turns = 0 # no answer is being given
  only_sso = 0 # needs a provider of single sign-on, which is set up again
  exempt_owner = null # goes with only_sso
  admins_need_passkey = 0 # passkeys are made again, by whoever comes along
  no_passwords = 0 # likewise
  audit_seq = 0 # the log of audit begins anew
  audit_hash = '' # goes with audit_seq

users (id)
  id id
  email text
  name text
  locale text
  theme text
  notifications object?
  created_at time
  password_hash = null # a secret: whoever comes along sets a password by a link
  email_proved_at = null # was proved to another installation
  second_step = 0 # needs a password

memberships (user_id)
  user_id id -> users
  role enum:role
  created_at time
  last_seen_at time?

agents (id): t.deleted_at is null
  id id
  name text
  instructions text
  channel_instructions json?
  model text
  auto_retrain flag
  temp real
  visibility enum:visibility
  allowed_domains array?
  suggested_messages json?
  initial_messages array
  credit_limit nat?
  notifications json?
  rate_limit object
  voice json?
  styles json?
  config_version nat
  passage_version nat
  size nat
  sources_live nat32
  sources_pending nat32
  sources_failed nat32
  last_message_at time?
  last_trained_at time?
  created_at time
  updated_at time
  key text?
  tools nat32
  redact flag
  retention_days nat32?
  synonyms array?
  topics array?
  insight object?
  v1 json?
  icon_blob id? -> blobs
  picture_blob id? -> blobs
  voice_limits object?
  widget_limits object?
  mailed_day day?
  file_retention_days nat?
  visitor_retention_days nat?
  identity_secret = secret # a secret: a new one is made
  identity_secret_old = null # a secret
  identity_old_until = null # goes with identity_secret_old
  deleted_at = null # what is deleted is not archived

settings (name): t.name like 'recordings:%'
  name agent -> agents
  value text

agent_versions (agent_id, version)
  agent_id id -> agents
  version nat
  at time
  actor who?
  changed array
  settings object

model_servers (id)
  id id
  kind enum:modelServerKind
  name text
  format text
  url text
  model text
  model_names array
  context_tokens nat
  dimensions nat
  created_at time
  updated_at time
  sealed_key = null # a secret
  key_set_at = null # goes with sealed_key
  key_set_by = null # goes with sealed_key
  checked_at = null # what another installation has found
  failing_since = null # what another installation has found
  last_error = null # what another installation has found

webhooks (id): (t.agent_id is null or exists (select 1 from agents v where v.id = t.agent_id and v.deleted_at is null))
  id id
  agent_id id? -> agents
  endpoint text
  events array
  channel enum:channel?
  name text?
  created_at time
  updated_at time
  signing = '' # a secret: a new one is made before the webhook is turned on
  key_id = null # keys are not archived
  disabled_at = now # needs a new secret, and the other installation may still send

actions (id)
  id id
  agent_id id -> agents
  key text
  kind enum:actionKind
  name text
  description text
  triggers array
  inputs array
  config object
  enabled flag
  position nat32
  created_at time
  updated_at time
  secrets = '' # secrets
  secret_notes = null # goes with secrets

procedures (id)
  id id
  agent_id id -> agents
  key text
  name text
  description text
  triggers array
  inputs array
  steps array
  enabled flag
  position nat32
  created_at time
  updated_at time

blobs (id)
  id id
  agent_id id -> agents
  hash hash
  size nat
  media_type text
  name text
  created_at time
  place = place # where the installation keeps files

sources (id): t.deleted_at is null and t.status <> 'toBeDeleted'
  and not exists (select 1 from sources p where p.id = t.parent_id
  and (p.deleted_at is not null or p.status = 'toBeDeleted'))
  id id
  agent_id id -> agents
  kind enum:sourceKind
  name text
  url text
  parent_id id? -> sources
  size nat
  status enum:sourceStatus
  failure text
  metadata json?
  live_version id? -> source_versions
  live_in nat
  wanted_version id? -> source_versions
  next_sync_at time?
  created_at time
  updated_at time
  key text?
  crawl_run nat
  deleted_at = null # what is deleted is not archived

source_versions (id): exists (select 1 from sources v
  where v.id = t.source_id and t.id in (v.live_version, v.wanted_version))
  id id
  agent_id id -> agents
  source_id id -> sources
  hash text
  content json?
  text text
  blob_id id? -> blobs
  state enum:versionState
  created_at time

passages (id): exists (select 1 from sources v where v.id = t.source_id and v.live_version = t.version_id)
  id id
  agent_id id -> agents
  source_id id -> sources
  version_id id -> source_versions
  ordinal nat32
  heading text
  start_byte nat32
  end_byte nat32
  text text
  hash text

crawl_pages (id)
  id id
  agent_id id -> agents
  source_id id -> sources
  url text
  role enum:crawlRole
  depth nat32
  hops nat32
  place nat
  left_out nat32
  state enum:crawlState
  reason text
  target text
  status nat32
  bytes nat
  etag text
  modified text
  claimed = 0 # nobody is reading the page
`

// leftOutTables are the tables of which an archive holds nothing, each with the reason.
var leftOutTables = map[string]string{
	"account_imports":     "how far imports of archives have come",
	"api_keys":            "secrets: only hashes of keys are stored, and new keys are made",
	"audit_events":        "a chain that proves what was done in this installation, and is exported by itself",
	"blob_data":           "the bytes of files, which an archive holds as files",
	"conversation_counts": "counted again on import",
	"event_positions":     "how far readers have come in the log of events",
	"member_files":        "files that were not sent yet",
	"events":              "the log of what happened in this installation, which other readers follow",
	"goose_db_version":    "the schema's own",
	"idempotency_keys":    "replies that are kept for a day for requests that are repeated",
	"insight_accounts":    "how far insight has come in the log of events",
	"invites":             "secrets: only hashes of links are stored, and people are invited again",
	"jobs":                "work of this installation; what is not finished is begun again on import",
	"mail_notices":        "mails that this installation has sent",
	"migration_readers":   "the schema's own",
	"migration_sums":      "the schema's own",
	"pairings":            "command lines that ask this installation for a key",
	"passage_vectors":     "made again from the passages by the embedding server of the installation",
	"passkey_challenges":  "sign-ins that are under way",
	"passkeys":            "belong to the address of this installation",
	"recovery_codes":      "secrets",
	"search_accounts":     "the index of conversation search, which is built again",
	"search_agents":       "the index of conversation search, which is built again",
	"search_buckets":      "the index of conversation search, which is built again",
	"search_docs":         "the index of conversation search, which is built again",
	"search_messages":     "the index of conversation search, which is built again",
	"search_walks":        "pages of a search that somebody is reading",
	"search_words":        "the index of conversation search, which is built again",
	"sso_domains":         "proved to this installation",
	"sso_links":           "sign-ins at providers that this installation knows",
	"sso_providers":       "a secret, and an address that the provider knows this installation by: it is set up again",
	"ticket_words":        "the index of tickets, which is built again on import",
	"web_sessions":        "secrets: people sign in again",
	"webhook_deliveries":  "what this installation sends, and has sent",
}
