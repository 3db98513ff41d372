/**
 * The full check of a request for a code, for requests that the cache cannot answer. The reply for
 * an ended or disabled link differs from the reply for an unknown code. A request counts as a click
 * only if the visitor is redirected.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Clicked } from '../clicks/visitor.ts'
import { previewPage } from '../pages/preview.ts'
import { warningPage } from '../pages/warning.ts'
import { spellings } from '../shortening/codes.ts'
import { absentAnswer, pageAnswer, prefersPages, type Answer } from './answer.ts'
import { redirectHeaders, type Entry } from '../cache/entry.ts'
import type { Host } from '../cache/hosts.ts'
import type { Lease } from '../cache/lease.ts'
import type { Memory } from '../cache/memory.ts'
import type { Misses } from './misses.ts'
import type { Target } from '../cache/target.ts'

export type Following = {
  readonly kernel: Kernel
  readonly lease: Lease
  readonly memory: Memory
  readonly misses: Misses
  readonly common: readonly string[]
  shortUrl(host: Host, code: string): string
  isReserved(code: string): boolean
}

export type Question = {
  readonly host: Host
  /** The only segment of the path, decoded. */
  readonly segment: string
  readonly query: string
  readonly accept: string
  readonly address: string
}

/** `clicked` is the link if the visitor was redirected, otherwise null. */
export type Followed = { readonly answer: Answer; readonly clicked: Clicked | null }

export async function followLink(deps: Following, question: Question): Promise<Followed> {
  const { segment } = question
  const preview = segment.endsWith('+')
  const code = preview ? segment.slice(0, -1) : segment
  const found = await findEntry(deps, question, code)
  if (preview) return { answer: previewOf(deps, question, found), clicked: null }
  if (!found?.target) return absent(question, 'link_not_found')
  const { target } = found
  if (target.state === 'deleted') return absent(question, 'link_not_found')
  if (target.state === 'disabled') return absent(question, 'link_disabled')
  const life_ms = lifeOf(found)
  if (target.state === 'expired' || (life_ms !== null && life_ms <= 0)) {
    return absent(question, 'link_expired')
  }
  if (target.state === 'pending_scan') {
    if (target.scan === 'block') return absent(question, 'link_not_found')
    // `allow` holds for a destination that is not checked yet, and not for a suspicious one.
    const is_suspicious = target.safety_state === 'suspicious'
    if (target.scan === 'warn' || is_suspicious) return await warn(deps, question, target)
  }
  return await send(deps, question, found, life_ms)
}

const code_form = /^[A-Za-z0-9_-]{3,64}$/

async function findEntry(
  deps: Following,
  { host, address }: Question,
  code: string,
): Promise<Entry | null> {
  const { lease, memory, misses } = deps
  // A path that cannot be a code does not count as a guess, and is not looked up.
  if (!code_form.test(code) || deps.isReserved(code)) return null
  await lease.ensure()
  for (const spelled of spellings(code)) {
    const key = `${host.prefix}/${spelled}`
    let entry = memory.get(key)
    if (!entry || (isOver(entry) && !(lease.outlasting && entry.target))) {
      misses.demand(address)
      entry = await memory.fill(key, { domain_id: host.domain_id, code: spelled })
    }
    if (entry.target) return entry
  }
  return missed(deps, address)
}

function missed({ misses }: Following, address: string): null {
  misses.demand(address)
  misses.count(address)
  return null
}

function isOver({ until_ms }: Entry): boolean {
  return performance.now() >= until_ms
}

/** The remaining life of a link now, by the database's clock. */
function lifeOf({ target, read_ms }: Entry): number | null {
  if (!target || target.life_ms === null) return null
  return target.life_ms - (performance.now() - read_ms)
}

function absent({ accept }: Question, reason: Parameters<typeof absentAnswer>[0]): Followed {
  return { answer: absentAnswer(reason, accept), clicked: null }
}

/** The page shows the destination, so it uses up one click of a link with a limit. */
async function warn(deps: Following, question: Question, target: Target): Promise<Followed> {
  if (target.counted && (await useOnce(deps.kernel, target)) === null) {
    return absent(question, 'link_exhausted')
  }
  const { code, destination_url } = target
  const short_url = deps.shortUrl(question.host, code)
  return { answer: pageAnswer(200, warningPage({ short_url, destination_url })), clicked: null }
}

async function send(
  { kernel, common }: Following,
  question: Question,
  entry: Entry,
  life_ms: number | null,
): Promise<Followed> {
  const { target, ready } = entry
  if (!target) throw new Error('a link that is not there leads nowhere')
  // The headers of an entry that outlasts its time may promise more life than the link has.
  if (ready && (life_ms === null || !isOver(entry))) {
    return { answer: { ...ready, body: null }, clicked: target }
  }
  let location = target.destination_url
  if (target.counted) {
    const used = await useOnce(kernel, target)
    if (used === null) return absent(question, 'link_exhausted')
    location = used
  }
  if (target.query === 'append') location = withQuery(location, question.query)
  const kept = { ...target, ...boundsOf(target) }
  const headers = [...common, ...redirectHeaders(kept, location, life_ms)]
  return { answer: { status: kept.redirect_status, headers, body: null }, clicked: target }
}

const unkept = { cache_seconds: 0, edge_cache_seconds: 0 }

/**
 * A redirect of a link with a limit is not cached, because visitors could then use the link without
 * being counted. A redirect of a pending link is not cached either, because its check may end at
 * any moment.
 */
function boundsOf({ state, counted }: Target): Partial<Target> {
  if (state !== 'active') return { ...unkept, redirect_status: 302 }
  return counted ? unkept : {}
}

const Used = Type.Object({ destination_url: Type.String() })

/**
 * One conditional statement decides which request gets the last use. The statement also detects
 * whether the link has changed meanwhile.
 */
async function useOnce({ db }: Kernel, { domain_id, code }: Target): Promise<string | null> {
  const used = await db.maybe(
    Used,
    sql`
      -- any tenant: every visitor of the link uses it up
      update links.links set remaining_clicks = remaining_clicks - 1
      where domain_id = ${domain_id} and code = ${code} and remaining_clicks > 0
        and (state = 'active' or state = 'pending_scan' and scan <> 'block')
        and (expires_at is null or expires_at > kernel.now())
      returning destination_url`,
  )
  return used?.destination_url ?? null
}

/** Adds the query of the visitor's URL to the query of the destination. */
function withQuery(destination_url: string, query: string): string {
  if (query === '') return destination_url
  const url = new URL(destination_url)
  url.search = url.search === '' ? query : `${url.search.slice(1)}&${query}`
  return url.href
}

function previewOf(deps: Following, question: Question, found: Entry | null): Answer {
  const target = found?.target
  const life_ms = found && lifeOf(found)
  if (!target || !isOpen(target) || (life_ms !== null && life_ms <= 0)) {
    return absentAnswer('link_not_found', question.accept)
  }
  // The preview does not show the destination of a link with a limit, because the visitor could
  // then open the destination without being counted.
  if (target.counted) return absentAnswer('link_not_found', question.accept)
  const preview = {
    short_url: deps.shortUrl(question.host, target.code),
    destination_url: target.destination_url,
    created_at: target.created_at,
    safety_state: target.safety_state,
  }
  if (prefersPages(question.accept)) return pageAnswer(200, previewPage(preview))
  return { status: 200, headers: json_headers, body: JSON.stringify(preview) }
}

/** Whether a visitor may see the destination. */
function isOpen({ state, scan }: Target): boolean {
  return state === 'active' || (state === 'pending_scan' && scan !== 'block')
}

const json_headers = [
  'content-type',
  'application/json; charset=utf-8',
  'cache-control',
  'no-store',
]
