-- Erasing a person replaces the reason that they wrote.
select kernel.make_append_only('webhooks.replay_audit', 'erasure');
