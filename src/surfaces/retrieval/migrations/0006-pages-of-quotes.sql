-- Compatible since 0001: older releases do not know the column, and leave it empty.
-- Where further pages begin in the chunk, in code points of its text: a quote is on its own page.
alter table retrieval.chunks add column page_starts int[] not null default '{}';
