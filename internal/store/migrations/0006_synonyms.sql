-- Groups of words that the operator says mean the same: an array of arrays of texts, or null.
alter table agents add column synonyms text;
