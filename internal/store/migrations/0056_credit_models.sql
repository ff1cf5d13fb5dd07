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
