-- The schema of the surface example. All of its tables are in it.
create schema example;
