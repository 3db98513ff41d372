/**
 * Applications that log people in here: the refresh of a grant beside that of a session of our own
 * and beside oidc-provider on the same PostgreSQL, and how long a second process still accepts the
 * token of a grant that its person has ended.
 */
import { createHash, hash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { newId, newSecret } from '#dodeca/kernel'
import type { Database } from '../ground/database.ts'
import { ask } from '../ground/database.ts'
import { startOn } from '../ground/machine.ts'
import type { LoggedIn } from '../ground/product.ts'
import { openWire, type Wire } from '../ground/wire.ts'
import { client_id as bench_client, type Given, type Told } from './provider-process.ts'

export type Grant = {
  readonly wire: Wire
  readonly path: string
  readonly client_id: string
  refresh_token: string
  access_token: string
}

const redirect_uri = 'https://app.bench.test/back'
const scope = ['openid', 'offline_access']

function formText(path: string, form: Record<string, string>): string {
  const body = new URLSearchParams(form).toString()
  const type = 'content-type: application/x-www-form-urlencoded'
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

async function tokensFor(grant: Grant, form: Record<string, string>): Promise<boolean> {
  const { client_id, path, wire } = grant
  const { status, body } = await wire.ask(formText(path, { client_id, ...form }))
  if (status !== 200) return false
  const { refresh_token, access_token } = JSON.parse(body) as Grant
  Object.assign(grant, { refresh_token, access_token })
  return true
}

export function refreshGrant(grant: Grant): Promise<boolean> {
  const { refresh_token } = grant
  return tokensFor(grant, { grant_type: 'refresh_token', refresh_token })
}

/** An application without a secret, which each of these people has allowed. */
export async function makeGrants(
  url: string,
  port: number,
  people: readonly LoggedIn[],
): Promise<Grant[]> {
  const client_id = newId()
  await ask(
    url,
    `insert into identity.clients
       (tenant_id, id, name, type, redirect_uris, scopes, first_party)
     select id, '${client_id}', 'bench', 'native', array['${redirect_uri}'],
       '${JSON.stringify(scope)}'::jsonb, false
     from identity.tenants where slug = 'default'`,
  )
  return await Promise.all(people.map(one => grantOf(url, port, client_id, one)))
}

/** The code is stored as the page stores it when the person allows the application. */
async function grantOf(
  url: string,
  port: number,
  client_id: string,
  { session_id }: Pick<LoggedIn, 'session_id'>,
): Promise<Grant> {
  const [code, code_verifier] = [`ot_${newSecret()}`, newSecret()]
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const allowed = JSON.stringify({ client_id, redirect_uri, code_challenge, scope })
  await ask(
    url,
    `insert into identity.one_time_challenges
       (id_hash, tenant_id, account_id, purpose, ref, details, expires_at)
     select decode('${hash('sha256', code)}', 'hex'), s.tenant_id, s.account_id, 'oauth_code',
       '${newId()}', '${allowed}'::jsonb || jsonb_build_object('audience', null, 'nonce', null,
         'tenant_id', s.tenant_id, 'from_session_id', s.id),
       kernel.now() + interval '1 minute'
     from identity.sessions s where s.id = '${session_id}'`,
  )
  const wire = await openWire(port)
  const path = '/v1/oauth/token'
  const grant: Grant = { wire, path, client_id, refresh_token: '', access_token: '' }
  const given = { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
  if (!(await tokensFor(grant, given))) throw new Error('no grant')
  return grant
}

/** oidc-provider with as many grants, and its end. */
export async function startProvider(database: Database, grants: number) {
  const child = startOn({
    side: 'free',
    program: process.execPath,
    args: [fileURLToPath(new URL('./provider-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send({ database_url: await database.create('provider'), grants } satisfies Given)
  const [told] = (await once(child, 'message')) as [Told]
  const wires = await Promise.all(told.refresh_tokens.map(() => openWire(told.port)))
  const all = told.refresh_tokens.map((refresh_token, at): Grant => ({
    wire: wires[at] as Wire,
    path: '/token',
    client_id: bench_client,
    refresh_token,
    access_token: '',
  }))
  const stop = async () => {
    for (const wire of wires) wire.close()
    child.kill()
    await once(child, 'exit')
  }
  return { grants: all, stop }
}
