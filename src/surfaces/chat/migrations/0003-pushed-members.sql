-- How far the unread messages were pushed to each member.
alter table chat.conversation_members
  add column pushed_sequence bigint not null default 0;
