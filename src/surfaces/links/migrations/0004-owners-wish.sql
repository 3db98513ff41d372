-- Whether its owner has switched it off, which stays so whatever safety or a moderator does meanwhile.
alter table links.links add column owner_disabled boolean not null default false;
update links.links set owner_disabled = true where disabled_by = 'owner';
alter table links.links add check (disabled_by is distinct from 'owner' or owner_disabled);
-- Earlier owners of a host are asked for when an alias is made on it.
create index domains_hostname on links.domains (hostname);
