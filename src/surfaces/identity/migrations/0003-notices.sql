-- What another surface tells an account: its words are stored with the mail, for no template knows them.
-- A subject is a header, so nothing in it may end a line.
alter table identity.mails
  add column category text check (category ~ '^[a-z]+\.[a-z_]+$'),
  add column subject text check (length(subject) between 1 and 300 and subject !~ '[[:cntrl:]]'),
  add column says text[] check (cardinality(says) between 1 and 20),
  add constraint mails_notice
    check (num_nonnulls(category, subject, says) = case when template = 'notice' then 3 else 0 end);
