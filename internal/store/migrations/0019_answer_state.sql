-- What an answer says of itself: answered, unsure or refused; null where the model does not tell.
alter table messages add column answer_state text;
