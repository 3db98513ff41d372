-- Compatible since 0001: older releases know closed conversations.

-- A direct conversation closes when one of the two is erased. These were left open.
update chat.conversations set state = 'closed', revision = revision + 1
where type = 'direct' and state = 'active' and member_count < 2;
