/** The keyring is rotated twice and its old keys are removed: everyone can still log in. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { password } from './product-world.ts'
import { inherited, programOf, startProcess } from './process.ts'
import { call, eventually } from './world.ts'
import { sql } from '#dodeca/kernel'
import { Bytes } from '../src/surfaces/identity/schemas.ts'
import { guarded, nextCode, openMfaWorld } from '../src/surfaces/identity/test/second-factor.ts'

const world = await openMfaWorld()
const keys_file = join(world.data_dir, 'keys.json')
afterAll(() => world.close())

type Kept = { keyring: string; pepper: string }

async function keysKept(): Promise<Kept> {
  return JSON.parse(await readFile(keys_file, 'utf8')) as Kept
}

async function rotate(): Promise<void> {
  const env = { ...inherited, ...world.environment }
  await promisify(execFile)(
    process.execPath,
    [programOf('src/cli.ts'), 'keys', 'rotate', 'encryption'],
    { env },
  )
}

/** The ids of the keys under which anything in use lies. */
async function keysInUse(): Promise<string[]> {
  const { db, keys } = world.platform.kernel
  const rows = await db.many(
    Type.Object({ sealed: Bytes }),
    sql`
      select password_hash as sealed from identity.credentials
      union all
      select password_hash from identity.registrations where state = 'pending'
      union all
      select private_key from identity.signing_keys where state in ('next', 'active', 'retired')
      union all
      select encrypted_secret_or_public_key from identity.mfa_methods where type = 'totp'
      union all
      select wrapped from notifications.data_keys`,
  )
  return [...new Set(rows.map(({ sealed }) => keys.sealedWith(sealed)))]
}

test('passwords, second factors and signing keys outlive the key that sealed them', async () => {
  const { member, app } = await guarded(world)
  // This process seals the two mails of the person, and it does not learn of the rotation.
  await eventually('both mails are sealed', async () => {
    const { mails } = await world.platform.kernel.db.one(
      Type.Object({ mails: Type.Integer() }),
      sql`select count(*)::int as mails from notifications.data_keys`,
    )
    return mails === 2
  })
  const before = await keysInUse()
  await rotate()
  await rotate()
  const { keyring, pepper } = await keysKept()
  const [newest = '', ...older] = keyring.split(',')
  expect(older).toHaveLength(2)
  const worker = await startProcess(world.environment, 'product')
  const current = newest.split(':')[0]
  expect(before).not.toContain(current)
  await eventually('everything lies under the newest key', async () => {
    const kids = await keysInUse()
    return kids.length === 1 && kids[0] === current
  })
  await worker.kill()

  await writeFile(keys_file, JSON.stringify({ keyring: newest, pepper }))
  const after = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
  const ask = (path: string, body?: object, token?: string) =>
    call(after.url, body ? 'POST' : 'GET', path, {
      ...(body ? { body } : {}),
      ...(token ? { token } : {}),
    })
  expect((await ask('/v1/me', undefined, member.token)).status).toBe(200)
  const { email, tenant, session_id, refresh_token } = member
  const refreshed = await ask(`/v1/sessions/${session_id}/refresh`, { refresh_token })
  expect(refreshed.status).toBe(200)
  const login = await ask('/v1/sessions', { email, password, tenant: tenant.slug })
  expect(login.status).toBe(202)
  const path = `/v1/mfa/challenges/${login.body.id}/verify`
  const code = await nextCode(world, app)
  const proven = await ask(path, { code }, login.body.login_token)
  expect(proven.status).toBe(201)
  expect((await ask('/v1/me', undefined, proven.body.access_token)).status).toBe(200)
  // A token of the resealed key counts where the key was never sealed again.
  expect((await world.call('GET', '/v1/me', { token: proven.body.access_token })).status).toBe(200)
  await after.kill()
})
