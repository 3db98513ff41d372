-- Compatible since 0002: older releases do not know the column, and leave nothing in it.
-- The checksum that a completion states where none was declared at the beginning. It binds nothing
-- before the bytes have it, so that a mistyped one can be corrected.
alter table uploads.uploads add column given_checksum bytea
  check (octet_length(given_checksum) = 32);
