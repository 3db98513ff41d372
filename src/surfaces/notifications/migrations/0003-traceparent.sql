-- The W3C trace in which the notification was accepted; the events of its outcome continue it.
alter table notifications.notification_intents add column traceparent text;
