package store

// conversationArchiveSpec has people, visitors and conversations.
const conversationArchiveSpec = `
people (id)
  id id
  agent_id id -> agents
  email text?
  external_id text?
  name text?
  phone text?
  attributes object
  stripe_accounts array?
  created_at time
  updated_at time

custom_attributes (agent_id, name)
  agent_id id -> agents
  name text
  label text
  type enum:attributeType
  description text
  created_at time
  updated_at time
  archived_at time?

visitors (id)
  id id
  agent_id id -> agents
  user_id text?
  first_page text?
  merged_into id? -> visitors
  locale text
  created_at time
  last_seen_at time
  check_at = 0 # the server looks at visitors again

visitor_files (id)
  id id
  agent_id id -> agents
  visitor_id id -> visitors
  blob_id id -> blobs
  name text
  media_type text
  size nat
  created_at time
  content_text text?

visitor_credits (agent_id, visitor_id, day)
  agent_id id -> agents
  visitor_id id0 -> visitors
  day day
  used nat
  reserved = 0 # no answer is being given

conversations (id): t.deleted_at is null
  id id
  agent_id id -> agents
  face enum:api
  external_id text?
  channel enum:channel
  streamed flag
  user_id text?
  person_id id? -> people
  status enum:conversationStatus
  paused flag
  ended_at time?
  ended_by who?
  parent_id who?
  parent_summary text?
  embed_origin text?
  title text?
  language text?
  message_count nat32
  last_seq nat
  last_activity time
  created_at time
  escalated flag
  title_made flag
  visitor_id id? -> visitors
  claimed_by id? -> users
  waiting_since time?
  snoozed_until time?
  embed_title text?
  embed_locale text?
  move_in_key text?
  deleted_at = null # what is deleted is not archived

move_in_deletions (conversation_id)
  conversation_id text

move_ins (id)
  id id
  url text
  started_at time
  updated_at time
  step = 0 # the other service is read again from the beginning
  walk = '{}' # the other service is read again from the beginning
  agents_read = 0 # the other service is read again from the beginning
  failures = 0 # the other service is read again from the beginning
  finished_at = null # the other service is read again from the beginning

move_in_agents (id)
  id id
  move_in_id id -> move_ins
  agent_id id -> agents
  remote_id text
  name text
  ordinal nat
  left_out array?
  stage = 'sources' # the other service is read again from the beginning
  walk = '{}' # the other service is read again from the beginning
  total = 0 # counted again
  moved = 0 # counted again
  present = 0 # counted again
  deleted = 0 # counted again

move_in_items (id)
  id id
  move_in_id id -> move_ins
  agent_id id -> agents
  kind enum:moveInKind
  remote_id text
  source_id id? -> sources
  type text
  name text
  reason text?

messages (agent_id, conversation_id, seq)
  agent_id id -> agents
  conversation_id id -> conversations
  seq nat
  id message
  author enum:author
  author_id id? -> users
  type enum:ticketMessageType
  state enum:messageState
  turn_id id? -> turns
  parts array ids *.file.id
  feedback enum:rating?
  feedback_at time?
  score real?
  citations array? ids *.sourceId
  finish_reason text?
  model text?
  input_tokens nat32?
  output_tokens nat32?
  latency_ms nat32?
  credits nat?
  spoken_until nat32?
  created_at time
  superseded_at time?
  about object? ids doneBy assignedTo assignedFrom statusFrom statusTo from to
  answer_state enum:answerState?
  feedback_comment text?

turns (id): t.state <> 'open'
  id id
  agent_id id -> agents
  conversation_id id -> conversations
  user_message_id message0
  message_id message0
  state enum:turnState
  month month
  charged nat?
  started_at time
  ended_at time?
  visitor_id id? -> visitors
  owner = '' # no server writes the answer
  lease_until = 0 # no server writes the answer
  cancel_asked_at = null # no server writes the answer
  reserved = 0 # no answer is being given
  trace = null # how an answer came about is for those who run the installation

tool_calls (id)
  id id
  agent_id id -> agents
  conversation_id id -> conversations
  message_id message0
  turn_id id0
  call_id text
  tool text
  action_type text
  client_side flag
  input json
  output json?
  status enum:toolStatus
  created_at time
  answered_at time?

procedure_runs (id)
  id id
  agent_id id -> agents
  conversation_id id -> conversations
  procedure_name text
  step nat32
  state enum:runState
  outcome enum:procedureOutcome?
  started_at time
  ended_at time?
  procedure_key text
  inputs object

leads (id)
  id id
  agent_id id -> agents
  conversation_id id0
  name text
  email text
  phone text
  fields object
  created_at time

saved_replies (id)
  id id
  name text
  body text
  created_at time
  updated_at time

saved_views (id): (t.filter not like '%"agentId":"_%' or exists (select 1 from agents v
  where v.account_id = t.account_id and v.deleted_at is null and t.filter like '%"agentId":"' || v.id || '"%'))
  id id
  user_id id -> users
  is_shared flag
  name text
  filter object ids agentId memberId
  created_at time
  updated_at time

drafts (user_id, conversation_id, kind)
  user_id id -> users
  conversation_id id -> conversations
  kind enum:draftKind
  agent_id id -> agents
  body text
  seen nat
  updated_at time
  id = draft # is made of the member, the conversation and the kind

read_marks (user_id, conversation_id)
  user_id id -> users
  conversation_id id -> conversations
  agent_id id -> agents
  seen_until time
  unread_since time?
`

// ticketArchiveSpec has the helpdesk, voice, insights and credits.
const ticketArchiveSpec = `
ticket_statuses (id)
  id id
  agent_id id -> agents
  key text?
  category enum:statusCategory
  external_label text
  internal_label text
  color text?
  is_default flag
  position nat32
  created_at time
  updated_at time
  archived_at time?

teams (id)
  id id
  agent_id id -> agents
  key text?
  name text
  is_default flag
  strategy enum:strategy
  max_open nat32?
  hours array
  created_at time
  updated_at time

team_members (team_id, user_id)
  team_id id -> teams
  user_id id -> users
  agent_id id -> agents
  max_open nat32?
  hours array
  away flag
  last_turn nat
  joined_at time

routing_rules (id)
  id id
  agent_id id -> agents
  key text
  name text
  position nat32
  enabled flag
  all_of array
  any_of array
  team_id id? -> teams
  member_id id? -> users
  created_at time
  updated_at time

helpdesks (agent_id)
  agent_id id -> agents
  last_number nat
  handover flag
  targets array?
  created_at time
  updated_at time

tickets (id)
  id id
  agent_id id -> agents
  number nat
  subject text
  description text
  status_id id -> ticket_statuses
  category enum:statusCategory
  is_open flag
  assignee_id id? -> users
  person_id id -> people
  metadata object
  channel enum:ticketChannel
  conversation_id id? -> conversations
  team_id id? -> teams
  priority enum:priority
  routed object? ids team assignee
  created_at time
  updated_at time
  last_message_at time?
  closed_at time?
  worked_ms nat?
  running_since time?
  replied_at time?
  first_reply_due time?
  resolution_due time?
  first_reply_breached_at time?
  resolution_breached_at time?
  due_at time?
  breach_at time?

attachments (id)
  id id
  agent_id id -> agents
  message_id message -> messages
  conversation_id id -> conversations
  blob_id id -> blobs
  name text
  media_type text
  size nat
  created_at time
  content_text text?

voice_sessions (id): t.ended_at is not null
  id id
  agent_id id -> agents
  conversation_id id -> conversations
  visitor_id id? -> visitors
  user_id text
  timezone text
  max_seconds nat
  state enum:voiceState
  price nat
  month month
  charged nat
  minutes nat32
  created_at time
  joined_at time?
  seen_at time?
  ended_at time?
  end_reason enum:voiceEnd?
  owner = '' # no server carries the session
  lease_until = 0 # no server carries the session
  end_asked = null # no server carries the session
  reserved = 0 # no session is open

voice_recordings (id)
  id id
  agent_id id -> agents
  conversation_id id -> conversations
  session_id id -> voice_sessions
  blob_id id -> blobs
  length_ms nat
  created_at time

insight_agents (agent_id)
  agent_id id -> agents
  vocabulary object

insight_groups (agent_id, name)
  agent_id id -> agents
  name text
  terms json
  made_at time

conversation_insights (conversation_id)
  conversation_id id -> conversations
  agent_id id -> agents
  user_id text?
  channel enum:channel
  created_at time
  day day
  topic text
  topics array
  sentiment enum:sentimentOrNone
  escalated flag
  has_voice flag
  action_types array
  messages nat32
  answers nat32
  refused nat32
  up nat32
  down nat32
  outcome enum:outcome
  asked_again flag
  terms text
  made_at time

insight_questions (conversation_id, seq)
  conversation_id id -> conversations
  seq nat
  agent_id id -> agents
  asked_at time
  text text

insight_days (agent_id, day, channel, topic, sentiment)
  agent_id id -> agents
  day day
  channel enum:channel
  topic text
  sentiment enum:sentimentOrNone
  conversations int
  messages int
  answers int
  refused int
  escalated int
  up int
  down int
  resolved int
  handed_over int
  disliked int
  given_up int
  asked_again int

credit_usage (agent_id, month)
  agent_id id0 -> agents
  month month
  used int
  reserved = 0 # no answer is being given

credit_days (day, agent_id)
  day day
  agent_id id0 -> agents
  used int

credit_models (agent_id, day, kind, model)
  agent_id id0 -> agents
  day day
  kind enum:charge
  model text
  used int
  charges int

voice_days (agent_id, day, reason)
  agent_id id0 -> agents
  day nat
  reason enum:voiceEnd
  sessions int
  joined int
  seconds int
  minutes int

credit_ledger (turn_id, kind): not exists (select 1 from turns o
  where o.id = t.turn_id and o.state = 'open')
  turn_id id
  kind enum:charge
  agent_id id0 -> agents
  amount int
  month month
  at time
`
