-- Text as searches compare it: lower case, without accents and other marks.
create function kernel.plain(value text) returns text
language sql immutable parallel safe as $$
  select lower(regexp_replace(normalize(value, nfkd), '[\u0300-\u036f]', '', 'g'))
$$;
