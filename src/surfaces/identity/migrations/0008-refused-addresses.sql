-- The person who reads the new mailbox can refuse a change of address.
alter table identity.email_changes
  drop constraint email_changes_status_check,
  add constraint email_changes_status_check
    check (status in ('pending', 'completed', 'superseded', 'expired', 'refused'));
