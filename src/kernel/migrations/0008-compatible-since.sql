-- Compatible since 0007: older releases name the columns of kernel.migrations that they write.
-- The number of the oldest migration of its schema that a release must know to run after this one. Null: only
-- a release that knows this one can start.
alter table kernel.migrations add column compatible_since int;
