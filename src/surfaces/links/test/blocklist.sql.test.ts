/** What may not be linked to: refused for new links, and found among those that are there by a job. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { beside, eventually } from '../../../../test/world.ts'
import { newId, nil_id, sql, type RunningJob } from '#dodeca/kernel'
import { addEntry } from '../moderation/blocklist.ts'
import { applyBlocklist } from '../moderation/apply-blocklist.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { screen } from '../destinations/screen.ts'
import { normalizeDestination } from '../destinations/normalize.ts'
import { openLinkWorld, principalOf, type LinkWorld } from './link-world.ts'

let world: LinkWorld
let moderator: Member
beforeAll(async () => {
  // The tests run beside each other, and what waits for a lock holds its connection.
  world = await openLinkWorld({ KERNEL_DATABASE_POOL: '20' })
  moderator = await world.moderator()
})
afterAll(() => world.close())

const Waiting = Type.Object({ waiting: Type.Boolean() })
const host = () => `h-${newId().slice(-12)}.example.com`
const read = (who: Member, code: string) =>
  world.call('GET', `/v1/links/${code}`, { token: who.token })
const moderate = (code: string, action: string) =>
  world.call('POST', `/v1/links/${code}/moderation`, {
    token: moderator.token,
    body: { action, reason: 'seen by us' },
  })

/** The job as the jobs surface would run it; answers its result and the places it saved. */
async function runJob(
  blocklist_id: string,
  checkpoint: unknown = null,
  onProgress: () => Promise<unknown> = async () => {},
) {
  const saved: unknown[] = []
  const job: RunningJob = {
    id: newId(),
    tenant_id: moderator.tenant.id,
    type: 'links.blocklist_apply',
    schema_version: 1,
    attempt_no: 1,
    is_last: false,
    principal_id: nil_id,
    session_id: null,
    get steps(): never {
      throw new Error('it has no steps')
    },
    parameters: { blocklist_id },
    checkpoint,
    signal: new AbortController().signal,
    progress: async step => {
      saved.push(step.checkpoint)
      await onProgress()
    },
    again: () => {
      throw new Error('it is not put off')
    },
    store: () => Promise.reject(new Error('it stores no bytes')),
    usage: () => Promise.reject(new Error('it counts no usage')),
    commit: effect => world.platform.kernel.db.tx(async tx => void (await effect(tx))),
  }
  return { result: (await applyBlocklist(world.deps).run(job)) as { judged: number }, saved }
}

async function block(kind: 'host' | 'suffix' | 'url' | 'regex', value: string, action?: 'warn') {
  const { db } = world.platform.kernel
  const jobs = { submit: async () => ({ id: newId() }) }
  const order = { kind, value, reason: 'phishing', ...(action ? { action } : {}) }
  return await db.tx(tx => addEntry(tx, world.deps, jobs, principalOf(moderator), order))
}

describe.concurrent('the blocklist', () => {
  test.each([
    ['host', (name: string) => name, [true, false, true, true]],
    ['suffix', (name: string) => name, [true, true, true, true]],
    ['url', (name: string) => `https://${name}:443/bad#top`, [false, false, true, true]],
    [
      'regex',
      (name: string) => `^https://${name.replaceAll('.', '[.]')}/b.d$`,
      [false, false, true, false],
    ],
  ] as const)(
    'by %s refuses new links and disables those that are there',
    async (kind, of, hit) => {
      const name = host()
      const bad = `https://${name}/bad`
      const urls = [`https://${name}/`, `https://sub.${name}/`, bad, `${bad}#elsewhere`]
      const who = await world.member()
      const other = await world.shorten(who, { destination_url: `https://x${name}/bad` })
      const codes: string[] = []
      for (const destination_url of urls) {
        codes.push((await world.shorten(who, { destination_url })).body.code)
      }
      const entry = await block(kind, of(name))
      const answers = await Promise.all(
        urls.map(url => world.shorten(who, { destination_url: url })),
      )
      expect(answers.map(({ body }) => body.errors?.[0].constraint === 'blocked')).toEqual(hit)
      const { result } = await runJob(entry.id)
      expect(result.judged).toBeGreaterThanOrEqual(hit.filter(Boolean).length)
      const states = await Promise.all(codes.map(code => read(who, code)))
      expect(states.map(({ body }) => body.state === 'disabled')).toEqual(hit)
      expect((await read(who, other.body.code)).body.state).toBe('active')
      expect((await runJob(entry.id)).result.judged).toBe(0)
    },
  )

  test('reaches links that are asleep, and leaves tombstones alone', async () => {
    const name = host()
    const who = await world.member()
    const make = async () =>
      (await world.shorten(who, { destination_url: `https://${name}/` })).body.code as string
    const [asleep, deleted] = [await make(), await make()]
    await world.call('PATCH', `/v1/links/${asleep}`, {
      token: who.token,
      body: { state: 'disabled' },
    })
    await world.call('DELETE', `/v1/links/${deleted}`, { token: who.token })
    const entry = await block('host', name)
    expect((await runJob(entry.id)).result.judged).toBe(1)
    const woken = await world.call('PATCH', `/v1/links/${asleep}`, {
      token: who.token,
      body: { state: 'active' },
    })
    expect(woken.body.code).toBe('link_disabled_by_safety')
    expect((await read(who, deleted)).status).toBe(404)
  })

  test('that only warns puts links into their scan, until a moderator clears them', async () => {
    const name = host()
    const who = await world.member()
    const destination_url = `https://${name}/`
    const old = await world.shorten(who, { destination_url })
    const entry = await block('host', name, 'warn')
    const late = await world.shorten(who, { destination_url })
    expect(late.body).toMatchObject({ state: 'pending_scan', safety_state: 'suspicious' })
    await runJob(entry.id)
    expect((await read(who, old.body.code)).body.state).toBe('pending_scan')
    const cleared = await moderate(old.body.code, 'mark_clean')
    expect(cleared.body).toMatchObject({ state: 'active', safety_state: 'clean' })
  })

  test('continues where another worker stopped', async () => {
    const name = host()
    const who = await world.member()
    const links = Array.from({ length: 20 }, () => ({ destination_url: `https://${name}/` }))
    await world.call('POST', '/v1/links/batches', { token: who.token, body: { links } })
    const entry = await block('host', name)
    const { result, saved } = await runJob(entry.id)
    expect(result.judged).toBe(20)
    expect((await runJob(entry.id, saved.at(-1))).result).toEqual(result)
  })

  test('disables no further link after a moderator has removed the entry', async () => {
    const name = host()
    const { db } = world.platform.kernel
    const who = await world.member()
    await db.run(sql`
      insert into links.links (tenant_id, domain_id, code, id, owner_id, destination_url,
        destination_host, state, safety_state)
      select ${who.tenant.id}, ${platform_domain_id}, ${`r-${newId().slice(-12)}-`} || n,
        gen_random_uuid(), ${who.id}, ${`https://${name}/`},
        ${`${name.split('.').toReversed().join('.')}.`}, 'active', 'clean'
      from generate_series(1, 501) n`)
    const entry = await block('host', name)
    const { result } = await runJob(entry.id, null, () =>
      world.call('DELETE', `/v1/link-blocklist/${entry.id}`, { token: moderator.token }),
    )
    expect(result.judged).toBe(500)
    const { active } = await db.one(
      Type.Object({ active: Type.Integer() }),
      sql`
        select count(*)::int as active from links.links
        where owner_id = ${who.id} and state = 'active'`,
    )
    expect(active).toBe(1)
  })

  test('waits for requests that are screened without it, so that no link slips through', async () => {
    const name = host()
    const { db } = world.platform.kernel
    const rules = { extra_suffixes: [], ip_destinations: false }
    const who = await world.member()
    let entry: Promise<{ id: string }> | undefined
    await db.tx(async tx => {
      const destination = normalizeDestination(`https://${name}/`, rules)
      expect((await screen(tx, world.deps, destination)).state).toBe('active')
      entry = beside(() => block('host', name))
      await eventually('the entry waits', async () => {
        const { waiting } = await db.one(
          Waiting,
          sql`
            select exists (select from pg_locks where locktype = 'advisory' and not granted)
              as waiting`,
        )
        return waiting
      })
      await tx.run(sql`
        insert into links.links (tenant_id, domain_id, code, id, owner_id, destination_url,
          destination_host, state, safety_state)
        values (${who.tenant.id}, ${platform_domain_id}, ${`s-${newId().slice(-12)}`}, ${newId()},
          ${who.id}, ${destination.url}, ${destination.reversed_host}, 'active', 'clean')`)
    })
    expect((await runJob((await entry)?.id ?? '')).result.judged).toBe(1)
  })

  test.each([
    ['regex', '(unclosed'],
    ['regex', String.raw`(a)\1`],
    ['regex', '^https://(?!good)'],
    ['host', 'not a host'],
    // Blocking one page would block all of its host.
    ['host', 'shop.example.com/bad'],
    ['host', 'https://shop.example.com/bad'],
    ['suffix', 'shop.example.com?a=b'],
    ['suffix', 'shop.example.com#a'],
    ['host', 'shop.example.com:8443'],
    ['suffix', 'somebody@shop.example.com'],
    ['url', 'nowhere'],
  ] as const)('takes no %s like %j', async (kind, value) => {
    await expect(block(kind, value)).rejects.toMatchObject({
      code: 'pattern_invalid',
      message: expect.stringContaining('is required'),
    })
  })

  test('takes a pattern that explodes elsewhere, and checks the longest address at once', async () => {
    const name = host()
    await block('regex', `^https://${name.replaceAll('.', '[.]')}/(a|a|aa)*b$`)
    const who = await world.member()
    const path = 'a'.repeat(1900)
    const harmless = await world.shorten(who, { destination_url: `https://${name}/${path}` })
    expect(harmless.status).toBe(201)
    const hit = await world.shorten(who, { destination_url: `https://${name}/${path}b` })
    expect(hit.body.errors[0].constraint).toBe('blocked')
  })

  test('holds so many patterns', async () => {
    const strict = await openLinkWorld({ LINKS_BLOCKLIST_PATTERNS: '1' })
    try {
      const person = principalOf(await strict.moderator())
      const jobs = { submit: async () => ({ id: newId() }) }
      const add = (value: string) =>
        strict.platform.kernel.db.tx(tx =>
          addEntry(tx, strict.deps, jobs, person, { kind: 'regex', value, reason: 'x' }),
        )
      await add('^https://one[.]example/')
      await expect(add('^https://two[.]example/')).rejects.toMatchObject({ code: 'quota_exceeded' })
    } finally {
      await strict.close()
    }
  })

  test('reaches existing links by a job, which its readers can follow', async () => {
    const person = await world.member()
    const host = `www.h-${newId().slice(-12)}.test`
    const made = await world.shorten(person, { destination_url: `https://${host}/` })
    const { token } = await world.moderator()
    const body = { kind: 'host', value: host, reason: 'phishing' }
    const added = await world.call('POST', '/v1/link-blocklist', { token, body })
    expect(added.status).toBe(201)
    const seen = await eventually('the job is done', async () => {
      const job = await world.call('GET', `/v1/jobs/${added.body.job_id}`, { token })
      return job.body.state === 'succeeded' && job.body
    })
    expect(seen.type).toBe('links.blocklist_apply')
    const link = await world.call('GET', `/v1/links/${made.body.code}`, { token: person.token })
    expect([link.body.state, link.body.safety_state]).toEqual(['disabled', 'malicious'])
  })

  test('is for those who operate the platform', async () => {
    const list = (token: string) => world.call('GET', '/v1/link-blocklist', { token })
    expect((await list((await world.member()).token)).status).toBe(403)
    const name = host()
    const entry = await block('suffix', `*.${name}`)
    const found = (await list(moderator.token)).body.data.find(
      (one: { id: string }) => one.id === entry.id,
    )
    expect(found).toMatchObject({ kind: 'suffix', value: name, action: 'block' })
    const remove = () =>
      world.call('DELETE', `/v1/link-blocklist/${entry.id}`, { token: moderator.token })
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204])
    const after = await list(moderator.token)
    expect(after.body.data.map((one: { id: string }) => one.id)).not.toContain(entry.id)
    expect((await block('suffix', name)).value).toBe(name)
  })
})
