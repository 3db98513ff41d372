/** Reports become cases, cases are decided with reasons, and an appeal is decided by another person. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { fold } from '../counters/fold.ts'
import { code, openSocialWorld, type Someone } from './social-world.ts'

const world = await openSocialWorld({ ROLES: 'api' })
const { db } = world.platform.kernel
afterAll(() => world.close())

type Cast = {
  author: Someone
  reporter: Someone
  moderator: Someone
  second: Someone
}

async function cast(): Promise<Cast> {
  const [author, reporter, moderator, second] = await world.people(4)
  if (!author || !reporter || !moderator || !second) throw new Error('a person is missing')
  await world.give(moderator, 'moderator', 'appeals_reviewer')
  await world.give(second, 'moderator', 'appeals_reviewer')
  return { author, reporter, moderator, second }
}

async function reported({ reporter, moderator }: Cast, subject: object): Promise<string> {
  const report = { category: 'abuse', note: 'Look at this.', ...subject }
  await reporter.does('POST', '/v1/moderation/reports', report)
  const { data } = await moderator.does('GET', '/v1/moderation/cases?state=open')
  return data.at(-1).id
}

async function decide(who: Someone, case_id: string, action: string, more: object = {}) {
  const { version } = await who.does('GET', `/v1/moderation/cases/${case_id}`)
  return await who.ask('POST', `/v1/moderation/cases/${case_id}/actions`, {
    action,
    reason_code: 'abuse',
    statement: 'It attacks a person.',
    version,
    ...more,
  })
}

describe.concurrent('moderation', () => {
  test('of one thing all reports are one case, and each reporter counts once', async () => {
    const all = await cast()
    const subject_id = await all.author.post('bad')
    const report = { subject_type: 'post', subject_id, category: 'spam' }
    const first = await all.reporter.ask('POST', '/v1/moderation/reports', report)
    const again = await all.reporter.ask('POST', '/v1/moderation/reports', report)
    const other = await all.second.ask('POST', '/v1/moderation/reports', {
      ...report,
      category: 'illegal',
    })
    expect([first.status, again.status, other.status]).toEqual([201, 200, 201])
    expect(again.body).toEqual(first.body)
    const { data } = await all.moderator.does('GET', '/v1/moderation/cases')
    expect(data).toMatchObject([{ subject_id, state: 'open', report_count: 2, priority: 3 }])
    expect(code(await all.author.ask('GET', '/v1/moderation/cases'))).toEqual([
      403,
      'permission_denied',
    ])
    const unseen = { ...report, subject_id: newId() }
    expect(code(await all.reporter.ask('POST', '/v1/moderation/reports', unseen))).toEqual([
      404,
      'post_not_found',
    ])
  })

  test('a removed post is gone for others at once; an appeal that another reviewer reverses brings it back', async () => {
    const all = await cast()
    const { author, reporter, moderator, second } = all
    await reporter.follow(author)
    const post = await author.post('bad')
    const id = await reported(all, { subject_type: 'post', subject_id: post })
    const shown = await moderator.does('GET', `/v1/moderation/cases/${id}`)
    expect(shown.subject).toMatchObject({ author: { id: author.id }, body: 'bad' })
    expect((await decide(moderator, id, 'assign')).status).toBe(201)
    expect((await decide(moderator, id, 'remove')).status).toBe(201)
    expect(code(await reporter.ask('GET', `/v1/posts/${post}`))).toEqual([404, 'post_not_found'])
    expect(await reporter.feed()).toEqual([])
    expect((await author.does('GET', `/v1/posts/${post}`)).version).toBe(2)
    const { data } = await author.does('GET', '/v1/moderation/decisions/me')
    expect(data).toMatchObject([
      { case_id: id, subject_id: post, action: 'remove', statement: 'It attacks a person.' },
    ])
    expect(data[0].appeal_until).not.toBeNull()
    expect(JSON.stringify(data)).not.toContain(moderator.id)
    const appeal = (who: Someone) =>
      who.ask('POST', `/v1/moderation/cases/${id}/appeal`, { statement: 'It is a quotation.' })
    expect(
      code(await reporter.ask('POST', `/v1/moderation/cases/${id}/appeal`, { statement: 'x' })),
    ).toEqual([404, 'moderation_case_not_found'])
    expect((await appeal(author)).status).toBe(201)
    expect(code(await appeal(author))).toEqual([409, 'already_appealed'])
    const reversed = { outcome: 'reversed' }
    expect(code(await decide(moderator, id, 'resolve_appeal', reversed))).toEqual([
      409,
      'same_reviewer',
    ])
    expect((await decide(second, id, 'resolve_appeal', reversed)).status).toBe(201)
    expect(await reporter.feed()).toEqual([post])
    expect(code(await decide(second, id, 'dismiss'))).toEqual([409, 'invalid_transition'])
    const { actions, state } = await second.does('GET', `/v1/moderation/cases/${id}`)
    expect(state).toBe('reversed')
    expect(actions.map((one: { action: string }) => one.action)).toEqual([
      'assign',
      'remove',
      'resolve_appeal',
    ])
  })

  test('a person who only reviews appeals reads cases and decides appeals, and acts on nothing else', async () => {
    const all = await cast()
    const { author, reporter, moderator } = all
    const reviewer = await world.someone(author.tenant)
    await world.give(reviewer, 'appeals_reviewer')
    const post = await author.post('bad')
    const id = await reported(all, { subject_type: 'post', subject_id: post })
    const denied = [403, 'permission_denied']
    for (const action of ['assign', 'dismiss', 'remove', 'restore']) {
      expect(code(await decide(reviewer, id, action))).toEqual(denied)
    }
    expect((await decide(moderator, id, 'remove')).status).toBe(201)
    const statement = 'It is a quotation.'
    await author.does('POST', `/v1/moderation/cases/${id}/appeal`, { statement })
    const { data } = await reviewer.does('GET', '/v1/moderation/cases?state=appealed')
    expect(data).toMatchObject([{ id, state: 'appealed' }])
    expect(code(await decide(reviewer, id, 'restore'))).toEqual(denied)
    const given = {
      action: 'resolve_appeal',
      outcome: 'reversed',
      reason_code: 'mistake',
      statement,
      version: data[0].version,
    }
    for (const case_id of [id, newId()]) {
      const path = `/v1/moderation/cases/${case_id}/actions`
      expect(code(await reporter.ask('POST', path, given))).toEqual(denied)
    }
    const only = await world.someone(author.tenant)
    await world.give(only, 'moderator')
    expect(code(await decide(only, id, 'resolve_appeal', { outcome: 'reversed' }))).toEqual(denied)
    expect((await decide(reviewer, id, 'resolve_appeal', { outcome: 'reversed' })).status).toBe(201)
    expect((await reporter.ask('GET', `/v1/posts/${post}`)).status).toBe(200)
  })

  test('a post stays removed until every case that removed it is taken back', async () => {
    const all = await cast()
    const { author, reporter, moderator } = all
    const post = await author.post('bad')
    const first = await reported(all, { subject_type: 'post', subject_id: post })
    await decide(moderator, first, 'remove')
    // Only its author still sees it and can report it.
    const second = await reported(
      { ...all, reporter: author },
      { subject_type: 'post', subject_id: post },
    )
    expect((await decide(moderator, second, 'remove')).status).toBe(201)
    expect((await decide(moderator, first, 'restore')).status).toBe(201)
    expect(code(await reporter.ask('GET', `/v1/posts/${post}`))).toEqual([404, 'post_not_found'])
    expect((await decide(moderator, second, 'restore')).status).toBe(201)
    expect((await reporter.ask('GET', `/v1/posts/${post}`)).status).toBe(200)
  })

  test('a suspended person reads and does not write, and what they posted is hidden', async () => {
    const all = await cast()
    const { author, reporter, moderator } = all
    const post = await author.post('x')
    const id = await reported(all, { subject_type: 'user', subject_id: author.id })
    expect((await decide(moderator, id, 'suspend_user')).status).toBe(201)
    expect(code(await reporter.ask('GET', `/v1/posts/${post}`))).toEqual([404, 'post_not_found'])
    expect(code(await reporter.ask('GET', `/v1/users/${author.id}`))).toEqual([
      404,
      'user_not_found',
    ])
    expect((await author.ask('GET', '/v1/feed')).status).toBe(200)
    const suspended = [403, 'account_suspended']
    const own = await reporter.post('y')
    const writes: [string, string, object?][] = [
      ['POST', '/v1/posts', { body: 'x' }],
      ['PATCH', `/v1/posts/${post}`, { body: 'x' }],
      ['POST', `/v1/posts/${own}/comments`, { body: 'x' }],
      ['PUT', `/v1/posts/${own}/likes/me`],
      ['PUT', `/v1/users/me/following/${reporter.id}`],
      ['PATCH', '/v1/users/me', { bio: 'x' }],
    ]
    for (const [method, path, body] of writes) {
      expect([path, ...code(await author.ask(method, path, body))]).toEqual([path, ...suspended])
    }
    expect((await decide(moderator, id, 'reinstate_user')).status).toBe(201)
    expect((await reporter.ask('GET', `/v1/posts/${post}`)).status).toBe(200)
    expect((await author.ask('POST', '/v1/posts', { body: 'back' })).status).toBe(201)
  })

  test('no moderator decides about themselves, on what they reported, or on an old version', async () => {
    const all = await cast()
    const { author, moderator, second } = all
    const comments = `/v1/posts/${await author.post('x')}/comments`
    const { id: subject_id } = await second.does('POST', comments, { body: 'mine' })
    const id = await reported({ ...all, reporter: author }, { subject_type: 'comment', subject_id })
    const denied = [403, 'permission_denied']
    expect(code(await decide(second, id, 'dismiss'))).toEqual(denied)
    await world.give(author, 'moderator')
    expect(code(await decide(author, id, 'remove'))).toEqual(denied)
    expect(code(await decide(moderator, id, 'remove', { version: 9 }))).toEqual([
      412,
      'precondition_failed',
    ])
    expect(code(await decide(moderator, id, 'resolve_appeal'))).toEqual([422, 'validation_failed'])
    expect((await decide(moderator, id, 'remove')).status).toBe(201)
    expect((await author.does('GET', comments)).data).toEqual([])
  })

  test('moderators read the notes of reports, and removed comments are not counted', async () => {
    const all = await cast()
    const { author, reporter, moderator, second } = all
    const post = await author.post('x')
    const { id: subject_id } = await reporter.does('POST', `/v1/posts/${post}/comments`, {
      body: 'bad',
    })
    const counted = async () => {
      await fold(db)
      return (await author.does('GET', `/v1/posts/${post}`)).counts.comments
    }
    const again = () =>
      reported({ ...all, reporter: author }, { subject_type: 'comment', subject_id })
    const id = await again()
    const shown = await moderator.does('GET', `/v1/moderation/cases/${id}`)
    expect(shown.reports).toMatchObject([{ category: 'abuse', note: 'Look at this.' }])
    expect(JSON.stringify(shown)).not.toContain(author.id)
    expect([await counted(), (await decide(moderator, id, 'remove')).status]).toEqual([1, 201])
    expect(await counted()).toBe(0)
    const appeal = `/v1/moderation/cases/${id}/appeal`
    await reporter.does('POST', appeal, { statement: 'It is a quotation.' })
    await decide(second, id, 'resolve_appeal', { outcome: 'reversed' })
    expect(await counted()).toBe(1)
    await decide(moderator, await again(), 'remove')
    await reporter.does('DELETE', `/v1/comments/${subject_id}`)
    expect(await counted()).toBe(0)
  })

  test('a deleted subject leaves its case without text; an appeal comes in time or not at all', async () => {
    const all = await cast()
    const { author, moderator } = all
    const gone = await author.post('x')
    const first = await reported(all, { subject_type: 'post', subject_id: gone })
    await author.does('DELETE', `/v1/posts/${gone}`)
    expect(await moderator.does('GET', `/v1/moderation/cases/${first}`)).toMatchObject({
      state: 'open',
      subject: null,
    })
    const post = await author.post('y')
    const second = await reported(all, { subject_type: 'post', subject_id: post })
    await decide(moderator, second, 'remove')
    await db.run(sql`
      update social.moderation_cases set resolved_at = kernel.now() - interval '31 days'
      where tenant_id = ${author.tenant.id} and id = ${second}`)
    const late = await author.ask('POST', `/v1/moderation/cases/${second}/appeal`, {
      statement: 'x',
    })
    expect(code(late)).toEqual([409, 'appeal_window_closed'])
  })
})
