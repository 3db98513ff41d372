/** Rows of people. The row of a member of the tenant is created when it is first needed. */
import { Type, type Static } from 'typebox'
import { sql, type Db, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps, Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { blockedBetween, follows, knowable } from '../may-see.ts'

const Standing = Type.Object({
  moderation_state: Type.String(),
  deleted: Type.Boolean(),
})

export async function ensureUser(
  door: Pick<Tx | Db, 'run'>,
  { tenant_id, id }: Person,
): Promise<void> {
  await door.run(sql`
    insert into social.users (tenant_id, id, handle)
    values (${tenant_id}, ${id}, social.first_handle(${id})) on conflict do nothing`)
}

/** Requires that the caller may write: they have a row and are not suspended or deleted. */
export async function requireWriter(tx: Tx, person: Person): Promise<void> {
  const { tenant_id, id } = person
  const found = await tx.maybe(
    Standing,
    sql`
      select moderation_state, deleted_at is not null as deleted from social.users
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
  if (!found) return await ensureUser(tx, person)
  if (found.deleted || found.moderation_state === 'suspended') {
    throw problem('account_suspended', {
      detail: 'You may read but not write here. GET /v1/moderation/decisions/me says why.',
    })
  }
}

export const Target = Type.Object({
  id: Type.String(),
  privacy_state: Type.String(),
  blocked_by_viewer: Type.Boolean(),
  blocked: Type.Boolean(),
  followed: Type.Boolean(),
})
export type Target = Static<typeof Target>

/** Finds the person whom a request names. Hidden and missing people get the same error. */
export async function requireTarget(
  door: Pick<Tx | Db, 'run'> & Reader,
  { people }: Pick<Deps, 'people'>,
  viewer: Person,
  id: string,
): Promise<Target> {
  const found = await findTarget(door, viewer, id)
  if (found) return found
  const { tenant_id } = viewer
  const members = await people.membersOf(door, tenant_id, [id])
  if (!members.has(id)) throw problem('user_not_found')
  await ensureUser(door, { tenant_id, id })
  const made = await findTarget(door, viewer, id)
  if (!made) throw problem('user_not_found')
  return made
}

function findTarget(reader: Reader, viewer: Person, id: string): Promise<Target | undefined> {
  const { tenant_id } = viewer
  return reader.maybe(
    Target,
    sql`
      select u.id, u.privacy_state, ${blockedBetween(viewer, sql`u.id`)} as blocked,
        ${follows(viewer, sql`u.id`)} as followed,
        exists (select from social.blocks b where b.tenant_id = ${tenant_id}
          and b.blocker_id = ${viewer.id} and b.blocked_id = u.id) as blocked_by_viewer
      from social.users u
      where u.tenant_id = ${tenant_id} and u.id = ${id} and ${knowable(viewer)}`,
  )
}

const Named = Type.Object({ id: Type.String() })

/** Whether the viewer may know of the person is asked when the profile is read. */
export async function findByHandle(
  reader: Reader,
  { tenant_id }: Person,
  handle: string,
): Promise<string> {
  const wanted = handle.replace(/^@/, '').toLowerCase()
  const found = await reader.maybe(
    Named,
    sql`select id from social.users where tenant_id = ${tenant_id} and handle = ${wanted}`,
  )
  if (!found) throw problem('user_not_found')
  return found.id
}

/** Only followers may see the lists of a private account. */
export async function requireOpen(
  door: Pick<Tx | Db, 'run'> & Reader,
  deps: Pick<Deps, 'people'>,
  viewer: Person,
  id: string,
): Promise<void> {
  const target = await requireTarget(door, deps, viewer, id)
  if (id === viewer.id || target.privacy_state === 'public' || target.followed) return
  throw problem('account_private', { detail: 'Follow the account to see this.' })
}
