-- Since which look the record of a proven host has been missing; its owner is told.
alter table links.domains add column missing_since timestamptz;
