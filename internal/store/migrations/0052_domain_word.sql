-- Whether a domain is the account's by the operator's word, and not by a TXT record that was found.
alter table sso_domains add column by_operator integer not null default 0;
