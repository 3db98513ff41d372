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
       last_seen_at timestamptz, expires_at timestamptz not null) with (fillfactor = 80);
     create table refresh_tokens (id_hash bytea primary key, session_id int not null,
       parent_id_hash bytea, used_at timestamptz, expires_at timestamptz not null,
       replays int not null default 0) with (fillfactor = 80);
     create unique index on refresh_tokens (session_id) where used_at is null;
     create index on refresh_tokens (session_id);
     insert into accounts select n, 'active' from generate_series(0, ${clients}) n;
     insert into sessions select n, n, null, now(), now() + interval '30 days'
       from generate_series(0, ${clients}) n`,
  )
}

/** Both statements of a rotation. A transaction starts its own chain if there is none. */
export const rotation = `
\\set next random(1, 9000000000000000000)
begin;
update refresh_tokens set used_at = clock_timestamp()
where session_id = :client_id and used_at is null and expires_at > now();
with session as (
  update sessions s set last_seen_at = now() from accounts a
  where s.id = :client_id and s.revoked_at is null and s.expires_at > now()
    and a.id = s.account_id and a.status = 'active'
  returning s.id, s.expires_at
)
insert into refresh_tokens (id_hash, session_id, parent_id_hash, expires_at)
select sha256(int8send(:next::bigint)), id, sha256('parent'), least(expires_at, now() + interval '14 days')
from session;
commit;
`
