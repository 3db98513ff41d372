/** Webhooks of the provider, stored before they are acknowledged, beside a one-row insert with its commit. */
import { createHmac } from 'node:crypto'
import { newId } from '../../src/kernel/ids.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { load } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'

const connections = 32
const per_second = 6000
const one_row = `insert into bench_receipts (id, object_ref) values (gen_random_uuid(), 'pi_none');\n`

export async function receipt({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  await ask(
    ground.database_url,
    'create table bench_receipts (id uuid primary key, object_ref text, received_at timestamptz default now())',
  )
  const many = Math.ceil((options.seconds + options.warm_seconds + 1) * per_second)
  const target = { port: ground.port, pid: process.pid, connections }
  const [limit, ours] = await compete(
    [
      {
        name: 'one row and commit (pgbench)',
        run: () =>
          pgbench(
            { program, url: ground.database_url, script: one_row, clients: connections },
            options,
          ),
      },
      {
        name: 'webhook receipt',
        run: () =>
          load(
            {
              ...target,
              requests: Array.from({ length: many }, () => message(ground)),
              status: 200,
            },
            options,
          ),
      },
    ],
    options.rounds,
  )
  if (!limit || !ours) throw new Error('not everybody was measured')
  return standingsOf(
    'Webhooks of two kilobytes, 32 connections',
    [limit, ours],
    [ratioVerdict(ours, limit, 0.4)],
    ['Each is verified, read and stored; client, platform and PostgreSQL share the machine.'],
  )
}

function message({ stripe }: Ground): string {
  const t = Math.floor(Date.now() / 1000)
  const body = {
    id: `evt_${newId()}`,
    type: 'balance.available',
    created: t,
    data: { object: { id: 'none', filler: 'x'.repeat(1900) } },
  }
  const text = JSON.stringify(body)
  const v1 = createHmac('sha256', stripe['webhook_secret'] ?? '')
    .update(`${t}.${text}`)
    .digest('hex')
  const lines = [
    'POST /v1/providers/stripe/webhooks HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json; charset=utf-8',
    `stripe-signature: t=${t},v1=${v1}`,
    `content-length: ${text.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}
