-- Compatible since 0002: older releases leave the new column at its default.

-- Output tokens that the provider used for thinking. They are part of the output that is charged.
alter table inference.inference_operations
  add column reasoning_units int not null default 0 check (reasoning_units >= 0);
