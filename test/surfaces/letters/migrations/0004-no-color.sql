-- Compatible since 0003: release 3 does not use `color`.
alter table letters.letters drop column color;
