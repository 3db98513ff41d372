/** The product with people who post and follow. Each test takes a tenant of its own. */
import { expect } from 'vitest'
import {
  openProductWorld,
  type Member,
  type ProductWorld,
  type Tenant,
} from '../../../../test/product-world.ts'
import { call, newKey, type Answer } from '../../../../test/world.ts'
import type { Tx } from '#dodeca/kernel'
import type { Inside } from '../face.ts'
import { drainQueue } from '../../../kernel/work/run-queue.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type Someone = Member & {
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** The same, and it must succeed; returns the body. */
  does(method: string, path: string, body?: unknown): Promise<Json>
  /** Returns the id. */
  post(body?: string, more?: object): Promise<string>
  follow(other: { id: string }): Promise<string>
  unfollow(other: { id: string }): Promise<unknown>
  block(other: { id: string }): Promise<unknown>
  /** Ids of the first page of the feed. */
  feed(limit?: number): Promise<string[]>
  /** All pages of a list, by what `of` makes of an item. */
  walk(path: string, limit: number, of: (item: Json) => string): Promise<string[]>
}

export type SocialWorld = ProductWorld & {
  readonly social: Inside
  someone(tenant?: Tenant): Promise<Someone>
  /** So many of one tenant. */
  people(count: number): Promise<Someone[]>
  /** Does what is due in all queues of social now; for worlds without workers. */
  settle(): Promise<void>
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

export async function openSocialWorld(settings?: Record<string, string>): Promise<SocialWorld> {
  const world = await openProductWorld(settings)
  const { kernel, opened } = world.platform
  const someone: SocialWorld['someone'] = async tenant => {
    const member = await world.member(tenant)
    return { ...member, ...actsAs(world.url, member.token) }
  }
  return {
    ...world,
    social: opened['social']?.face as Inside,
    someone,
    people: async count => {
      const tenant = await world.tenant()
      return await Promise.all(Array.from({ length: count }, () => someone(tenant)))
    },
    settle: async () => {
      for (const queue of opened['social']?.queues ?? []) await drainQueue(kernel, queue)
    },
    tx: work => kernel.db.tx(work),
  }
}

export function actsAs(url: string, token: string): Omit<Someone, keyof Member> {
  const ask: Someone['ask'] = (method, path, body, headers = {}) =>
    call(url, method, path, {
      token,
      headers,
      ...(method === 'POST' ? { key: newKey() } : {}),
      ...(body === undefined ? {} : { body }),
    })
  const does: Someone['does'] = async (method, path, body) => {
    const answer = await ask(method, path, body)
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  return {
    ask,
    does,
    post: async (body = 'hello', more = {}) =>
      (await does('POST', '/v1/posts', { body, ...more })).id,
    follow: async ({ id }) => (await does('PUT', `/v1/users/me/following/${id}`)).state,
    unfollow: ({ id }) => does('DELETE', `/v1/users/me/following/${id}`),
    block: ({ id }) => does('PUT', `/v1/users/me/blocks/${id}`),
    feed: async (limit = 20) => {
      const { data } = await does('GET', `/v1/feed?limit=${limit}`)
      return data.map((item: Json) => item.post_id)
    },
    walk: async (path, limit, of) => {
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = `limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
        const page: Json = await does('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)
        if (page.has_more) expect(page.data).toHaveLength(limit)
        found.push(...page.data.map(of))
        cursor = page.next_cursor
      }
      return found
    },
  }
}

export const postIds = (item: Json): string => item.post_id
export const code = ({ status, body }: Answer): [number, string] => [status, body?.code]
/** What two refusals may differ in. */
export function sameRefusal({ status, text }: Answer): string {
  const { request_id: _id, instance: _at, ...rest } = JSON.parse(text)
  return JSON.stringify({ status, ...rest })
}
