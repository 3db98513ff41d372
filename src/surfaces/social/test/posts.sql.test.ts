/** Posts, likes and comments: who may do what, and that everything concealed looks like nothing. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { code, openSocialWorld, sameRefusal, type Someone } from './social-world.ts'

const world = await openSocialWorld({
  ROLES: 'api',
  KERNEL_RATE_FACTOR: '1',
  KERNEL_RATE_WRITE_PER_MINUTE: '100000',
  KERNEL_RATE_READ_PER_MINUTE: '100000',
  SOCIAL_EDITS_PER_POST: '2',
  SOCIAL_POSTS_PER_5_MINUTES: '40',
  SOCIAL_COMMENTS_PER_5_MINUTES: '3',
})
const { db } = world.platform.kernel
afterAll(() => world.close())

describe.concurrent('a post', () => {
  test('has what it was given; a repeated key returns it; two texts are two versions', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const headers = { 'idempotency-key': newKey() }
    const made = await ada.ask('POST', '/v1/posts', { body: 'one' }, headers)
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/v1/posts/${made.body.id}`)
    expect(made.body).toMatchObject({ author_id: ada.id, visibility: 'public', version: 1 })
    const again = await ada.ask('POST', '/v1/posts', { body: 'one' }, headers)
    expect([again.status, again.body.id]).toEqual([201, made.body.id])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const path = `/v1/posts/${made.body.id}`
    const etag = made.headers.get('etag') ?? ''
    const edited = await ada.ask('PATCH', path, { body: 'two' }, { 'if-match': etag })
    expect([edited.status, edited.body.body, edited.body.version]).toEqual([200, 'two', 2])
    expect(code(await ada.ask('PATCH', path, { body: 'x' }, { 'if-match': etag }))).toEqual([
      412,
      'precondition_failed',
    ])
    const odd = await ada.ask('PATCH', path, { body: 'x' }, { 'if-match': '"2e0"' })
    expect(code(odd)).toEqual([412, 'precondition_failed'])
    expect((await ada.ask('PATCH', path, { visibility: 'public' })).body.version).toBe(2)
    expect((await ada.ask('PATCH', path, { body: 'two' })).body.version).toBe(2)
    const { data } = await ben.does('GET', `${path}/versions`)
    expect(data.map((one: { body: string }) => one.body)).toEqual(['two', 'one'])
    expect(code(await ben.ask('PATCH', path, { body: 'x' }))).toEqual([403, 'permission_denied'])
    expect(code(await ben.ask('DELETE', path))).toEqual([403, 'permission_denied'])
    await ada.does('PATCH', path, { body: 'three' })
    expect(code(await ada.ask('PATCH', path, { body: 'four' }))).toEqual([409, 'too_many_edits'])
    for (let n = 0; n < 2; n++) expect((await ada.ask('DELETE', path)).status).toBe(204)
    expect(code(await ada.ask('GET', path))).toEqual([404, 'post_not_found'])
    const gone = await ada.ask('POST', '/v1/posts', { body: 'one' }, headers)
    expect([gone.status, gone.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    const deleted_at = expect.any(String)
    expect(gone.body).toMatchObject({ id: made.body.id, body: null, media: [], deleted_at })
  })

  test('that is absent, deleted, private, of a blocked pair or another tenant: one refusal', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const other = await world.someone()
    const deleted = await ada.post('x')
    await ada.does('DELETE', `/v1/posts/${deleted}`)
    const hidden = [
      newId(),
      deleted,
      await ada.post('x', { visibility: 'private' }),
      await ada.post('x', { visibility: 'followers' }),
      await other.post('x'),
    ]
    const blocker = await world.someone(ada.tenant)
    hidden.push(await blocker.post('x'))
    await blocker.block(ben)
    const ways: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { body: 'x' }],
      ['DELETE', ''],
      ['GET', '/versions'],
      ['PUT', '/likes/me'],
      ['GET', '/likes'],
      ['POST', '/comments', { body: 'x' }],
      ['GET', '/comments'],
    ]
    for (const [method, end, body] of ways) {
      const answers = await Promise.all(
        hidden.map(id => ben.ask(method, `/v1/posts/${id}${end}`, body)),
      )
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([404]))
      expect(new Set(answers.map(sameRefusal)).size, `${method} ${end}`).toBe(1)
    }
    const unlikes = await Promise.all(
      hidden.map(id => ben.ask('DELETE', `/v1/posts/${id}/likes/me`)),
    )
    expect(unlikes.map(answer => answer.status)).toEqual(hidden.map(() => 204))
  })

  test('is lost to strangers when its author goes private, also with If-None-Match', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const id = await ada.post('x')
    const seen = await ben.ask('GET', `/v1/posts/${id}`)
    const tag = { 'if-none-match': seen.headers.get('etag') ?? '' }
    expect((await ben.ask('GET', `/v1/posts/${id}`, undefined, tag)).status).toBe(304)
    // What the viewer is to it changes the tag.
    await ben.does('PUT', `/v1/posts/${id}/likes/me`)
    const liked = await ben.ask('GET', `/v1/posts/${id}`, undefined, tag)
    expect([liked.status, liked.body.viewer.liked]).toEqual([200, true])
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
    expect((await ben.ask('GET', `/v1/posts/${id}`, undefined, tag)).status).toBe(404)
  })

  test('needs a text or a file, and its text is limited in characters and bytes', async () => {
    const ada = await world.someone()
    const family = '👨‍👩‍👧‍👦'
    const zalgo = `e${'\u0301'.repeat(6000)}`
    const kept: [string, string][] = [
      ['plain', 'plain'],
      ['e\u0301', '\u00e9'],
      ['line\nand\ttab', 'line\nand\ttab'],
      ['\u202Ereversed', '\u202Ereversed'],
      [family.repeat(300), family.repeat(300)],
      ['x'.repeat(2000), 'x'.repeat(2000)],
      ['日本語', '日本語'],
      ['ﬁ', 'ﬁ'],
      ['\ufeffmark', '\ufeffmark'],
      ['<b>&amp;</b>', '<b>&amp;</b>'],
      ["'; drop table posts; --", "'; drop table posts; --"],
    ]
    for (const [given, stored] of kept) {
      const { body } = await ada.does('POST', '/v1/posts', { body: given })
      expect(body).toBe(stored)
    }
    const refused = [
      '',
      ' ',
      '\n\n',
      '\u200d',
      '\u200b\u2060',
      '\u0000',
      'a\u0000b',
      'a\u0007b',
      'a\u007fb',
      'a\u0085b',
      'a\rb',
      'a\u001bb',
      '\ud800',
      'a\udfff',
      'x'.repeat(2001),
      zalgo,
      '\u{1F600}'.repeat(2001),
      family.repeat(401),
      '\u0301'.repeat(10_001),
    ]
    for (const body of refused) {
      const { status } = await ada.ask('POST', '/v1/posts', JSON.stringify({ body }))
      expect([JSON.stringify(body).slice(0, 40), [400, 422].includes(status)]).toEqual([
        JSON.stringify(body).slice(0, 40),
        true,
      ])
    }
    expect(code(await ada.ask('POST', '/v1/posts', {}))).toEqual([422, 'validation_failed'])
  })

  test('is limited in number', async () => {
    const ada = await world.someone()
    const posted = async () => code(await ada.ask('POST', '/v1/posts', { body: 'x' }))
    for (let n = 0; n < 40; n++) expect(await posted()).toEqual([201, undefined])
    // On a busy machine some come back meanwhile.
    const refused = () => posted().then(([status, why]) => status === 429 && why)
    expect(await eventually('one is refused', refused)).toBe('rate_limited')
  })

  test('shows in the list of its author what the viewer may see, page by page', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const [a, b, c] = [
      await ada.post('a'),
      await ada.post('b', { visibility: 'followers' }),
      await ada.post('c', { visibility: 'private' }),
    ]
    const list = (who: Someone) => who.walk(`/v1/users/${ada.id}/posts`, 1, item => item.id)
    expect(await list(ada)).toEqual([c, b, a])
    expect(await list(ben)).toEqual([a])
    await ben.follow(ada)
    expect(await list(ben)).toEqual([b, a])
  })
})

describe.concurrent('reactions', () => {
  test('a like is made once, with the same time on repeats', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const post = await ada.post('x')
    const path = `/v1/posts/${post}/likes/me`
    const first = await ben.does('PUT', path)
    expect(first).toMatchObject({ post_id: post, user_id: ben.id })
    expect(await ben.does('PUT', path)).toEqual(first)
    const { data } = await ada.does('GET', `/v1/posts/${post}/likes`)
    expect(data).toMatchObject([{ user_id: ben.id, user: { id: ben.id } }])
    expect((await ben.does('GET', `/v1/posts/${post}`)).viewer.liked).toBe(true)
    for (let n = 0; n < 2; n++) expect((await ben.ask('DELETE', path)).status).toBe(204)
    expect((await ada.does('GET', `/v1/posts/${post}/likes`)).data).toEqual([])
  })

  test('comments are listed both ways, deleted by either author, limited and refused if empty', async () => {
    const [ada, ben, cyd] = (await world.people(3)) as [Someone, Someone, Someone]
    const path = `/v1/posts/${await ada.post('x')}/comments`
    const say = async (who: Someone, body: string) => (await who.does('POST', path, { body })).id
    const ids = [await say(ben, 'one'), await say(ada, 'two'), await say(ben, 'three')]
    expect(await cyd.walk(path, 2, item => item.id)).toEqual(ids)
    const first = `/v1/comments/${ids[0]}`
    expect(await cyd.does('GET', first)).toMatchObject({ body: 'one', author_id: ben.id })
    expect(await cyd.walk(`${path}?order=desc`, 2, item => item.id)).toEqual(ids.toReversed())
    expect(code(await cyd.ask('DELETE', `/v1/comments/${ids[0]}`))).toEqual([
      403,
      'permission_denied',
    ])
    expect(code(await ben.ask('DELETE', `/v1/comments/${ids[1]}`))).toEqual([
      403,
      'permission_denied',
    ])
    for (const who of [ada, ada, ben]) {
      expect((await who.ask('DELETE', `/v1/comments/${ids[0]}`)).status).toBe(204)
    }
    expect(await cyd.walk(path, 2, item => item.id)).toEqual(ids.slice(1))
    expect(code(await ben.ask('GET', first))).toEqual([404, 'comment_not_found'])
    expect(code(await ben.ask('POST', path, { body: ' \n ' }))).toEqual([422, 'validation_failed'])
    await say(ben, 'four')
    expect(code(await ben.ask('POST', path, { body: 'five' }))).toEqual([429, 'rate_limited'])
    expect(code(await cyd.ask('DELETE', `/v1/comments/${newId()}`))).toEqual([
      404,
      'comment_not_found',
    ])
  })

  test('one deletes their own comment whatever became of the post', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const post = await ada.post('x')
    const { id } = await ben.does('POST', `/v1/posts/${post}/comments`, { body: 'mine' })
    await ada.does('DELETE', `/v1/posts/${post}`)
    expect((await ben.ask('GET', `/v1/comments/${id}`)).status).toBe(404)
    expect((await ben.ask('DELETE', `/v1/comments/${id}`)).status).toBe(204)
  })
})

const Relation = Type.Object({ relation: Type.String() })
const Has = Type.Object({ has: Type.Boolean() })

async function tablesWith(mark: string): Promise<string[]> {
  const tables = await db.many(
    Relation,
    sql`
      select n.nspname || '.' || c.relname as relation
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  )
  const hex = Buffer.from(mark).toString('hex')
  const found: string[] = []
  for (const { relation } of tables) {
    const { has } = await db.one(
      Has,
      sql`
        select exists (select from ${sql.id(...relation.split('.'))} t
          where t::text like ${`%${mark}%`} or t::text like ${`%${hex}%`}) as has`,
    )
    if (has) found.push(relation)
  }
  return found.toSorted()
}

test('the text of a deleted post or comment is in no table, neither of events nor of keys', async () => {
  const mark = `zq${newId().replaceAll('-', '').slice(-16)}`
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  const post = await ada.post(`first ${mark}`)
  await ada.does('PATCH', `/v1/posts/${post}`, { body: `second ${mark}` })
  const other = await ben.post('x')
  const said = await ada.does('POST', `/v1/posts/${other}/comments`, { body: `third ${mark}` })
  expect(await tablesWith(mark)).toEqual(['social.comments', 'social.post_bodies'])
  await ada.does('DELETE', `/v1/posts/${post}`)
  await ada.does('DELETE', `/v1/comments/${said.id}`)
  expect(await tablesWith(mark)).toEqual([])
})

test('an edit that commits beside a deletion leaves no text behind', async () => {
  const ada = await world.someone()
  for (let round = 0; round < 10; round++) {
    const id = await ada.post('x')
    await Promise.all([
      ada.ask('PATCH', `/v1/posts/${id}`, { body: 'y' }),
      ada.ask('DELETE', `/v1/posts/${id}`),
    ])
  }
  const checks = world.platform.opened['social']?.checks ?? []
  for (const check of checks) expect([check.name, await check.run()]).toEqual([check.name, []])
})

test('the seed makes a network once', async () => {
  const { opened } = world.platform
  await opened['identity']?.seed?.([])
  const tenants = await world.identity.demoTenants()
  expect(await opened['social']?.seed?.(tenants)).toHaveLength(2)
  expect(await opened['social']?.seed?.(tenants)).toEqual([])
})
