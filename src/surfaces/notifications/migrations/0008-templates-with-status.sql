-- The record of the specification has the texts of one channel and the status of their version.
alter table notifications.templates rename to template_texts;
alter index notifications.templates_pkey rename to template_texts_pkey;
alter index notifications.templates_tenant_id_id_key rename to template_texts_tenant_id_id_key;
alter table notifications.template_texts
  rename constraint templates_channel_check to template_texts_channel_check;
alter table notifications.template_texts
  rename constraint templates_format_check to template_texts_format_check;
alter table notifications.template_texts
  rename constraint templates_tenant_id_name_version_fkey to template_texts_version_fkey;
alter trigger templates_immutable on notifications.template_texts
  rename to template_texts_immutable;

create view notifications.templates as
select t.id, t.tenant_id, t.name, t.version, t.channel, t.format, t.subject, t.body, t.text_body,
  t.url, t.locales, v.status, v.default_locale, v.data_schema, v.created_at, v.published_at
from notifications.template_texts t
join notifications.template_versions v
  on v.tenant_id = t.tenant_id and v.name = t.name and v.version = t.version;

-- A version that was published renders the same for ever.
create or replace function notifications.refuse_change_of_published()
returns trigger language plpgsql as $$
begin
  if tg_table_name = 'template_texts' then
    if exists (select from notifications.template_versions v
        where v.tenant_id = old.tenant_id and v.name = old.name and v.version = old.version
          and v.status <> 'draft') then
      raise exception 'a published template version does not change';
    end if;
  elsif old.status <> 'draft' and (
    (new.tenant_id, new.name, new.version, new.default_locale, new.data_schema, new.published_at)
      is distinct from
    (old.tenant_id, old.name, old.version, old.default_locale, old.data_schema, old.published_at)
    or new.status = 'draft') then
    raise exception 'a published template version does not change';
  end if;
  return new;
end $$;
