/**
 * The row of a connection, and the shapes of its requests. Its secret is sealed in a column that no
 * reply shows.
 */
import { Type, type Static } from 'typebox'
import {
  closed,
  defaulted,
  given,
  Id,
  nullable,
  oneOf,
  record,
  shown,
  sql,
  text,
  type Keyring,
  type Reader,
  type SealedColumn,
} from '#dodeca/kernel'
import { RoleId } from '../roles/schemas.ts'
import { Bytes, default_tenant_id } from '../schemas.ts'
import { preset_names } from './presets.ts'

const url = text(2000)
const Endpoints = closed({
  authorization: Type.Optional(url),
  token: Type.Optional(url),
  userinfo: Type.Optional(url),
  emails: Type.Optional(url),
})
const Fields = closed({
  subject: Type.Optional(text(100)),
  email: Type.Optional(text(100)),
  email_verified: Type.Optional(text(100)),
  name: Type.Optional(text(100)),
})
const Mapping = closed({ claim: text(100), value: text(200), role_id: RoleId })
const Kind = oneOf('oidc', 'oauth2')
const PresetName = oneOf(...preset_names)
const apple = { team_id: text(20), key_id: text(20) }

export const connections = record('identity.connections', {
  noun: 'connection',
  tombstone: true,
  fields: {
    name: given(text(100)),
    kind: shown(Kind),
    preset: shown(nullable(PresetName), null),
    issuer: defaulted(nullable(text(500)), null),
    client_id: given(text(500)),
    apple: shown(nullable(Type.Object(apple)), null),
    endpoints: defaulted(nullable(Endpoints), null),
    fields: defaulted(nullable(Fields), null),
    scopes: defaulted(nullable(Type.Array(text(100), { maxItems: 20 })), null),
    trust_email: defaulted(Type.Boolean(), false),
    jit: defaulted(Type.Boolean(), false),
    mfa_values: defaulted(Type.Array(text(200), { maxItems: 20 }), []),
    role_map: defaulted(Type.Array(Mapping, { maxItems: 50 }), []),
    state: shown(oneOf('active', 'disabled'), 'active'),
    editor_id: shown(Id),
  },
})
export type Connection = Static<typeof connections.view>

const secrets = {
  client_secret: Type.Optional(text(1000)),
  apple: Type.Optional(closed({ ...apple, private_key: text(4000) })),
}

export const CreateConnection = closed(
  {
    ...connections.create.properties,
    ...secrets,
    kind: Type.Optional(Kind),
    preset: Type.Optional(PresetName),
  },
  { title: 'CreateConnection' },
)
export type CreateConnection = Static<typeof CreateConnection>

export const ChangeConnection = closed(
  {
    ...connections.change.properties,
    ...secrets,
    state: Type.Optional(oneOf('active', 'disabled')),
  },
  { title: 'ChangeConnection' },
)
export type ChangeConnection = Static<typeof ChangeConnection>

/** A connection of `default` belongs to the operators, like a provider of the settings. */
export function isOperators({ tenant_id }: { readonly tenant_id: string }): boolean {
  return tenant_id === default_tenant_id
}

/** The issuer of identities of a connection, whatever the provider calls itself. */
export function issuerOf(id: string): string {
  return `connection:${id}`
}

const use = 'identity.connection_secret'
const placeOf = (id: string) => ({ table: 'identity.connections', id, column: 'secret' }) as const

export function sealSecret(keys: Pick<Keyring, 'seal'>, id: string, secret: string): Buffer {
  return keys.seal(use, Buffer.from(secret), placeOf(id))
}

export const sealedConnectionSecrets: SealedColumn = {
  table: 'identity.connections',
  key: ['id'],
  column: 'secret',
  use,
  place: ({ id }) => placeOf(String(id)),
}

const Sealed = Type.Object({ secret: nullable(Bytes) })

/** The secret of a connection, active or not. */
export async function openSecret(
  reader: Reader,
  keys: Pick<Keyring, 'open'>,
  id: string,
): Promise<string | null> {
  const row = await reader.maybe(
    Sealed,
    sql`select secret from identity.connections where id = ${id}`,
  )
  return row?.secret ? keys.open(use, row.secret, placeOf(id)).toString() : null
}

const Opened = Type.Object({
  ...connections.view.properties,
  tenant_id: Id,
  secret: nullable(Bytes),
})
export type OpenedConnection = Connection & {
  readonly tenant_id: string
  readonly secret: string | null
}

/** An active connection of an active tenant, with its secret. */
export async function openConnection(
  reader: Reader,
  keys: Pick<Keyring, 'open'>,
  id: string,
): Promise<OpenedConnection | undefined> {
  const row = await reader.maybe(
    Opened,
    sql`
      -- any tenant: the connection names its own
      select ${connections.columns}, t.tenant_id, t.secret
      from identity.connections t
      join identity.tenants n on n.id = t.tenant_id and n.state = 'active'
      where t.id = ${id} and t.state = 'active' and t.deleted_at is null`,
  )
  if (!row) return undefined
  return { ...row, secret: row.secret && keys.open(use, row.secret, placeOf(id)).toString() }
}

const Offered = Type.Object({ id: Type.String(), name: Type.String() })

/** What the log-in page of a tenant offers. */
export function offeredConnections(
  reader: Reader,
  slug: string,
): Promise<Static<typeof Offered>[]> {
  return reader.many(
    Offered,
    sql`
      select c.id, c.name from identity.connections c
      join identity.tenants t on t.id = c.tenant_id and t.state = 'active'
      where t.slug = ${slug} and c.state = 'active' and c.deleted_at is null
      order by c.name, c.id limit 100`,
  )
}
