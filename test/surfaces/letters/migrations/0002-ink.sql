-- Compatible since 0001: release 1 writes only `color`; release 2 writes and reads both.
alter table letters.letters add column ink text;
