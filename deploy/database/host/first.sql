-- /etc/patroni/first.sql: what the platform finds in a new database. `pg_monitor` is for `dodeca doctor database`.
create role dodeca login connection limit 350 password '@DATABASE_PASSWORD@';
grant pg_monitor to dodeca;
create database dodeca owner dodeca;
