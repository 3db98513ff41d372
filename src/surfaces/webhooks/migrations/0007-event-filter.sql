-- The name of the specification. The ids of aggregates narrow the filter further.
alter table webhooks.subscriptions rename column types to event_filter;
alter table webhooks.subscriptions
  rename constraint subscriptions_types_check to subscriptions_event_filter_check;
