-- How often a tool of an agent was called of late, and how it went: each is read out of the index alone.
drop index tool_calls_agent;

create index tool_calls_agent on tool_calls (agent_id, tool, status, created_at, account_id);
