/** Links and domains on the wire. Shapes that only one folder uses are in that folder. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, text, Time, Version } from '#dodeca/kernel'

const oneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: values })

export const State = oneOf('pending_scan', 'active', 'disabled', 'expired', 'deleted')
const SafetyState = oneOf('unscanned', 'clean', 'suspicious', 'malicious')
export const Hostname = text(253)
export const Code = text(64)
/** Longer than any URL that is accepted, so that the refusal can name the rule. */
const Address = text(8192)

const RedirectStatus = Type.Unsafe<301 | 302 | 307 | 308>({
  type: 'integer',
  enum: [301, 302, 307, 308],
})

const policy = {
  redirect_status: RedirectStatus,
  scan: oneOf('allow', 'warn', 'block'),
  query: oneOf('ignore', 'append'),
  cache_seconds: count(0, 300),
  edge_cache_seconds: count(0, 86_400),
}
export const Policy = Type.Object(policy, { title: 'LinkPolicy' })
export type Policy = Static<typeof Policy>
const PolicyPart = closed({
  redirect_status: Type.Optional(policy.redirect_status),
  scan: Type.Optional(policy.scan),
  query: Type.Optional(policy.query),
  cache_seconds: Type.Optional(policy.cache_seconds),
  edge_cache_seconds: Type.Optional(policy.edge_cache_seconds),
})

export const Link = Type.Object(
  {
    code: Type.String(),
    domain: Type.String(),
    domain_id: Id,
    short_url: Type.String(),
    owner_id: Id,
    destination_url: Type.String(),
    state: State,
    safety_state: SafetyState,
    destination_version: Type.Integer(),
    version: Version,
    created_at: Time,
    updated_at: Time,
    expires_at: nullable(Time),
    max_clicks: nullable(Type.Integer()),
    remaining_clicks: nullable(Type.Integer()),
    title: nullable(Type.String()),
    policy: Policy,
    clicks: Type.Integer(),
  },
  { title: 'Link' },
)
export type Link = Static<typeof Link>

const MaxClicks = nullable(count(1, Number.MAX_SAFE_INTEGER))
const Title = nullable(text(200))

/** Restrictions of other APIs that have no effect here, with what to use instead. */
export const instead_of_links = {
  click_limit: 'max_clicks',
  max_uses: 'max_clicks',
  max_visits: 'max_clicks',
  one_time: 'max_clicks',
  single_use: 'max_clicks',
  expires: 'expires_at',
  expires_in: 'expires_at',
  expiry: 'expires_at',
  ttl: 'expires_at',
  valid_until: 'expires_at',
} as const

export const CreateLink = closed(
  {
    destination_url: Address,
    // Longer than an alias may be, so that a long alias gets the error that explains the rule.
    alias: Type.Optional(text(200)),
    domain: Type.Optional(Hostname),
    expires_at: Type.Optional(nullable(Time)),
    code_length: Type.Optional(count(8, 32)),
    max_clicks: Type.Optional(MaxClicks),
    title: Type.Optional(Title),
    policy: Type.Optional(PolicyPart),
  },
  { title: 'CreateLink' },
)
export type CreateLink = Static<typeof CreateLink>

export const CreateLinks = closed(
  { links: Type.Array(CreateLink, { minItems: 1, maxItems: 100 }) },
  { title: 'CreateLinks' },
)
export const LinkBatch = Type.Object({ data: Type.Array(Link, { maxItems: 100 }) })

/** Code and domain can never change. A request that contains them gets its own error. */
export const PatchLink = closed(
  {
    destination_url: Type.Optional(Address),
    expires_at: Type.Optional(nullable(Time)),
    title: Type.Optional(Title),
    policy: Type.Optional(PolicyPart),
    max_clicks: Type.Optional(MaxClicks),
    state: Type.Optional(oneOf('active', 'disabled')),
    code: Type.Optional(Type.Unknown()),
    domain: Type.Optional(Type.Unknown()),
  },
  { title: 'PatchLink' },
)
export type PatchLink = Static<typeof PatchLink>

export const OnDomain = closed({ domain: Type.Optional(Hostname) })

export const Domain = Type.Object(
  {
    id: Id,
    owner_id: Id,
    hostname: Type.String(),
    state: oneOf('pending_verification', 'active', 'suspended', 'removed'),
    root_url: nullable(Type.String()),
    checked_at: nullable(Time),
    version: Version,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Domain' },
)
export type Domain = Static<typeof Domain>

/** The value of the record is shown only here. Only its hash is stored. */
export const NewDomain = Type.Object(
  {
    ...Domain.properties,
    verification: Type.Object({
      method: Type.Literal('dns_txt'),
      record_name: Type.String(),
      record_value: Type.String(),
      expires_at: Time,
    }),
    routing: Type.Object({ cname_target: Type.String() }),
  },
  { title: 'NewDomain' },
)
export type NewDomain = Static<typeof NewDomain>

export const ClaimDomain = closed(
  { hostname: Hostname, root_url: Type.Optional(nullable(Address)) },
  { title: 'ClaimDomain' },
)
