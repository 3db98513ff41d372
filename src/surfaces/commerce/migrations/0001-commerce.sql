create schema commerce;

-- Rows that say what was agreed or what happened are never changed, by anyone.
create function commerce.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of %.% is refused: its rows are kept as they are',
    tg_op, tg_table_schema, tg_table_name using errcode = '23514', constraint = tg_name;
end $$;

create table commerce.catalog_products (
  tenant_id uuid not null,
  id uuid not null,
  handle text not null check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  title text not null,
  description text not null default '',
  category text not null default '',
  tax_class text not null default 'standard',
  attributes jsonb not null default '{}',
  images uuid[] not null default '{}',
  tags text[] not null default '{}',
  -- title and description in other languages, by locale
  translations jsonb not null default '{}',
  -- what a product is found by, and counted by in lists: commerce.facets_of
  facets text[] not null default '{}',
  state text not null default 'draft' check (state in ('draft', 'active', 'archived')),
  version bigint not null default 1,
  published_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  search tsvector generated always as (
    setweight(to_tsvector('simple', title), 'A')
    || setweight(to_tsvector('simple', category), 'B')
    || setweight(jsonb_to_tsvector('simple', translations, '["string"]'), 'B')
    || setweight(to_tsvector('simple', description), 'C')) stored,
  primary key (tenant_id, id),
  constraint catalog_products_handle unique (tenant_id, handle),
  check (state = 'draft' or published_at is not null)
);
create index catalog_products_newest
  on commerce.catalog_products (tenant_id, state, published_at desc, id desc);
create index catalog_products_category
  on commerce.catalog_products (tenant_id, category text_pattern_ops, published_at desc, id desc);
-- A search reads the products of its own shop only: the shop is one of the words of each product. New
-- words go into the index at once: a search never reads a list of pending entries, and PostgreSQL 15 does
-- not avoid the index because of it.
create index catalog_products_words on commerce.catalog_products
  using gin ((search || array_to_tsvector(array[tenant_id::text])), facets) with (fastupdate = off);
create index catalog_products_images on commerce.catalog_products using gin (images);

create table commerce.product_variants (
  tenant_id uuid not null,
  sku text not null check (sku ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  product_id uuid not null,
  place int not null,
  title text not null,
  options jsonb not null default '{}',
  weight_grams int not null default 0 check (weight_grams >= 0),
  requires_shipping boolean not null default true,
  track_inventory boolean not null default true,
  max_order_quantity int not null default 999 check (max_order_quantity between 1 and 999),
  file_ids uuid[] not null default '{}',
  state text not null default 'active' check (state in ('active', 'disabled')),
  constraint product_variants_pkey primary key (tenant_id, sku),
  foreign key (tenant_id, product_id) references commerce.catalog_products (tenant_id, id)
);
create index product_variants_sku_words
  on commerce.product_variants (tenant_id, kernel.plain(sku) collate "C");
create index product_variants_product on commerce.product_variants (tenant_id, product_id, place);
create index product_variants_files on commerce.product_variants using gin (file_ids)
  where file_ids <> '{}';

-- Facets are texts of a kind, a name and a value: tags, attributes, options of variants on sale, and the
-- category with those above it.
create function commerce.facets_of(tenant uuid, product uuid) returns text[]
language plpgsql stable as $$
begin
  return array(
    select f.facet from (
      select e'tag\x1f\x1f' || tag as facet
      from commerce.catalog_products p, unnest(p.tags) tag
      where p.tenant_id = tenant and p.id = product
      union
      select e'category\x1f\x1f' || string_agg(part, '/') over (order by n)
      from commerce.catalog_products p,
        unnest(string_to_array(p.category, '/')) with ordinality as c (part, n)
      where p.tenant_id = tenant and p.id = product
      union
      select e'attribute\x1f' || a.key || e'\x1f' || a.value
      from commerce.catalog_products p, jsonb_each_text(p.attributes) a
      where p.tenant_id = tenant and p.id = product
      union
      select e'option\x1f' || o.key || e'\x1f' || o.value
      from commerce.product_variants v, jsonb_each_text(v.options) o
      where v.tenant_id = tenant and v.product_id = product and v.state = 'active') f
    order by f.facet collate "C" limit 500);
end $$;

-- The price now is the one with the latest effective_from that has come, so prices cannot overlap.
create table commerce.price_versions (
  tenant_id uuid not null,
  id uuid not null,
  sku text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor >= 0),
  compare_at_minor bigint check (compare_at_minor >= 0),
  prices_include_tax boolean not null default false,
  effective_from timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  constraint price_versions_moment unique (tenant_id, sku, currency, effective_from),
  foreign key (tenant_id, sku) references commerce.product_variants (tenant_id, sku)
);
create index price_versions_now
  on commerce.price_versions (tenant_id, sku, currency, effective_from desc)
  include (amount_minor);
create index price_versions_begins on commerce.price_versions (tenant_id, effective_from, id);
select kernel.make_append_only('commerce.price_versions');

-- The lowest price of a product now: it sorts and filters lists, and never charges. A price that begins
-- later makes its row due.
create table commerce.product_prices (
  tenant_id uuid not null,
  product_id uuid not null,
  currency text not null,
  amount_minor bigint,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, product_id, currency),
  foreign key (tenant_id, product_id) references commerce.catalog_products (tenant_id, id)
);
create index product_prices_amount
  on commerce.product_prices (tenant_id, currency, amount_minor, product_id)
  where amount_minor is not null;
create index product_prices_due on commerce.product_prices (due_at) where due_at is not null;

create table commerce.inventory_items (
  tenant_id uuid not null,
  sku text not null,
  on_hand bigint not null default 0,
  reserved bigint not null default 0,
  version bigint not null default 1,
  primary key (tenant_id, sku),
  foreign key (tenant_id, sku) references commerce.product_variants (tenant_id, sku),
  constraint inventory_items_stock check (reserved >= 0 and on_hand >= reserved)
) with (fillfactor = 70);

create table commerce.inventory_movements (
  tenant_id uuid not null,
  id bigint generated always as identity,
  sku text not null,
  delta_on_hand bigint not null,
  delta_reserved bigint not null,
  reason text not null,
  -- the order, shipment or return that caused it, or the person who adjusted
  ref uuid,
  note text,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, sku, id)
);
select kernel.make_append_only('commerce.inventory_movements');

create table commerce.inventory_reservations (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  sku text not null,
  quantity bigint not null check (quantity > 0),
  fulfilled_quantity bigint not null default 0,
  expires_at timestamptz not null,
  state text not null default 'active' check (state in
    ('active', 'committed', 'fulfilled', 'expired', 'released')),
  primary key (tenant_id, id),
  constraint inventory_reservations_line unique (tenant_id, order_id, sku),
  check (fulfilled_quantity between 0 and quantity),
  check ((state = 'fulfilled') = (fulfilled_quantity = quantity))
);
create index inventory_reservations_live on commerce.inventory_reservations (tenant_id, sku)
  where state in ('active', 'committed');

-- The only way in which stock moves: by a condition on its row, with its reason beside it.
create function commerce.move_stock(
  tenant uuid, item text, on_hand_by bigint, reserved_by bigint, why text, cause uuid, words text)
returns table (on_hand bigint, reserved bigint, version bigint) language sql as $$
  with moved as (
    update commerce.inventory_items i
    set on_hand = i.on_hand + on_hand_by, reserved = i.reserved + reserved_by,
      version = i.version + 1
    where i.tenant_id = tenant and i.sku = item
      and i.reserved + reserved_by >= 0
      and i.on_hand + on_hand_by >= i.reserved + reserved_by
    returning i.on_hand, i.reserved, i.version
  ), noted as (
    insert into commerce.inventory_movements (
      tenant_id, sku, delta_on_hand, delta_reserved, reason, ref, note)
    select tenant, item, on_hand_by, reserved_by, why, cause, words from moved
  )
  select m.on_hand, m.reserved, m.version from moved m
$$;

-- Reserves all or reports what is missing; the caller then rolls back. Quantities of one SKU are summed,
-- and SKUs are taken in one order, so that two orders of the same goods never wait for each other.
create function commerce.reserve(
  tenant uuid, for_order uuid, ids uuid[], skus text[], quantities bigint[], until timestamptz)
returns table (sku text, requested bigint, available bigint) language plpgsql as $$
declare
  want record;
begin
  for want in
    select w.sku, sum(w.quantity)::bigint as quantity, (array_agg(w.id))[1] as id
    from unnest(ids, skus, quantities) as w (id, sku, quantity)
    group by w.sku order by w.sku collate "C"
  loop
    perform from commerce.move_stock(
      tenant, want.sku, 0, want.quantity, 'reserved', for_order, null);
    if found then
      insert into commerce.inventory_reservations (
        tenant_id, id, order_id, sku, quantity, expires_at)
      values (tenant, want.id, for_order, want.sku, want.quantity, until);
    else
      sku := want.sku;
      requested := want.quantity;
      available := coalesce((
        select i.on_hand - i.reserved from commerce.inventory_items i
        where i.tenant_id = tenant and i.sku = want.sku), 0);
      return next;
    end if;
  end loop;
end $$;

-- Gives back what an order still holds.
create function commerce.give_back(tenant uuid, for_order uuid, to_state text)
returns void language plpgsql as $$
declare
  held record;
begin
  for held in
    select r.sku, r.quantity - r.fulfilled_quantity as rest
    from commerce.inventory_reservations r
    where r.tenant_id = tenant and r.order_id = for_order and r.state in ('active', 'committed')
    order by r.sku collate "C"
  loop
    perform from commerce.move_stock(tenant, held.sku, 0, -held.rest, to_state, for_order, null);
  end loop;
  update commerce.inventory_reservations r set state = to_state
  where r.tenant_id = tenant and r.order_id = for_order and r.state in ('active', 'committed');
end $$;

-- What was reserved leaves the house.
create function commerce.take_out(
  tenant uuid, for_order uuid, cause uuid, skus text[], quantities bigint[])
returns void language plpgsql as $$
declare
  sent record;
begin
  for sent in
    select w.sku, sum(w.quantity)::bigint as quantity
    from unnest(skus, quantities) as w (sku, quantity)
    group by w.sku order by w.sku collate "C"
  loop
    update commerce.inventory_reservations r
    set fulfilled_quantity = r.fulfilled_quantity + sent.quantity,
      state = case when r.fulfilled_quantity + sent.quantity = r.quantity
        then 'fulfilled' else r.state end
    where r.tenant_id = tenant and r.order_id = for_order and r.sku = sent.sku
      and r.state = 'committed';
    if not found then
      raise exception 'order % holds no % to ship', for_order, sent.sku;
    end if;
    perform from commerce.move_stock(
      tenant, sent.sku, -sent.quantity, -sent.quantity, 'shipped', cause, null);
    if not found then
      raise exception 'there are not % of % to ship', sent.quantity, sent.sku;
    end if;
  end loop;
end $$;

-- Tax rules, shipping methods, discounts, collections and the settings of a shop: whole records with a
-- version.
create table commerce.shop_records (
  tenant_id uuid not null,
  kind text not null check (kind in
    ('settings', 'tax_rule', 'shipping_method', 'discount', 'collection')),
  key text not null,
  record jsonb not null,
  version bigint not null default 1,
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant_id, kind, key)
);
-- Discounts that need no code: each cart reads them.
create index shop_records_automatic on commerce.shop_records (tenant_id)
  where kind = 'discount' and record @> '{"automatic": true}';

-- How often a code is held or used: its last use is claimed like the last unit of stock.
create table commerce.discount_uses (
  tenant_id uuid not null,
  code text not null,
  used bigint not null default 0 check (used >= 0),
  primary key (tenant_id, code)
);

create table commerce.carts (
  tenant_id uuid not null,
  owner_id uuid not null,
  id uuid not null,
  state text not null default 'open' check (state in ('open', 'locked', 'ordered')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  shipping_address jsonb,
  shipping_method_id text,
  discount_codes text[] not null default '{}',
  locale text,
  order_id uuid,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  -- Its owner deleted it: nothing finds it any more.
  deleted_at timestamptz,
  -- For the index of what is removed: the other changes of a cart write no index.
  touched_hour timestamp
    generated always as (date_trunc('hour', updated_at at time zone 'UTC')) stored,
  primary key (tenant_id, owner_id, id),
  check ((state = 'open') = (order_id is null))
) with (fillfactor = 70);
create index carts_old on commerce.carts (touched_hour) where state <> 'locked';
create index carts_open on commerce.carts (tenant_id, owner_id)
  where state = 'open' and deleted_at is null;
create index carts_owner on commerce.carts (owner_id, id);

create table commerce.cart_items (
  tenant_id uuid not null,
  owner_id uuid not null,
  cart_id uuid not null,
  sku text not null,
  quantity int not null check (quantity between 1 and 999),
  added_at timestamptz not null default kernel.now(),
  primary key (tenant_id, owner_id, cart_id, sku),
  foreign key (tenant_id, owner_id, cart_id)
    references commerce.carts (tenant_id, owner_id, id) on delete cascade
) with (fillfactor = 80);

-- The payment request of a cart: what its owner agreed to, and with which session.
create table commerce.cart_requests (
  tenant_id uuid not null,
  owner_id uuid not null,
  cart_id uuid not null,
  -- of payments
  request_id uuid not null,
  cart_version bigint not null,
  pricing_fingerprint text not null,
  owner_kind text not null check (owner_kind in ('account', 'service')),
  -- A narrow session, with which the request ends.
  session_id uuid,
  guest boolean not null,
  -- Until the order has them.
  email text,
  billing_address jsonb,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, owner_id, cart_id),
  constraint cart_requests_request unique (tenant_id, request_id),
  foreign key (tenant_id, owner_id, cart_id)
    references commerce.carts (tenant_id, owner_id, id) on delete cascade
);
create index cart_requests_owner on commerce.cart_requests (owner_id, cart_id);

create table commerce.orders (
  tenant_id uuid not null,
  id uuid not null,
  number bigint,
  buyer_id uuid not null,
  cart_id uuid not null,
  -- The payment request on whose page it was placed.
  request_id uuid,
  -- With the provider, at which it is paid; null if nothing is.
  payment_account text,
  state text not null default 'pending' check (state in
    ('pending', 'confirmed', 'fulfilled', 'payment_failed', 'expired', 'cancelled')),
  currency text not null,
  -- where its mails go; null for the address of the account
  email text,
  -- the address of the account when it was ordered: by it people find the order
  bought_by text,
  -- the language of its mails and of its page
  locale text,
  -- Placed by an anonymous account: who proves the address may claim it.
  guest boolean not null default false,
  -- Of a guest's order that is pending: a keyed hash of the network that it came from.
  guest_network bytea,
  subtotal_minor bigint not null check (subtotal_minor >= 0),
  discount_minor bigint not null check (discount_minor >= 0),
  shipping_minor bigint not null check (shipping_minor >= 0),
  shipping_discount_minor bigint not null check (shipping_discount_minor >= 0),
  shipping_tax_minor bigint not null check (shipping_tax_minor >= 0),
  tax_minor bigint not null check (tax_minor >= 0),
  total_minor bigint not null check (total_minor between 0 and 99999999),
  prices_include_tax boolean not null,
  shipping_method jsonb,
  needs_shipping boolean not null,
  discounts jsonb not null,
  shipping_address jsonb,
  billing_address jsonb,
  calculation jsonb not null,
  pricing_fingerprint text not null,
  capture_policy text not null check (capture_policy in ('on_first_shipment', 'on_confirm')),
  payment_state text not null check (payment_state in (
    'none', 'authorizing', 'requires_action', 'pending_provider', 'authorized', 'captured',
    'releasing', 'released', 'declined', 'partially_refunded', 'refunded')),
  authorize_operation_id uuid,
  intent_id uuid,
  amount_authorized_minor bigint not null default 0,
  amount_captured_minor bigint not null default 0,
  amount_refunded_minor bigint not null default 0,
  authorization_expires_at timestamptz,
  payment_error jsonb,
  shipping_refunded boolean not null default false,
  -- What the buyer wrote, so an erasure removes it.
  idempotency_key text,
  request_fingerprint bytea not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  confirmed_at timestamptz,
  shipped_at timestamptz,
  reservation_expires_at timestamptz not null,
  -- the queue of what lapses
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  -- The buyer was erased, and with them the address: the shop must end an order that is not sent yet.
  buyer_erased boolean not null default false,
  primary key (tenant_id, id),
  constraint orders_key unique (tenant_id, buyer_id, idempotency_key),
  constraint orders_number unique (tenant_id, number),
  constraint orders_total check (
    total_minor = subtotal_minor - discount_minor + shipping_minor - shipping_discount_minor
      + case when prices_include_tax then 0 else tax_minor end),
  constraint orders_money check (
    0 <= amount_refunded_minor and amount_refunded_minor <= amount_captured_minor
    and amount_captured_minor <= amount_authorized_minor
    and amount_authorized_minor <= total_minor),
  -- a number belongs to what was confirmed
  constraint orders_numbered check (number is null or confirmed_at is not null),
  constraint orders_confirmed check (
    case when state in ('confirmed', 'fulfilled') then confirmed_at is not null
      when state = 'cancelled' then true else confirmed_at is null end)
);
create index orders_due on commerce.orders (due_at) where due_at is not null;
create index orders_buyer on commerce.orders (tenant_id, buyer_id, id desc);
create index orders_state on commerce.orders (tenant_id, state, id desc);
create index orders_total on commerce.orders (tenant_id, currency, total_minor, id);
create index orders_email on commerce.orders (tenant_id, kernel.plain(email) collate "C");
create index orders_bought_by on commerce.orders (tenant_id, kernel.plain(bought_by) collate "C");
create index orders_name
  on commerce.orders (tenant_id, kernel.plain(shipping_address ->> 'name') collate "C");
create index orders_last_word
  on commerce.orders (tenant_id, kernel.last_word(shipping_address ->> 'name') collate "C");
create index orders_pending on commerce.orders (tenant_id, buyer_id) where state = 'pending';
create index orders_guest_network on commerce.orders (tenant_id, guest_network)
  where guest_network is not null;
create index orders_request on commerce.orders (tenant_id, request_id)
  where request_id is not null;
create index orders_intent on commerce.orders (tenant_id, intent_id);
create index orders_person on commerce.orders (buyer_id, id);
create index orders_erased on commerce.orders (tenant_id, id) where buyer_erased;
create index orders_authorization on commerce.orders (authorization_expires_at)
  where state = 'confirmed' and payment_state = 'authorized';

-- What a buyer accepted, independent of the catalog from then on.
create table commerce.order_lines (
  tenant_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  line_no int not null,
  sku text not null,
  product_id uuid not null,
  product_description text not null,
  quantity int not null check (quantity > 0),
  accepted_unit_price_minor bigint not null check (accepted_unit_price_minor >= 0),
  subtotal_minor bigint not null check (subtotal_minor = accepted_unit_price_minor * quantity),
  discount_minor bigint not null check (discount_minor between 0 and subtotal_minor),
  tax_minor bigint not null check (tax_minor >= 0),
  total_minor bigint not null check (total_minor >= 0),
  currency text not null,
  price_version_id uuid not null,
  tax_breakdown jsonb not null,
  requires_shipping boolean not null,
  track_inventory boolean not null,
  shipped_quantity int not null default 0,
  returned_quantity int not null default 0,
  refunded_quantity int not null default 0,
  primary key (tenant_id, order_id, id),
  unique (tenant_id, order_id, line_no),
  foreign key (tenant_id, order_id) references commerce.orders (tenant_id, id),
  constraint order_lines_quantities check (
    0 <= refunded_quantity and refunded_quantity <= returned_quantity
    and returned_quantity <= shipped_quantity and shipped_quantity <= quantity)
);

create function commerce.keep_agreement() returns trigger language plpgsql as $$
declare
  moves text[] := case tg_table_name
    when 'order_lines' then array['shipped_quantity', 'returned_quantity', 'refunded_quantity']
    else array['number', 'state', 'buyer_id', 'email', 'bought_by', 'locale', 'guest',
      'guest_network', 'shipping_address', 'billing_address', 'payment_state',
      'authorize_operation_id', 'intent_id', 'amount_authorized_minor', 'amount_captured_minor',
      'amount_refunded_minor', 'authorization_expires_at', 'payment_error', 'shipping_refunded',
      'version', 'confirmed_at', 'shipped_at', 'due_at', 'attempts', 'lease_token', 'leased_until',
      'last_error_code', 'buyer_erased'] end;
begin
  if to_jsonb(new) ->> 'idempotency_key' is null then moves := moves || array['idempotency_key']; end if;
  if to_jsonb(new) - moves is distinct from to_jsonb(old) - moves then
    raise exception 'what a buyer agreed to in % is kept as it is', tg_table_name
      using errcode = '23514', constraint = tg_name;
  end if;
  return new;
end $$;
create trigger order_lines_agreed before update on commerce.order_lines
  for each row execute function commerce.keep_agreement();
create trigger order_lines_kept before delete on commerce.order_lines
  for each row execute function commerce.refuse_change();
create trigger orders_agreed before update on commerce.orders
  for each row execute function commerce.keep_agreement();

-- At commit: the lines of an order add up to its header.
create function commerce.check_sums() returns trigger language plpgsql as $$
declare
  tenant uuid := new.tenant_id;
  one uuid := case tg_table_name when 'orders' then to_jsonb(new) ->> 'id'
    else to_jsonb(new) ->> 'order_id' end;
begin
  if exists (
    select from commerce.orders o
    left join lateral (
      select sum(l.subtotal_minor) as subtotal, sum(l.discount_minor) as discount,
        sum(l.tax_minor) as tax, sum(l.total_minor) as total
      from commerce.order_lines l where l.tenant_id = o.tenant_id and l.order_id = o.id) s on true
    where o.tenant_id = tenant and o.id = one
      and (s.subtotal is distinct from o.subtotal_minor
        or s.discount is distinct from o.discount_minor
        or s.tax + o.shipping_tax_minor is distinct from o.tax_minor
        or s.total + o.shipping_minor - o.shipping_discount_minor
          + case when o.prices_include_tax then 0 else o.shipping_tax_minor end
          is distinct from o.total_minor)) then
    raise exception 'the lines of order % do not add up to it', one
      using errcode = '23514', constraint = 'orders_sums';
  end if;
  return null;
end $$;
create constraint trigger orders_sums after insert on commerce.orders
  deferrable initially deferred for each row execute function commerce.check_sums();
create constraint trigger order_lines_sums after insert on commerce.order_lines
  deferrable initially deferred for each row execute function commerce.check_sums();

create table commerce.order_state_history (
  tenant_id uuid not null,
  order_id uuid not null,
  id bigint generated always as identity,
  from_state text,
  to_state text not null,
  reason_code text,
  at timestamptz not null default kernel.now(),
  primary key (tenant_id, order_id, id)
);
select kernel.make_append_only('commerce.order_state_history');

create table commerce.order_counters (
  tenant_id uuid primary key,
  last bigint not null
);

create table commerce.discount_redemptions (
  tenant_id uuid not null,
  order_id uuid not null,
  code text not null,
  amount_minor bigint not null check (amount_minor >= 0),
  state text not null default 'held' check (state in ('held', 'used', 'released')),
  primary key (tenant_id, order_id, code)
);
create index discount_redemptions_code on commerce.discount_redemptions (tenant_id, code)
  where state <> 'released';

-- What commerce asks of payments, committed before it is asked, and the queue of it.
create table commerce.payment_operations (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  type text not null check (type in ('authorize', 'capture', 'void', 'refund')),
  amount_minor bigint not null check (amount_minor >= 0),
  state text not null default 'requested' check (state in
    ('requested', 'pending', 'succeeded', 'failed')),
  payment_method text,
  -- whether it is kept for later payments of the buyer
  save_method boolean not null default false,
  return_url text,
  reason text,
  result jsonb,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  constraint payment_operations_id unique (id),
  foreign key (tenant_id, order_id) references commerce.orders (tenant_id, id)
);
create unique index payment_operations_once
  on commerce.payment_operations (tenant_id, order_id, type)
  where type in ('authorize', 'capture', 'void') and state <> 'failed';
create index payment_operations_due on commerce.payment_operations (due_at)
  where due_at is not null;
-- What an event of payments about an order makes due.
create index payment_operations_waiting on commerce.payment_operations (tenant_id, order_id)
  where state = 'pending';
-- How often a capture of an order was refused, and when: the next one before the end of an authorization
-- waits longer each time.
create index payment_operations_refused
  on commerce.payment_operations (tenant_id, order_id, created_at)
  where type = 'capture' and state = 'failed';

create table commerce.shipments (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  state text not null default 'preparing' check (state in
    ('preparing', 'awaiting_capture', 'shipped', 'delivered', 'lost', 'cancelled')),
  -- what is sent with it; before that, whatever is not shipped yet
  lines jsonb not null default '[]',
  carrier text,
  tracking_number text,
  principal_id uuid,
  idempotency_key text,
  request_fingerprint bytea,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  shipped_at timestamptz,
  delivered_at timestamptz,
  primary key (tenant_id, id),
  constraint shipments_key unique (tenant_id, principal_id, idempotency_key),
  foreign key (tenant_id, order_id) references commerce.orders (tenant_id, id)
);
create unique index shipments_open on commerce.shipments (tenant_id, order_id)
  where state in ('preparing', 'awaiting_capture');
create index shipments_order on commerce.shipments (tenant_id, order_id, id);
create index shipments_state on commerce.shipments (tenant_id, state, id desc);
create index shipments_tracking
  on commerce.shipments (tenant_id, kernel.plain(tracking_number) collate "C");

create table commerce.returns (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  buyer_id uuid not null,
  state text not null default 'requested' check (state in (
    'requested', 'approved', 'rejected', 'cancelled', 'received', 'refund_pending', 'refunded',
    'refund_failed')),
  refund_shipping text not null default 'none' check (refund_shipping in ('none', 'full')),
  restocking_fee_minor bigint not null default 0 check (restocking_fee_minor >= 0),
  refund_minor bigint check (refund_minor >= 0),
  note text,
  idempotency_key text,
  request_fingerprint bytea not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  constraint returns_key unique (tenant_id, buyer_id, idempotency_key),
  foreign key (tenant_id, order_id) references commerce.orders (tenant_id, id)
);
create index returns_order on commerce.returns (tenant_id, order_id, id);
create index returns_buyer on commerce.returns (tenant_id, buyer_id, id desc);
create index returns_person on commerce.returns (buyer_id, id);

create table commerce.return_lines (
  tenant_id uuid not null,
  return_id uuid not null,
  order_id uuid not null,
  order_line_id uuid not null,
  quantity int not null check (quantity > 0),
  received_quantity int check (received_quantity between 0 and quantity),
  restock boolean,
  reason_code text not null,
  refund_minor bigint check (refund_minor >= 0),
  primary key (tenant_id, return_id, order_line_id),
  foreign key (tenant_id, return_id) references commerce.returns (tenant_id, id),
  foreign key (tenant_id, order_id, order_line_id)
    references commerce.order_lines (tenant_id, order_id, id)
);

-- Why money goes back: for a return, or because an order was cancelled.
create table commerce.refunds (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  return_id uuid,
  amount_minor bigint not null check (amount_minor > 0),
  state text not null default 'pending' check (state in ('pending', 'succeeded', 'failed')),
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references commerce.orders (tenant_id, id)
);
create unique index refunds_of_return on commerce.refunds (tenant_id, return_id)
  where return_id is not null and state <> 'failed';
create index refunds_order on commerce.refunds (tenant_id, order_id, id);

create function commerce.moment(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- A return with its lines and its refund, as it goes over the wire.
create function commerce.return_view(tenant uuid, one uuid) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'id', r.id, 'order_id', r.order_id, 'state', r.state,
    'currency', (
      select o.currency from commerce.orders o
      where o.tenant_id = r.tenant_id and o.id = r.order_id),
    'lines', (
      select jsonb_agg(jsonb_build_object(
        'order_line_id', l.order_line_id, 'quantity', l.quantity,
        'received_quantity', l.received_quantity, 'restock', l.restock,
        'reason_code', l.reason_code, 'refund_minor', l.refund_minor) order by l.order_line_id)
      from commerce.return_lines l where l.tenant_id = r.tenant_id and l.return_id = r.id),
    'refund_shipping', r.refund_shipping, 'restocking_fee_minor', r.restocking_fee_minor,
    'refund', (
      select jsonb_build_object(
        'operation_id', f.id, 'amount_minor', f.amount_minor, 'state', f.state)
      from commerce.refunds f where f.tenant_id = r.tenant_id and f.return_id = r.id
      order by f.created_at desc, f.id desc limit 1),
    'note', r.note, 'version', r.version, 'created_at', commerce.moment(r.created_at))
  from commerce.returns r where r.tenant_id = tenant and r.id = one
$$;
