/** What jobs leave: who gets an address, what an address opens, and that the bytes are those stored. */
import { createHash } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { all_of_jobs, openAskingWorld } from '../../test/asking-world.ts'
import { workshop } from '../../test/worker.ts'
import { resultSweep } from '../sweep-results.ts'

const world = await openAskingWorld({ JOBS_RESULT_LIMIT_BYTES: '100000' })
afterAll(async () => {
  await world.check()
  await world.close()
})

type Who = { readonly token: string }

const address = ({ token }: Who, id: string) =>
  world.call('GET', `/v1/jobs/${id}/result-url`, { token })
const code = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]
/** The address names the public host; here it is asked on this machine. */
const local = (url: string) => url.replace('http://dodeca.test', '')
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

async function withJson(result: unknown) {
  const who = await world.person()
  const id = await world.submit(who, { type: 'toil.any', parameters: { result } })
  await world.reached(who, id, 'succeeded')
  return { who, id }
}

describe.concurrent('a result', () => {
  test('is no longer at its address when its tenant is disabled', async () => {
    const { who, id } = await withJson('kept')
    const { url } = (await address(who, id)).body
    await world.identity.administration.disableTenant(who.tenant.slug, 'test')
    expect(code(await world.call('GET', local(url)))).toEqual([404, 'result_not_found'])
  })

  test('of JSON is fetched at its address without a token, as it was', async () => {
    const { who, id } = await withJson({ rows: [1, 'ä'] })
    const { status, body, headers } = await address(who, id)
    const text = '{"rows":[1,"ä"]}'
    expect(status).toBe(200)
    expect(body).toEqual({
      url: expect.stringMatching(/^http:\/\/dodeca\.test\/_objects\/j\/[0-9a-f-]{36}\?exp=/),
      expires_at: expect.any(String),
      media_type: 'application/json',
      size: Buffer.byteLength(text),
      checksum_sha256: sha256(text),
    })
    expect(headers.get('cache-control')).toBe('no-store')
    const seconds = (Date.parse(body.expires_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(200)
    expect(seconds).toBeLessThanOrEqual(300)
    const fetched = await world.call('GET', local(body.url))
    expect([fetched.status, fetched.text]).toEqual([200, text])
    expect(fetched.headers.get('content-disposition')).toBe('attachment')
    const head = await world.call('HEAD', local(body.url))
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(body.size)])
  })

  test('of bytes keeps its type and every byte', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    const claimed = await worker.take()
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 256))
    const response = await fetch(`${world.url}/v1/job-attempts/${claimed.attempt.id}/result`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'image/png',
        'job-lease-token': claimed.attempt.lease_token,
      },
      body: bytes,
    })
    // Any JSON may come back; what is in it is asserted.
    const stored = (await response.json()) as { result_ref: string; checksum_sha256: string }
    expect([response.status, stored.checksum_sha256]).toEqual([201, sha256(bytes)])
    expect(code(await address(owner, id))).toEqual([409, 'result_not_ready'])
    await worker.finish(claimed, { result_ref: stored.result_ref })
    const { body } = await address(owner, id)
    expect(body).toMatchObject({ media_type: 'image/png', size: bytes.length })
    const fetched = await fetch(world.url + local(body.url), { headers: { accept: 'image/png' } })
    expect([fetched.status, fetched.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(fetched.headers.get('repr-digest')).toBe(
      `sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`,
    )
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(bytes)
  })

  test('that calls itself a page is none here', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    const claimed = await worker.take()
    const stored = await worker.store(claimed, '<script>alert(1)</script>', 'text/html')
    await worker.finish(claimed, { result_ref: stored.body.result_ref })
    const fetched = await world.call('GET', local((await address(owner, id)).body.url))
    expect(fetched.headers.get('content-disposition')).toBe('attachment')
    expect(fetched.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(fetched.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('is too large beyond the limit', async () => {
    const { worker, submit } = await workshop(world)
    await submit()
    const claimed = await worker.take()
    expect(code(await worker.store(claimed, 'x'.repeat(100_001)))).toEqual([
      413,
      'content_too_large',
    ])
    expect((await worker.store(claimed, 'x'.repeat(100_000))).status).toBe(201)
  })

  test('is not there where a job has left none, or is not over, or is not theirs', async () => {
    const who = await world.person()
    const none = await world.submit(who, { type: 'toil.any' })
    await world.reached(who, none, 'succeeded')
    expect(code(await address(who, none))).toEqual([404, 'result_not_found'])
    const waiting = await world.submit(who, { type: await world.idleType() })
    expect(code(await address(who, waiting))).toEqual([409, 'result_not_ready'])
    const { id } = await withJson(1)
    expect(code(await address(who, id))).toEqual([404, 'job_not_found'])
    expect(code(await address(who, newId()))).toEqual([404, 'job_not_found'])
  })

  test('is for callers who may read results, and for the submitter', async () => {
    const { who, id } = await withJson(1)
    const reader = await world.person(['jobs.jobs.read:*'], who.tenant)
    expect(code(await address(reader, id))).toEqual([403, 'permission_denied'])
    const results = await world.person(['jobs.results.read:toil.any'], who.tenant)
    expect((await address(results, id)).status).toBe(200)
    const submitter = await world.person(['jobs.jobs.submit:toil.any'])
    const own = await world.submit(submitter, { type: 'toil.any', parameters: { result: 1 } })
    const shown = await world.reached(submitter, own, 'succeeded')
    expect(shown.result_ref).not.toBeNull()
    expect((await address(submitter, own)).status).toBe(200)
  })
})

describe.concurrent('an address', () => {
  test('opens nothing else, and nothing when it is altered', async () => {
    const { who, id } = await withJson('secret')
    const other = await withJson('of another account')
    const url = local((await address(who, id)).body.url)
    const theirs = local((await address(other.who, other.id)).body.url)
    const [path = '', query = ''] = url.split('?')
    const [other_path = ''] = theirs.split('?')
    const altered = [
      `${other_path}?${query}`,
      path,
      url.replace(/exp=(\d)/, 'exp=9$1'),
      url.replace(/sig=../, 'sig=AA'),
      url.replace(/kid=[^&]+/, 'kid=none'),
      `/_objects/j/${newId()}?${query}`,
    ]
    const answers = await Promise.all(altered.map(one => world.call('GET', one)))
    expect(answers.map(code)).toEqual(altered.map(() => [403, 'signed_url_invalid']))
    expect((await world.call('POST', url)).status).toBe(405)
    expect((await world.call('GET', url)).text).toBe('"secret"')
  })
})

// These move the platform's time, so they come after all others, one by one.
describe('in time', () => {
  const moveTo = (offset_seconds: number) =>
    world.call('POST', '/dev/clock', { body: { offset_seconds } })
  afterEach(() => moveTo(0))
  const sweep = () => resultSweep(world.kernel).run(new AbortController().signal)
  const stored = async (id: string) =>
    (
      await world.query<{ blob_key: string | null }>(
        'select blob_key from jobs.job_results where job_id = $1 order by id',
        [id],
      )
    ).map(row => row.blob_key)
  const isThere = async (key: string | null | undefined) => {
    const found = await world.kernel.objects.get(key ?? '')
    found?.body.destroy()
    return found !== undefined
  }

  test('an address ends after five minutes, and says so', async () => {
    const { who, id } = await withJson(1)
    const { body } = await address(who, id)
    await moveTo(280)
    expect((await world.call('GET', local(body.url))).status).toBe(200)
    await moveTo(301)
    expect(code(await world.call('GET', local(body.url)))).toEqual([403, 'signed_url_expired'])
  })

  test('bytes that no job names go after an hour, and those of running attempts stay', async () => {
    const { worker, submit } = await workshop(world)
    const [ended, going] = [await submit(), await submit()]
    const [one, two] = [await worker.take(), await worker.take()]
    await worker.store(one, 'orphan')
    const named = await worker.store(one, 'named')
    await worker.store(two, 'of a running attempt')
    await worker.finish(one, { result_ref: named.body.result_ref })
    const [orphan, kept] = await stored(ended)
    const [running] = await stored(going)
    await sweep()
    expect([await isThere(orphan), await isThere(kept)]).toEqual([true, true])
    await moveTo(3700)
    await sweep()
    expect([await isThere(orphan), await isThere(kept), await isThere(running)]).toEqual([
      false,
      true,
      true,
    ])
    expect(await stored(ended)).toEqual([kept])
    await moveTo(0)
    await worker.finish(two)
  })

  test('results go after a week, with their bytes; the job remains', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    const claimed = await worker.take()
    const { body } = await worker.store(claimed, 'for a week')
    await worker.finish(claimed, { result_ref: body.result_ref })
    const [key] = await stored(id)
    const json = await withJson({ a: 1 })
    await moveTo(7 * 86_400 - 60)
    await sweep()
    expect([await isThere(key), (await stored(json.id)).length]).toEqual([true, 1])
    await moveTo(7 * 86_400 + 60)
    await sweep()
    expect([await isThere(key), await stored(id), await stored(json.id)]).toEqual([false, [], []])
    await moveTo(0)
    expect(code(await address(owner, id))).toEqual([404, 'result_not_found'])
    expect((await world.show(owner, id)).body.result_ref).toBe(body.result_ref)
  })
})

test('another tenant does not even see that a job exists', async () => {
  const { id } = await withJson(1)
  const stranger = await world.person(all_of_jobs)
  const [foreign, absent] = await Promise.all([address(stranger, id), address(stranger, newId())])
  const { instance: _, request_id: __, ...shown } = foreign.body
  const { instance: ___, request_id: ____, ...nothing } = absent.body
  expect(shown).toEqual(nothing)
})
