/**
 * Finds the application of a request to log in or for tokens, and the API for which the tokens are.
 * Every reason for which a client cannot be used looks the same to the caller.
 */
import { timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import { Id, isId, oneOf, sql, type Reader, type Tx } from '#dodeca/kernel'
import { ownsHost } from '../connections/owns-domain.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { mcpResource } from '../keys/access-tokens.ts'
import { hashOf } from '../one-time.ts'
import { Bytes, default_tenant_id } from '../schemas.ts'
import { isDocumentId } from './client-documents.ts'
import { apiScopesOf, clients, wordsOf, type ApiScope, type Client } from './client.ts'

export type { Client } from './client.ts'

type Needs = Pick<Deps, 'kernel' | 'permissions' | 'documents'>
type Credentials = {
  readonly client_id: string
  readonly client_secret?: string | null | undefined
}

const Row = Type.Object({ ...clients.view.properties, tenant_id: Id })

const living = sql`
  identity.clients t
  join identity.tenants n on n.id = t.tenant_id and n.state = 'active'
  where t.deleted_at is null`

/** By id or document; undefined if there is none. */
export async function findClient(
  reader: Reader,
  { documents }: Pick<Needs, 'documents'>,
  client_id: string,
): Promise<Client | undefined> {
  if (isDocumentId(client_id)) return await documents.find(client_id)
  if (!isId(client_id)) return undefined
  const row = await reader.maybe(
    Row,
    sql`
      -- any tenant: the client names its own
      select ${clients.columns}, t.tenant_id from ${living} and t.id = ${client_id}`,
  )
  if (!row || row.type === 'api') return undefined
  const { id, tenant_id, name, type, redirect_uris, first_party, uri } = row
  return {
    client_id: id,
    tenant_id,
    name,
    type,
    redirect_uris,
    scopes: wordsOf(row),
    first_party,
    document: false,
    uri,
  }
}

/**
 * The client of a token request, with its secret if it has one. Throws `invalid_client`, which is
 * also an error of OAuth.
 */
export async function authenticateClient(
  reader: Reader,
  deps: Needs,
  { client_id, client_secret }: Credentials,
): Promise<Client> {
  const client = await findClient(reader, deps, client_id)
  // A client without a secret that sends one is not set up as its developer believes.
  const given = Boolean(client_secret)
  if (!client || given !== (client.type === 'web')) throw problem('invalid_client')
  if (given) await requireSecret(reader, { client_id, client_secret })
  return client
}

const Api = Type.Object({ id: Id, tenant_id: Id, uri: Type.String() })

/** The API that asks about a token which was made for it. */
export async function authenticateApi(
  reader: Reader,
  { client_id, client_secret }: Credentials,
): Promise<{ readonly client_id: string; readonly tenant_id: string; readonly uri: string }> {
  const row = isId(client_id)
    ? await reader.maybe(
        Api,
        sql`
          -- any tenant: the client names its own
          select t.id, t.tenant_id, t.uri from ${living} and t.id = ${client_id}
            and t.type = 'api'`,
      )
    : undefined
  if (!row) throw problem('invalid_client')
  await requireSecret(reader, { client_id, client_secret })
  return { client_id, tenant_id: row.tenant_id, uri: row.uri }
}

const Secret = Type.Object({ secret_hash: Bytes })

async function requireSecret(reader: Reader, { client_id, client_secret }: Credentials) {
  const rows = await reader.many(
    Secret,
    sql`
      -- any tenant: the client names its own
      select secret_hash from identity.client_secrets
      where client_id = ${client_id} and (expires_at is null or expires_at > kernel.now())`,
  )
  const hash = hashOf(client_secret ?? '')
  if (!rows.some(({ secret_hash }) => timingSafeEqual(secret_hash, hash))) {
    throw problem('invalid_client')
  }
}

const Held = Type.Object({ type: oneOf('web', 'spa', 'native', 'api') })

/**
 * Keeps the client as it is until the transaction ends, so that who deletes it then also ends what
 * began meanwhile. False if it is gone. A document has no row.
 */
export async function holdClient(tx: Tx, client_id: string): Promise<boolean> {
  if (isDocumentId(client_id)) return true
  const held = await tx.maybe(
    Held,
    sql`
      -- any tenant: the client names its own
      select t.type from ${living} and t.id = ${client_id} for share of t`,
  )
  return held !== undefined
}

const Audience = Type.Object({ ...clients.view.properties, tenant_id: Id, uri: Type.String() })

export type FoundResource = {
  /** Null for `/v1` of this platform, else the address of the other API, or of our `/mcp`. */
  readonly audience: string | null
  /** What that API defines; null for ours. */
  readonly scopes: readonly ApiScope[] | null
  /** Whose API it is: only people who work in this tenant get tokens for it. Null: of all. */
  readonly tenant_id: string | null
}

/** The audience of a `resource` (RFC 8707); undefined if this client gets no tokens for it. */
export async function findResource(
  reader: Reader,
  { kernel }: Pick<Deps, 'kernel'>,
  resource: string,
  client: Pick<Client, 'tenant_id'>,
): Promise<FoundResource | undefined> {
  if (resource === `${kernel.public_url}/v1`) {
    return { audience: null, scopes: null, tenant_id: null }
  }
  if (resource === mcpResource(kernel)) {
    return { audience: resource, scopes: null, tenant_id: null }
  }
  const row = await reader.maybe(
    Audience,
    sql`
      -- any tenant: an address is the API of one
      select ${clients.columns}, t.tenant_id from ${living}
        and t.type = 'api' and t.uri = ${resource}`,
  )
  if (!row) return undefined
  const { tenant_id } = row
  // An organization that has lost its domain has lost the API, which may belong to another owner by now.
  const { hostname } = new URL(row.uri)
  if (tenant_id !== default_tenant_id && !(await ownsHost(reader, tenant_id, hostname))) {
    return undefined
  }
  const of_all = tenant_id === default_tenant_id
  const serves_all = client.tenant_id === null || client.tenant_id === default_tenant_id
  if (!of_all && !serves_all && tenant_id !== client.tenant_id) return undefined
  return { audience: row.uri, scopes: apiScopesOf(row), tenant_id: of_all ? null : tenant_id }
}
