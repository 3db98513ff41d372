/**
 * Signed messages of a provider, stored before the reply, compared with Fastify that gives the same
 * reply to the same body and does nothing. Then one message repeatedly.
 */
import { createHmac } from 'node:crypto'
import { newId } from '#dodeca/kernel'
import { startBare } from '../ground/bare.ts'
import type { Bench } from '../ground/comparison.ts'
import { load } from '../ground/load.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import { least, startOurs } from './ground.ts'

const secret = 'whsec_of_the_comparison'
const connections = 64
/** More than are sent in a round, so that each is a new one. */
const per_second = 8000
const body_bytes = 1024

export async function inbound(bench: Bench): Promise<Section> {
  const { options } = bench
  const ours = await startOurs(bench, 'webhooks_inbound')
  const account_ref = `acct_${newId().replaceAll('-', '')}`
  await ours.order({ ask: 'source', tenant_id: newId(), account_ref, secret })
  const path = `/v1/inbound/stripe/${account_ref}`
  const bare = await startBare({
    kind: 'fastify',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: '{"received":true}',
  })
  const many = Math.ceil((options.seconds + options.warm_seconds + 1) * per_second)
  const one = [message(path)]
  const fresh = () => Array.from({ length: many }, () => message(path))
  const to = ({ port, pid }: { port: number; pid: number | undefined }) => ({
    port,
    pid,
    connections,
  })
  const here = to({ port: ours.ready.port, pid: ours.pid })
  const standings = await compete(
    [
      { name: 'fastify', run: () => load({ ...to(bare), requests: one }, options) },
      { name: 'webhooks, new', run: () => load({ ...here, requests: fresh() }, options) },
      { name: 'webhooks, again', run: () => load({ ...here, requests: one }, options) },
    ],
    options.rounds,
  )
  await ours.stop()
  await bare.stop()
  const [limit, news, again] = standings
  if (!limit || !news || !again) throw new Error('not everybody was measured')
  return standingsOf(
    'A message of a kilobyte in the scheme of Stripe',
    standings,
    [
      ratioVerdict(news, limit, 0.4),
      least('durable', news.per_second, 1500, '/s'),
      ratioVerdict(again, news, 1),
    ],
    ['Each new one is a row with its bytes and an event, committed before the answer.'],
  )
}

function message(path: string): string {
  const id = `evt_${newId().replaceAll('-', '')}`
  const open = `{"id":"${id}","type":"charge.succeeded","filler":"`
  const body = `${open}${'x'.repeat(body_bytes - open.length - 2)}"}`
  const time = Math.floor((performance.timeOrigin + performance.now()) / 1000)
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json; charset=utf-8',
    `stripe-signature: t=${time},v1=${signature}`,
    `content-length: ${body.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
