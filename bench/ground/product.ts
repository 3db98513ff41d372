/** The product as the thing measured: the program that a user starts, and people who are logged in. */
import { newId } from '#dodeca/kernel'
import { ask } from './database.ts'
import { requestText } from './load.ts'
import type { Side } from './machine.ts'
import { startProgram, type Program } from './program.ts'
import { productionEnvironment } from './platform.ts'
import { openWire, type Wire } from './wire.ts'

export type LoggedIn = {
  readonly email: string
  readonly password: string
  session_id: string
  refresh_token: string
  access_token: string
  /** Their own connection to the platform. */
  readonly wire: Wire
}

type How = { readonly side?: Side; readonly profile?: string | null; readonly roles?: string }

/**
 * Configured as an operator would, but without limits on guesses from one machine and without
 * verified addresses.
 */
export async function startProduct(
  database_url: string,
  data_dir: string,
  { side = 'free', profile = null, roles = 'api,worker' }: How = {},
): Promise<Program> {
  const env = {
    ...productionEnvironment(database_url),
    ROLES: roles,
    DATA_DIR: data_dir,
    // Tokens name it as their issuer, so that all processes must agree.
    PUBLIC_URL: 'http://dodeca.test',
    IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
    IDENTITY_HASH_QUEUE: '1000',
    IDENTITY_HASH_WAIT_MS: '30000',
  }
  return await startProgram(env, { side, profile })
}

function post(path: string, body: object): string {
  return requestText({ method: 'POST', path, body })
}

export async function logIn(who: LoggedIn): Promise<boolean> {
  const { email, password } = who
  const { status, body } = await who.wire.ask(post('/v1/sessions', { email, password }))
  if (status !== 201) return false
  const { session_id, refresh_token, access_token } = JSON.parse(body) as LoggedIn
  Object.assign(who, { session_id, refresh_token, access_token })
  return true
}

export async function refresh(who: LoggedIn): Promise<boolean> {
  const { session_id, refresh_token } = who
  const path = `/v1/sessions/${session_id}/refresh`
  const { status, body } = await who.wire.ask(post(path, { refresh_token }))
  if (status !== 200) return false
  const tokens = JSON.parse(body) as Pick<LoggedIn, 'refresh_token' | 'access_token'>
  who.refresh_token = tokens.refresh_token
  who.access_token = tokens.access_token
  return true
}

/** A login attempt for an address without an account: it costs a hash like any other login. */
export async function guess(wire: Wire): Promise<boolean> {
  const body = { email: `${newId()}@example.test`, password: 'correct horse battery staple' }
  return (await wire.ask(post('/v1/sessions', body))).status === 401
}

export async function makePeople(port: number, count: number): Promise<LoggedIn[]> {
  const people: LoggedIn[] = []
  const password = 'correct horse battery staple'
  for (let n = 0; n < count; n++) {
    const email = `${newId()}@example.test`
    const wire = await openWire(port)
    const who = { email, password, wire, session_id: '', refresh_token: '', access_token: '' }
    const { status } = await wire.ask(post('/v1/accounts', { email, password }))
    if (status !== 202 || !(await logIn(who))) throw new Error(`no person: ${status}`)
    people.push(who)
  }
  return people
}

/** The tables that a rotation touches, and one session for each client of pgbench. */
export async function prepareRotation(database_url: string, clients: number): Promise<void> {
  await ask(
    database_url,
    `
     create table accounts (id int primary key, status text not null);
     create table sessions (id int primary key, account_id int not null, revoked_at timestamptz,
       last_seen_at timestamptz, expires_at timestamptz not null, refresh_hash bytea,
       refresh_parent_hash bytea, refresh_used_at timestamptz, refresh_expires_at timestamptz)
       with (fillfactor = 80);
     insert into accounts select n, 'active' from generate_series(0, ${clients}) n;
     insert into sessions select n, n, null, now(), now() + interval '30 days'
       from generate_series(0, ${clients}) n`,
  )
}

/** The statement of a rotation. */
export const rotation = `
\\set next random(1, 9000000000000000000)
update sessions s
set refresh_hash = sha256(int8send(:next::bigint)), refresh_parent_hash = s.refresh_hash,
  refresh_used_at = clock_timestamp(), last_seen_at = now(),
  refresh_expires_at = least(s.expires_at, now() + interval '14 days')
from accounts a
where s.id = :client_id and s.revoked_at is null and s.expires_at > now()
  and a.id = s.account_id and a.status = 'active'
returning s.expires_at;
`
