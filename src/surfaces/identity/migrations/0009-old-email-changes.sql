-- Compatible since 0008: only an index.

-- Finds the changes that are deleted because they are old.
create index email_changes_expires_at on identity.email_changes (expires_at);
