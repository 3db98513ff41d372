/** What others did to a person, counted together: it reads the digests, which belong to notifications. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openSocialWorld, type Someone } from '../src/surfaces/social/test/social-world.ts'

const world = await openSocialWorld()
const { db } = world.platform.kernel
afterAll(() => world.close())

const Digest = Type.Object({ key: Type.String(), total: Type.Integer() })

test('events that come together are counted like events that come one by one', async () => {
  const [ada, ben, cyd, dan] = (await world.people(4)) as [Someone, Someone, Someone, Someone]
  await ada.does('PUT', `/v1/users/me/mutes/${cyd.id}`)
  const consumer = world.platform.opened['social']?.consumers?.find(
    one => one.name === 'social.notices',
  )
  if (!consumer?.runAll) throw new Error('it takes no events together')
  const gone = await ada.post('gone')
  await ada.does('DELETE', `/v1/posts/${gone}`)
  const totals = async (together: boolean) => {
    const [one, other] = [await ada.post('one'), await ada.post('other')]
    const event = (type: string, post_id: string, who: Someone) => ({
      position: 1,
      id: newId(),
      tenant_id: ada.tenant.id,
      type,
      schema_version: 1,
      aggregate_type: 'like',
      aggregate_id: newId(),
      aggregate_version: 1,
      payload:
        type === 'post.liked' ? { post_id, user_id: who.id } : { post_id, author_id: who.id },
      payload_ref: null,
      traceparent: null,
      occurred_at: new Date().toISOString(),
      created_at: new Date().toISOString(),
    })
    const events = [ben, ada, cyd, dan].flatMap(who => [
      event('post.liked', other, who),
      event('comment.created', one, who),
      event('post.liked', one, who),
      event('post.liked', gone, who),
    ])
    await db.tx(async tx => {
      if (together) await consumer.runAll?.(tx, events)
      else for (const single of events) await consumer.run(tx, single)
    })
    const keys = [`likes:${one}`, `likes:${other}`, `comments:${one}`, `likes:${gone}`]
    const digests = await db.many(
      Digest,
      sql`
        select key, total from notifications.digests
        where tenant_id = ${ada.tenant.id} and key = any(${keys}::text[])`,
    )
    return keys.map(key => digests.find(digest => digest.key === key)?.total ?? 0)
  }
  // Not of herself, not of whom she has muted, and nothing of a deleted post.
  expect(await totals(true)).toEqual([2, 2, 2, 0])
  expect(await totals(false)).toEqual([2, 2, 2, 0])
})
