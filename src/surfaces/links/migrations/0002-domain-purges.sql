-- A domain that stops takes all its links with it: then the edge is told to forget the domain, by an empty
-- code and no link.

alter table links.edge_purges alter column link_id drop not null;
alter table links.edge_purges add check ((link_id is null) = (code = ''));
