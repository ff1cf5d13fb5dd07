-- Credits that an account and its agents have used on a day (UTC), by what they were charged for: answers of a model, and
-- voice, which has an empty model. Those of the whole account have an empty agent. charges is how many answers or voice
-- conversations there were.
create table credit_models (
  account_id text not null,
  agent_id text not null,
  day text not null,
  kind text not null,
  model text not null,
  used bigint not null,
  charges bigint not null,
  primary key (account_id, agent_id, day, kind, model)
);

create index credit_models_day on credit_models (day);

-- Who has given the secrets of an action, and when: a JSON object by their names. Null and a name that is missing: nobody
-- noted it.
alter table actions add column secret_notes text;

-- When the key was given, and by whom; null without a key, and where nobody noted it.
alter table model_servers add column key_set_at bigint;

alter table model_servers add column key_set_by text;
