/**
 * Credentials that are no longer valid, on every route of the product: a revoked API key, an
 * account whose last role in the tenant was removed, and a disabled account are refused before any
 * other check, and a public route treats them as anonymous. Access by accounts of another tenant is
 * a rule of the crawler (crawler/rules/things.ts), because it needs existing resources.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { composition } from '../src/platform.ts'
import { newId, type Route } from '#dodeca/kernel'
import { onlyReads } from '../src/kernel/http/contract/route.ts'
import { exchange, type Exchange } from '../src/testing/contract/exchange.ts'
import { gather } from '../src/runtime/gather-declarations.ts'
import { openProductWorld, type Member } from './product-world.ts'
import { newKey } from './world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

const { routes } = world.platform
const guarded = routes.filter(one => one.permission !== 'public')
// Whether the platform is ready depends on its load, and not on a credential.
const open = routes.filter(
  one => one.permission === 'public' && !one.fronted && !one.stream && one.path !== '/readyz',
)

/** A request that names nothing that exists. */
function ask({ method, path }: Route, token: string): Promise<Exchange> {
  const named = path.replaceAll(/\{\w+\}/g, () => newId())
  const reads = method === 'GET' || method === 'DELETE'
  return exchange(world.url, {
    method,
    path: named,
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': newKey(),
      ...(!reads && { 'content-type': 'application/json' }),
    },
    ...(!reads && { bytes: Buffer.from('{}') }),
  })
}

async function summaryOf(route: Route, token: string): Promise<string> {
  const { status, body } = await ask(route, token)
  return `${route.method} ${route.path} ${status} ${body?.code}`
}

/** All at once would keep the process busy for longer than its list of ended sessions is valid. */
const at_once = 8

async function asked(
  token: string,
  some: readonly Route[],
  summary = summaryOf,
): Promise<string[]> {
  const answers: string[] = []
  for (let at = 0; at < some.length; at += at_once) {
    const next = some.slice(at, at + at_once).map(route => summary(route, token))
    answers.push(...(await Promise.all(next)))
  }
  return answers
}

/**
 * A process that cannot read in time whether the credential has ended replies 503. That decides
 * nothing, so the request is sent again; every other reply counts.
 */
async function decided(route: Route, token: string): Promise<string> {
  for (;;) {
    const summary = await summaryOf(route, token)
    if (!isUndecided(summary)) return summary
  }
}
const isUndecided = (summary: string) => / 503 (overloaded|service_unavailable)$/.test(summary)

type Ending = (host: Member) => Promise<{ token: string; end(): Promise<unknown> }>

/** The host takes something away. */
async function hostAsks({ token }: Member, method: string, path: string, body?: object) {
  const answer = await world.call(method, path, { token, ...(body && { body }) })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

const endings: Record<string, Ending> = {
  'an API key that was revoked': async host => {
    const me = await hostAsks(host, 'GET', '/v1/me')
    // A key holds one of the separated duties at most.
    const others = ['identity.support.view', 'identity.signing_keys.rotate']
    const permissions = me.permissions.filter((one: string) => !others.includes(one))
    const made = await hostAsks(host, 'POST', '/v1/api-keys', { name: 'key', permissions })
    return { token: made.key, end: () => hostAsks(host, 'DELETE', `/v1/api-keys/${made.id}`) }
  },
  'a token of an API key that was revoked': async host => {
    const body = { name: 'key', permissions: ['identity.roles.read'] }
    const { id, key } = await hostAsks(host, 'POST', '/v1/api-keys', body)
    const answer = await fetch(`${world.url}/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: key,
      }),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    return { token, end: () => hostAsks(host, 'DELETE', `/v1/api-keys/${id}`) }
  },
  'a person whose last role was taken away': async host => {
    const guest = await world.member()
    const role = `/v1/accounts/${guest.id}/roles/tenant_admin`
    const { id: tenant_id } = host.tenant
    await hostAsks(host, 'PUT', role, { tenant_id })
    const { session_id, refresh_token } = guest
    const body = { refresh_token, tenant_id }
    const turned = await world.call('POST', `/v1/sessions/${session_id}/refresh`, { body })
    expect(turned.body.tenant_id).toBe(tenant_id)
    return { token: turned.body.access_token, end: () => hostAsks(host, 'DELETE', role) }
  },
  'an account that was disabled': async host => {
    const member = await world.member(host.tenant)
    await world.give(member, 'tenant_admin')
    const body = { status: 'disabled' }
    const end = () => hostAsks(host, 'PATCH', `/v1/accounts/${member.id}`, body)
    return { token: member.token, end }
  },
}

let host: Member
beforeAll(async () => {
  host = await world.member()
  const { permissions } = gather(composition.surfaces)
  const roles = [...permissions.values()].flatMap(one => one.roles)
  await world.give(host, ...new Set(roles.filter(one => one !== 'member')))
})

describe.concurrent.for(Object.entries(endings))('%s', ([, begin]) => {
  test('is refused on every route', async () => {
    const { token, end } = await begin(host)
    const readable = guarded.filter(one => onlyReads(one) && !one.stream && !one.streaming)
    const before = await asked(token, readable)
    expect(before.filter(one => one.includes(' 401 '))).toEqual([])
    expect(before.filter(one => one.includes(' 200 '))).not.toEqual([])
    await end()
    const after = await asked(token, guarded, decided)
    expect(after).toEqual(guarded.map(one => `${one.method} ${one.path} 401 invalid_token`))
    const anonymous = await asked('forged', open)
    const answers = await asked(token, open)
    // Some of these routes need what may be too slow on a busy machine, with any credential.
    const same = (one: string, other = '') => one === other || [one, other].some(isUndecided)
    expect(answers.filter((one, at) => !same(one, anonymous[at]))).toEqual([])
  })
})
