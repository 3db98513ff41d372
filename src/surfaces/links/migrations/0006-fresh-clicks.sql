-- Compatible since 0005: older releases ignore the columns.
-- How fresh statistics are: the first click of each batch, and rows of processes that survive a crash of
-- the database, so that the clicks of a dead process stay announced.

alter table links.click_batches add column clicks_since timestamptz;

alter table links.redirect_nodes
  add column has_spool boolean not null default true;
alter table links.redirect_nodes set logged;
