-- Compatible since 0002: older releases do not know the column, and nothing depends on its old values.
-- The name that the last version of the part replaced. The statement that writes it returns it: the
-- name before an update is not visible to a statement otherwise, if another one ran in between.
alter table uploads.upload_parts add column replaced_name text;
