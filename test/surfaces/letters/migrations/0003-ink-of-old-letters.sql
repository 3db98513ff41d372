-- Compatible since 0002: release 2 writes `ink` too. Release 1 does not, so it must have ended.
update letters.letters set ink = color where ink is null;
