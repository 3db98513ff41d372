-- An identity that was unlinked is remembered without its subject, so that taking it away again answers
-- like the first time, and the same subject may be linked anew.
alter table identity.external_identities
  alter column subject drop not null,
  add column unlinked_at timestamptz,
  add constraint external_identities_unlinked check ((subject is null) = (unlinked_at is not null));
