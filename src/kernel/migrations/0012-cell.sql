-- Compatible since 0007: older releases do not know the table.
-- The id of this database, by which other cells with the same bucket of objects know it. One row, written at
-- its first use.
create table kernel.cell (
  one boolean primary key default true check (one),
  id uuid not null
);
