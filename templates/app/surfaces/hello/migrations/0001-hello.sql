-- The schema of the surface hello. All of its tables are in it.
create schema hello;
