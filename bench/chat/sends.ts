/** Durable sends over sockets beside the same function called by pgbench, one message and 64 at a time. */
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { processorSeconds } from '../ground/machine.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'
import { openSockets, type Ground } from './ground.ts'

const rooms_count = 100
const in_flight = 6
const clients = 4
const tenant = '00000000-0000-7000-8000-0000000000aa'

const id = (n: string) => `('00000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`

/** Each client appends to conversations of its own. Each append writes its events and pushes too. */
function scriptOf(batch: number): string {
  const all = (value: string) => `array(select ${value} from generate_series(1, ${batch}) n)`
  return `select * from chat.append(
  ${all(`'${tenant}'::uuid`)}, ${all(id(`:client_id * 64 + n`))}, ${all(`'${tenant}'::uuid`)},
  ${all('gen_random_uuid()')}, ${all('gen_random_uuid()::text')}, ${all(`decode(repeat('00', 32), 'hex')`)},
  ${all(`decode(repeat('ab', 229), 'hex')`)}, ${all('null::bigint')}, ${all(`'{}'`)},
  ${all('gen_random_uuid()')}, ${all('false')}, false, interval '10 minutes', interval '30 s', null, null);
`
}

/**
 * The same append as the platform's, in pgbench, with this number of messages in each commit.
 */
export async function appending(
  { options }: Pick<Bench, 'options'>,
  { database_url: url, analyze, settled }: Pick<Ground, 'database_url' | 'analyze' | 'settled'>,
  { batch, clients }: { readonly batch: number; readonly clients: number },
): Promise<() => Promise<Measure>> {
  const program = await findPgbench()
  await ask(
    url,
    `
    insert into chat.conversations (tenant_id, id, type, created_by, member_count, data_key)
    select '${tenant}', ${id('n')}, 'group', '${tenant}', 1, '' from generate_series(0, 400) n
    on conflict do nothing;
    insert into chat.conversation_members (tenant_id, conversation_id, user_id, role, joined_sequence, revision)
    select '${tenant}', ${id('n')}, '${tenant}', 'owner', 0, 1 from generate_series(0, 400) n
    on conflict do nothing;`,
  )
  await analyze()
  return async () => {
    const found = await pgbench({ program, url, script: scriptOf(batch), clients }, options)
    await settled()
    return { ...found, per_second: found.per_second * batch }
  }
}

export async function sends(bench: Bench, ground: Ground): Promise<Section> {
  const { options } = bench
  const standings = await compete(
    [
      {
        name: 'append in pgbench, one at a time',
        run: await appending(bench, ground, { batch: 1, clients }),
      },
      {
        name: 'append in pgbench, 64 at a time',
        run: await appending(bench, ground, { batch: 64, clients }),
      },
      { name: 'dodeca, over sockets', run: () => ours(ground, options) },
    ],
    options.rounds,
  )
  const [single, batched, mine] = standings
  if (!single || !batched || !mine) throw new Error('not everybody was measured')
  return standingsOf(
    `Durable sends to ${rooms_count} rooms of two people`,
    standings,
    [
      ratioVerdict(mine, single, 1),
      ratioVerdict(mine, batched, 0.7),
      {
        says: 'durable sends a second',
        reached: mine.per_second,
        target: 5000,
        unit: '',
        wanted: 'at least',
      },
    ],
    [
      'pgbench writes the messages and their events. Ours also encrypts each text, acknowledges it and delivers it to two sockets.',
      'The worker gives the events their positions meanwhile, and pushes ours; each contender waits until it has caught up.',
      'pgbench runs on the core of the client, ours on that of the server; PostgreSQL uses both.',
    ],
  )
}

async function ours(ground: Ground, options: Bench['options']): Promise<Measure> {
  const rooms: string[] = []
  for (let n = 0; n < rooms_count; n++) {
    const who = ground.people[n % ground.people.length]
    const other = ground.people[(n + 1) % ground.people.length]
    if (!who || !other) throw new Error('two people are needed')
    const body = { type: 'group', member_ids: [other.id] }
    rooms.push(String((await ground.ask(who, 'POST', '/v1/conversations', body))['id']))
  }
  const sockets = await openSockets(ground, ground.people.length)
  const latencies: number[] = []
  const began = new Map<string, number>()
  let next = 0
  let acked = 0
  let errors = 0
  let running = true
  const put = (at: number) => {
    const socket = sockets[at]
    if (!running || !socket) return
    const request_id = `s-${at}-${next++}`
    began.set(request_id, performance.now())
    const own = Math.floor((next * 7919) % (rooms_count / sockets.length))
    const conversation_id = rooms[own * sockets.length + at]
    const body = 'x'.repeat(200)
    socket.send(JSON.stringify({ type: 'message.send', request_id, conversation_id, body }))
  }
  const listener = (at: number) => (data: Buffer) => {
    const isAck = data.indexOf('"message.ack"') > 0
    if (!isAck && data.indexOf('"error"') < 0) return
    const { request_id, type } = JSON.parse(data.toString()) as Record<string, string>
    if (type === 'error') errors++
    else {
      acked++
      latencies.push(performance.now() - (began.get(request_id ?? '') ?? 0))
    }
    began.delete(request_id ?? '')
    put(at)
  }
  for (const [at, socket] of sockets.entries()) {
    socket.on('message', listener(at))
    for (let n = 0; n < in_flight * 10; n++) put(at)
  }
  await new Promise(resolve => setTimeout(resolve, options.warm_seconds * 1000))
  await ground.analyze()
  const before = { acked, cpu: (await processorSeconds(ground.api.pid)) ?? Number.NaN }
  latencies.length = 0
  await new Promise(resolve => setTimeout(resolve, options.seconds * 1000))
  const done = acked - before.acked
  const cpu = ((await processorSeconds(ground.api.pid)) ?? Number.NaN) - before.cpu
  running = false
  for (const socket of sockets) socket.terminate()
  await ground.settled()
  return {
    per_second: done / options.seconds,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
    cpu_us: (cpu * 1e6) / done,
    unexpected: errors,
  }
}
