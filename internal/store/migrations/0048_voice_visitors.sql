-- Which visitor of the widget speaks in the session; null elsewhere. Its minutes count among what visitors use in a day.
alter table voice_sessions add column visitor_id text;
