-- The order of a surface that opened the room: repeated, it finds the room.
alter table chat.conversations add column order_print bytea;
