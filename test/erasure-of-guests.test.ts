/**
 * A person may work in several tenants. What they left in another one than their own is exported and
 * erased too.
 */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openUploadWorld } from '../src/surfaces/uploads/test/upload-world.ts'
import type { Member } from './product-world.ts'
import { eventually } from './world.ts'

const world = await openUploadWorld()
const { db, objects } = world.platform.kernel
afterAll(() => world.close())

/** The same person with a token of another tenant, in which they are a guest. */
async function guestOf(host: Member, who: Member): Promise<Member> {
  await world.give({ ...who, tenant: host.tenant }, 'auditor')
  const body = { refresh_token: who.refresh_token, tenant_id: host.tenant.id }
  const path = `/v1/sessions/${who.session_id}/refresh`
  const { status, text, body: tokens } = await world.call('POST', path, { body })
  expect(status, text).toBe(200)
  return { ...who, tenant: host.tenant, token: tokens.access_token }
}

const Row = Type.Object({ row: Type.String() })
const rowsOf = (table: string, tenant_id: string) =>
  db.many(
    Row,
    sql`select t::text as row from ${sql.id(...table.split('.'))} t where tenant_id = ${tenant_id}`,
  )

test('what a person left as a guest of another tenant is exported and erased', async () => {
  const mark = `zq${newId().slice(-12)}`
  const [host, who] = [await world.member(), await world.member()]
  const guest = await guestOf(host, who)
  const { token, id } = guest
  const stored = await world.store(guest, Buffer.from(`of ${mark}`), { filename: `${mark}.txt` })
  const open = await world.begin(guest, Buffer.from(mark), { filename: `${mark}-open.txt` })
  expect(open.status, open.text).toBe(201)
  const { storage_key } = await db.one(
    Type.Object({ storage_key: Type.String() }),
    sql`
      select storage_key from uploads.files
      where tenant_id = ${guest.tenant.id} and id = ${stored.file_id}`,
  )
  const destination = { channel: 'email', address: `${mark}@example.test` }
  const added = await world.call('POST', `/v1/users/${id}/destinations`, {
    token,
    body: destination,
  })
  expect(added.status, added.text).toBe(201)
  const preferences = await world.call('PUT', `/v1/users/${id}/preferences`, {
    token,
    body: { timezone: 'Europe/Berlin', preferences: [] },
  })
  expect(preferences.status, preferences.text).toBe(200)

  const exported = await world.call('GET', '/v1/me/export', { token })
  expect(exported.text).toContain(`${mark}.txt`)
  expect(exported.text).toContain('"notification_destination"')
  const erased = await world.call('DELETE', `/v1/accounts/${id}`, { token })
  expect(erased.status, erased.text).toBe(204)

  const left = async () => {
    const tables = ['uploads.files', 'uploads.uploads', 'notifications.destinations']
    const rows = await Promise.all(
      [...tables, 'notifications.preference_sets', 'notifications.data_keys'].map(async table =>
        (await rowsOf(table, guest.tenant.id)).map(({ row }) => `${table} ${row}`),
      ),
    )
    const named = rows.flat().filter(row => /zq|preference|destinations/.test(row) || isKey(row))
    return (await objects.head(storage_key)) ? [...named, storage_key] : named
  }
  const isKey = (row: string) => row.includes('data_keys') && row.includes(id)
  await eventually('nothing is left', async () => (await left()).length === 0).catch(() => {})
  expect(await left()).toEqual([])
})
