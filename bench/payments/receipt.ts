/** Webhooks of the provider, stored before they are acknowledged, beside a one-row insert with its commit. */
import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '#dodeca/kernel'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { load } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram } from '../ground/program.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import { providerEnvironment, type Ground } from './ground.ts'

const connections = 64
const per_second = 9000
const one_row = `insert into bench_receipts (id, object_ref) values (gen_random_uuid(), 'pi_none');\n`

export async function receipt({ options, database }: Bench, ground: Ground): Promise<Section> {
  const client = await findPgbench()
  const database_url = await database.create('receipts')
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-receipts-'))
  const platform = await startProgram(
    {
      ...productionEnvironment(database_url),
      ...providerEnvironment(ground.stripe),
      DATA_DIR: data_dir,
      PUBLIC_URL: 'http://dodeca.test',
      KERNEL_SANDBOX: 'false',
    },
    { side: 'server', profile: options.profile },
  )
  try {
    await ask(
      database_url,
      'create table bench_receipts (id uuid primary key, object_ref text, received_at timestamptz default now())',
    )
    const many = Math.ceil((options.seconds + options.warm_seconds + 1) * per_second)
    const { port, pid } = platform
    const limit = { program: client, url: database_url, script: one_row, clients: connections }
    const [alone, ours] = await compete(
      [
        { name: 'one row and commit (pgbench)', run: () => pgbench(limit, options) },
        {
          name: 'webhook receipt',
          run: () => {
            const requests = Array.from({ length: many }, () => message(ground))
            return load({ port, pid, connections, requests, status: 200 }, options)
          },
        },
      ],
      options.rounds,
    )
    if (!alone || !ours) throw new Error('not everybody was measured')
    return standingsOf(
      'Webhooks of two kilobytes, 64 connections',
      [alone, ours],
      [ratioVerdict(ours, alone, 0.4)],
      [
        'Each is verified, read and stored before it is acknowledged; those that come together share a commit.',
      ],
    )
  } finally {
    await platform.stop()
    await rm(data_dir, { recursive: true, force: true })
  }
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
