/**
 * One claim of a hundred deliveries and their results as a script of pgbench: the sender's own statements,
 * made from the functions that send them, so they cannot fall behind.
 */
import type { Sql, Tx } from '#dodeca/kernel'
import { compile } from '../../src/kernel/database/sql.ts'
import { claim, type Claimed } from '../../src/surfaces/webhooks/sending/claim.ts'
import { planLookUps } from '../../src/surfaces/webhooks/sending/look-ups.ts'
import { finish, type Result } from '../../src/surfaces/webhooks/sending/finish.ts'

const lanes_each = 25
export const of_each = 4
const many = lanes_each * of_each

/** A value that the script computes is inserted here, once for each row. */
const computed = new Map([
  ['@lanes', '(select array_agg(id) from lane where n % :groups = :group)'],
  ['@events', ':events'],
  ['@subscriptions', ':subscriptions'],
  ['@token', ':token'],
  ['@tokens', `array_fill(:token::uuid, array[${many}])`],
])

const each = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

/**
 * Variables: groups, of so many endpoints each; `lane` is a table of their numbers. Each client has groups
 * of its own, as each sender has its shards.
 */
export async function claimAndFinish(owner: string, clients: number): Promise<string> {
  const wanted = each(lanes_each, { subscription_id: '@lanes', many: of_each })
  const [plan] = await sent(tx => planLookUps(tx))
  const [claiming] = await sent(tx =>
    claim(tx, { owner, token: '@token', lease_seconds: 30, wanted }),
  )
  const [finishing] = await sent(tx => finish(tx, each(many, delivered(claimed, '@tokens'))))
  return `
\\set group :client_id + ${clients} * random(0, :groups / ${clients} - 1)
select uuidv7() as token \\gset
\\startpipeline
begin;
${plan};
\\endpipeline
${gathered(claiming ?? '')} \\gset
commit;
\\startpipeline
begin;
${plan};
${finishing};
commit;
\\endpipeline
`
}

export const deliveries_each = many

/** The claim returns one row here, because a script can keep only one. */
function gathered(statement: string): string {
  const at = statement.indexOf('update webhooks.deliveries')
  return `${statement.slice(0, at)}, taken as (${statement.slice(at)})
    select array_agg(event_id)::text as events, array_agg(subscription_id)::text as subscriptions
    from taken`
}

/** What a function sends, with its parameters written into it. */
async function sent(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const statements: Sql[] = []
  const ask = async (statement: Sql) => {
    statements.push(statement)
    return []
  }
  const tx = { many: (_row: unknown, statement: Sql) => ask(statement), run: ask }
  // Only these two functions are called by the recorded statements.
  await work(tx as unknown as Tx)
  return statements.map(inlined)
}

function inlined(statement: Sql): string {
  const { text, values } = compile(statement)
  const known = text.replaceAll(/\$(\d+)/g, (_, n: string) => literal(values[Number(n) - 1]))
  return known.replaceAll(/--.*$/gm, '')
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) {
    return computed.get(value[0] as string) ?? `array[${value.map(literal).join(', ')}]`
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') throw new Error('this parameter has no form in a script')
  // In pgbench, a colon before a letter or digit begins a variable.
  const text = value.replaceAll("'", "''").replaceAll(':', "' || chr(58) || '")
  return computed.get(value) ?? `('${text}')`
}

/** The columns of a claim that recording its result needs. */
const claimed = {
  event_id: '@events',
  subscription_id: '@subscriptions',
  replay_id: null,
  ordered: false,
} as unknown as Claimed

/** The recorded columns. The lane is read only if something follows for it. */
export function delivered(one: Claimed, token: string): Result {
  return {
    claimed: one,
    token,
    outcome: {
      verdict: 'delivered',
      http_status: 204,
      error_code: null,
      excerpt: null,
      timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 1.2, total_ms: 1.4 },
      remote_ip: '127.0.0.1',
      wait_seconds: null,
      faulty: false,
    },
    next: { state: 'delivered', counted: true, tries: 1, delay_ms: 0 },
    started_ms: 1_800_000_000_000,
    duration_ms: 2,
    secret_version: 1,
    consequence: null,
  } as unknown as Result
}
