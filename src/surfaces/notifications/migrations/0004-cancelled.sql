-- Compatible since 0003: older releases do not set the column, and retry as before.
-- When the notification was cancelled; an attempt that was on its way then is not tried again.
alter table notifications.notification_intents add column cancelled_at timestamptz;
