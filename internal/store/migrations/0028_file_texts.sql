-- The beginning of the text of a file that a visitor has uploaded, for models; null where it has none that can be read.
alter table visitor_files add column content_text text;

alter table attachments add column content_text text;

-- Visitors that have become another one go with it.
create index visitors_merged on visitors (merged_into) where merged_into is not null;
