/**
 * Changes the text or the visibility of a post. Earlier texts stay readable as versions, for those
 * who could read them. Feeds need no change.
 */
import { Type, type Static } from 'typebox'
import { closed, expectVersion, newId, nullable, oneOf, sql, type Tx } from '#dodeca/kernel'
import type { Deps, Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { announcePost } from '../events.ts'
import { requireWriter } from '../people/user-row.ts'
import { cleanText } from '../text.ts'
import { Body, bodyLimits, empty } from './create-post.ts'
import { lockOwnPost } from './lock-post.ts'
import { visibilities } from './post-view.ts'

export const EditPost = closed(
  { body: Type.Optional(Body), visibility: Type.Optional(oneOf(...visibilities)) },
  { title: 'EditPost' },
)
export type EditPost = Static<typeof EditPost>

const Edits = Type.Object({
  edits: Type.Integer(),
  media: Type.Integer(),
  text: nullable(Type.String()),
})
const Edited = Type.Object({ version: Type.Integer(), edited_at: Type.String() })

export async function editPost(
  tx: Tx,
  { kernel: { settings } }: Pick<Deps, 'kernel'>,
  author: Person,
  id: string,
  given: EditPost,
  if_match: string | string[] | undefined,
): Promise<void> {
  const { tenant_id, id: author_id } = author
  await requireWriter(tx, author)
  const before = await lockOwnPost(tx, author, id)
  if (before.deleted) throw problem('post_not_found')
  expectVersion(if_match, before.version)
  const visibility = given.visibility ?? before.visibility
  let { body_ref } = before
  if (given.body !== undefined) {
    const body = cleanText(given.body, 'body', bodyLimits(settings))
    body_ref = await replaceBody(tx, author, id, before, body, settings['social.edits_per_post'])
  }
  if (body_ref === before.body_ref && visibility === before.visibility) return
  const { version, edited_at } = await tx.one(
    Edited,
    sql`
      update social.posts
      set body_ref = ${body_ref}::uuid, visibility = ${visibility}, version = version + 1,
        edited_at = kernel.now()
      where tenant_id = ${tenant_id} and id = ${id}
      returning version, edited_at`,
  )
  announcePost(tx, 'post.updated', { tenant_id, id, author_id, visibility, version, at: edited_at })
}

/** Inserts the new body. The one before it becomes an earlier version. The same text changes nothing. */
async function replaceBody(
  tx: Tx,
  { tenant_id, id }: Person,
  post_id: string,
  before: {
    readonly body_ref: string | null
    readonly version: number
    readonly visibility: string
    readonly last_edit: string
  },
  body: string,
  edits_max: number,
): Promise<string | null> {
  const { edits, media, text } = await tx.one(
    Edits,
    sql`
      select (select count(*)::int from social.post_versions v
          where v.tenant_id = ${tenant_id} and v.post_id = ${post_id}) as edits,
        (select count(*)::int from social.post_media m
          where m.tenant_id = ${tenant_id} and m.post_id = ${post_id}) as media,
        (select b.body from social.post_bodies b
          where b.tenant_id = ${tenant_id} and b.id = ${before.body_ref}::uuid) as text`,
  )
  if (body === '' && media === 0) throw empty()
  if (body === (text ?? '')) return before.body_ref
  if (edits >= edits_max) {
    throw problem('too_many_edits', { detail: `A post may be changed ${edits_max} times.` })
  }
  if (before.body_ref !== null) {
    await tx.run(sql`
      insert into social.post_versions (tenant_id, post_id, version, body_ref, edited_at, visibility)
      select ${tenant_id}, ${post_id}, ${before.version}, ${before.body_ref}::uuid,
        ${before.last_edit}::timestamptz, case
          when ${before.visibility} = 'public' and privacy_state <> 'public' then 'followers'
          else ${before.visibility} end
      from social.users where tenant_id = ${tenant_id} and id = ${id}`)
  }
  if (body === '') return null
  const body_ref = newId()
  await tx.run(sql`
    insert into social.post_bodies (tenant_id, id, post_id, body)
    values (${tenant_id}, ${body_ref}, ${post_id}, ${body})`)
  return body_ref
}
