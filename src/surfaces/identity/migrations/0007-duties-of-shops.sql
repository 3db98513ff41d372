-- Who decides on returns and cancels orders of others gives money back: the same duty as refunds.
create or replace function identity.duty_of(permission text) returns text
  language sql immutable parallel safe return
  case split_part(permission, ':', 1)
    when 'identity.support.view' then 'support'
    when 'payments.refunds.create' then 'refunds'
    when 'commerce.orders.cancel_any' then 'refunds'
    when 'commerce.returns.decide' then 'refunds'
    when 'commerce.returns.receive' then 'refunds'
    when 'identity.signing_keys.rotate' then 'keys'
  end;
update identity.role_permissions set permission = permission where permission like 'commerce.%';
