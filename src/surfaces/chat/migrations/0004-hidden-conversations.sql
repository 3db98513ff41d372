-- A member who hid a conversation sees it in the list again with the next message.
alter table chat.conversation_members add column hidden_sequence bigint;
