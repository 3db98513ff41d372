-- Compatible since 0003: older releases do not set the column, and suppress as before.
-- The notification that opened the window. If it ended without being sent, the window is free.
alter table notifications.dedupe_windows add column intent_id uuid;
