-- An erasure hides a person of any tenant in its own transaction.
create index users_id on social.users (id);
