/**
 * oidc-provider in a process of its own, with its records in PostgreSQL as its adapters for
 * databases keep them: one table, found by id. It issues grants with refresh tokens at the start,
 * so that only refreshes are measured.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import pg from 'pg'

export type Given = { readonly database_url: string; readonly grants: number }
export type Told = { readonly port: number; readonly refresh_tokens: readonly string[] }

export const client_id = 'bench'
const scope = 'openid offline_access'

process.once('message', (given: Given) => void serve(given))
process.once('SIGTERM', () => process.exit(0))

async function serve({ database_url, grants }: Given): Promise<void> {
  const pool = new pg.Pool({ connectionString: database_url, max: 10 })
  await pool.query(`
    create table records (
      id text primary key, type text not null, payload jsonb not null, grant_id text,
      uid text, consumed_at timestamptz, expires_at timestamptz
    ) with (fillfactor = 80);
    create index on records (grant_id) where grant_id is not null;
    create index on records (uid) where uid is not null`)
  const http = createServer()
  // Between its turns the connections stay open.
  http.keepAliveTimeout = 3_600_000
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    adapter: type => adapterOf(pool, type),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'bench', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['a key of the comparison'] },
    clients: [
      {
        client_id,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/back'],
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    rotateRefreshToken: true,
    features: { devInteractions: { enabled: false } },
    ttl: { Grant: 3600, AccessToken: 600, IdToken: 600, RefreshToken: 3600 },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  })
  const answer = provider.callback()
  http.on('request', (request, response) => void answer(request, response))
  const refresh_tokens = await Promise.all(
    Array.from({ length: grants }, (_, n) => issue(provider, `person-${n}`)),
  )
  process.send?.({ port, refresh_tokens } satisfies Told)
}

async function issue(provider: Provider, accountId: string): Promise<string> {
  const client = await provider.Client.find(client_id)
  if (!client) throw new Error('the client is not known')
  const grant = new provider.Grant({ accountId, clientId: client_id })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const token = new provider.RefreshToken({
    accountId,
    client,
    grantId,
    scope,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1000),
  })
  return await token.save()
}

function adapterOf(pool: pg.Pool, type: string): Adapter {
  const one = async (column: 'id' | 'uid', value: string) => {
    const { rows } = await pool.query<{ payload: AdapterPayload; consumed: boolean }>({
      name: `find ${column}`,
      text: `
        select payload, consumed_at is not null as consumed from records
        where ${column} = $1 and (expires_at is null or expires_at > now())`,
      values: [value],
    })
    const [row] = rows
    return row && { ...row.payload, ...(row.consumed ? { consumed: true } : {}) }
  }
  const run = async (name: string, text: string, values: unknown[]) => {
    await pool.query({ name, text, values })
  }
  return {
    upsert: (id, payload, seconds) =>
      run(
        'put',
        `
        insert into records (id, type, payload, grant_id, uid, expires_at)
        values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
        on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
        [id, type, payload, payload.grantId ?? null, payload.uid ?? null, seconds],
      ),
    find: id => one('id', id),
    findByUid: uid => one('uid', uid),
    findByUserCode: () => Promise.resolve(undefined),
    consume: id => run('consume', 'update records set consumed_at = now() where id = $1', [id]),
    destroy: id => run('destroy', 'delete from records where id = $1', [id]),
    revokeByGrantId: id => run('revoke', 'delete from records where grant_id = $1', [id]),
  }
}
