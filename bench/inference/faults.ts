/** The result for the caller of each failure of the provider, with a second model as fallback. */
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import type { Section } from '../ground/report.ts'
import { withFallback, type Gateway } from './gateway.ts'
import { idle_ms, type Ground } from './ground.ts'

const cases: readonly (readonly [name: string, fault: Readonly<Record<string, unknown>>])[] = [
  ['429 at every try', { action: 'rate_limit', retry_after_ms: 1 }],
  ['502 with a page of HTML', { action: 'html_502' }],
  ['reset before the answer', { action: 'connect_reset' }],
  ['cut before the first token', { action: 'stream_cut', after: 0 }],
  ['cut after 5 tokens', { action: 'stream_cut', after: 5 }],
  ['cut after 60 tokens', { action: 'stream_cut', after: 60 }],
  ['ended after 60 tokens without a last event', { action: 'stream_no_terminal', after: 60 }],
  ['silent after 60 tokens', { action: 'body_stall', after: 60 }],
  ['malformed event after 60 tokens', { action: 'malformed_event', after: 60 }],
]
const patience_ms = 4 * idle_ms

type Saw = { status: string; end: string; text: boolean }

export async function faults(_bench: Bench, ground: Ground): Promise<Section> {
  const { ours, portkey, database_url } = ground
  await addSecondModel(ours, database_url)
  const rows: string[][] = []
  for (const [name, fault] of cases) {
    await ground.control('faults', {}, 'DELETE')
    const match = { model: 'sandbox-large' }
    await ground.control('faults', { ...fault, match, times: 1000 })
    const before = await usageRows(database_url)
    const own = await look(ours)
    const settled = await eventuallyMore(database_url, before)
    rows.push([name, 'Dodeca', own.status, own.end, own.text ? 'yes' : 'no', settled])
    if (!portkey) continue
    const other = await look(withFallback(portkey))
    rows.push([name, 'Portkey', other.status, other.end, other.text ? 'yes' : 'no', '–'])
  }
  await ground.control('faults', {}, 'DELETE')
  return {
    title: 'What the caller of a stream sees when the first of two models fails',
    columns: ['failure', '', 'status', 'how it ended', 'a whole answer', 'usage rows'],
    rows,
    verdicts: [],
    notes: [
      `"Nothing" is a connection that was closed, or ${patience_ms / 1000} s without anything, after which the caller left.`,
      `Ours gives up a silent stream after ${idle_ms / 1000} s here (20 s by default). Once the provider has begun to answer there is no fallback: the text of two models is never joined.`,
      'A whole answer came from the second model. Portkey stores no usage.',
    ],
  }
}

/** The prices of both are the same. */
async function addSecondModel({ origin, headers }: Gateway, database_url: string): Promise<void> {
  const [own = {}] = headers
  // The first call makes the configured model.
  const body = JSON.stringify({ model: 'default', input: 'Hello.' })
  await (await fetch(`${origin}/v1/inferences`, { method: 'POST', headers: own, body })).text()
  await ask(
    database_url,
    `with made as (
       insert into inference.model_deployments (tenant_id, id, provider, model_name, version,
         capability, state, region, max_context, max_output, policy_version)
       select tenant_id, gen_random_uuid(), provider, 'sandbox-small', version, capability, state,
         region, max_context, max_output, policy_version
       from inference.model_deployments where model_name = 'sandbox-large'
       returning tenant_id, id),
     priced as (
       insert into inference.model_prices (tenant_id, deployment_id, price_version, currency,
         input, cached_input, output, effective_from)
       select m.tenant_id, m.id, 1, p.currency, p.input, p.cached_input, p.output, '-infinity'
       from made m cross join (select * from inference.model_prices limit 1) p)
     insert into inference.model_aliases (tenant_id, alias, deployment_id, priority)
     select tenant_id, 'default', id, 1 from made`,
  )
  // The platform caches the models of a name for ten seconds, because only its own changes clear that.
  await new Promise(resolve => setTimeout(resolve, 10_100))
}

async function look({ origin, path, headers, body }: Gateway): Promise<Saw> {
  const abort = AbortSignal.timeout(patience_ms)
  const [own = {}] = headers
  const asked = body({ prompt: 'Tell me. [[sandbox tokens=200]]', tokens: 100, stream: true })
  let status = 'none'
  let text = ''
  try {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers: own,
      body: asked,
      signal: abort,
    })
    status = String(answer.status)
    const decoder = new TextDecoder()
    const body: AsyncIterable<Uint8Array> | null = answer.body
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true })
  } catch {
    // The connection broke, or the caller left.
  }
  return { status, ...endOf(text, abort.aborted) }
}

function endOf(text: string, left: boolean): { end: string; text: boolean } {
  const code = /event: error\ndata: .*?"code":"(\w+)"/.exec(text)?.[1]
  if (code) return { end: `error ${code}`, text: false }
  if (text.includes('event: completed')) return { end: 'completed', text: true }
  const finished = /"finish_reason":"(stop|length)"/.test(text)
  if (text.includes('[DONE]')) return { end: finished ? '[DONE]' : '[DONE] only', text: finished }
  if (left) return { end: 'nothing', text: false }
  if (text.startsWith('{')) {
    const problem = JSON.parse(text) as { code?: string; error?: { message?: string } }
    return { end: problem.code ?? problem.error?.message ?? 'a JSON error', text: false }
  }
  return { end: finished ? 'finish_reason' : 'nothing, like a success', text: finished }
}

async function usageRows(database_url: string): Promise<number> {
  const [row] = await ask(database_url, 'select count(*)::int as n from inference.generation_usage')
  return Number(row?.['n'])
}

/** A row may be written shortly after the end of the stream. */
async function eventuallyMore(database_url: string, before: number): Promise<string> {
  for (let looked = 0; looked < 20; looked++) {
    const now = await usageRows(database_url)
    if (now > before) return String(now - before)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return '0'
}
