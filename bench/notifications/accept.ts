/** Accepting a notification, beside a bare Fastify that runs the same statements by hand. */
import fastify from 'fastify'
import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { ask } from '../ground/database.ts'
import type { Measured } from './measures.ts'
import type { Notifying } from './prepare.ts'

const connections = 16
const seconds = 8

async function rate(send: () => Promise<number>): Promise<number> {
  let done = 0
  const run = async (until: number) => {
    while (performance.now() < until) {
      if ((await send()) !== 202) throw new Error('not accepted')
      done++
    }
  }
  await Promise.all(Array.from({ length: connections }, () => run(performance.now() + 2000)))
  done = 0
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, () => run(began + seconds * 1000)))
  return (done * 1000) / (performance.now() - began)
}

/** Scheduled, so that nothing is sent meanwhile. */
const later = new Date(Date.now() + 86_400_000).toISOString()

export async function measureAccept(at: Notifying, bare_url: string): Promise<Measured> {
  const order = () => ({
    recipient: { user_id: at.user_id },
    category: 'order.updates',
    template: { name: 'bench' },
    data: { name: 'Ada' },
    channels: ['email'],
    scheduled_at: later,
  })
  const ours = await rate(async () => (await at.call('POST', '/v1/notifications', order())).status)
  const bare = await startBare(bare_url)
  const theirs = await rate(async () => {
    const response = await fetch(`http://127.0.0.1:${bare.port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order()),
    })
    await response.arrayBuffer()
    return response.status
  })
  await bare.stop()
  return {
    row: [
      'POST /v1/notifications, 16 connections',
      `${Math.round(ours)}/s`,
      `Fastify and pg with the same writes ${Math.round(theirs)}/s`,
    ],
    verdict: {
      says: 'accept / bare Fastify + pg',
      reached: ours / theirs,
      target: 0.8,
      unit: '',
      wanted: 'at least',
    },
  }
}

const tables = `
  create table keys (id text primary key, body text);
  create table templates (name text primary key, body text);
  create table data_keys (owner uuid primary key, wrapped bytea);
  create table inputs (ref uuid primary key, ciphertext bytea);
  create table intents (id uuid primary key, recipient text, key text unique, state text, data_ref uuid,
    created_at timestamptz default now());
  create index on intents (recipient, id desc);
  create index on intents using brin (created_at);
  create table attempts (intent_id uuid, channel text, no int, state text, due_at timestamptz,
    primary key (intent_id, channel, no));
  create index on attempts (due_at) where state = 'pending';
  insert into templates values ('bench', 'x');
  insert into data_keys values ('00000000-0000-0000-0000-000000000001', '\\x00')`

async function startBare(url: string) {
  await ask(url, tables)
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const app = fastify()
  app.post('/', async (_request, reply) => {
    const client = await pool.connect()
    const [key, ref, id] = [newId(), newId(), newId()]
    try {
      await client.query('begin')
      await client.query({ name: 'k', text: 'insert into keys (id) values ($1)', values: [key] })
      await client.query({
        name: 't',
        text: 'select body from templates where name = $1',
        values: ['bench'],
      })
      await client.query({ name: 'd', text: 'select wrapped from data_keys limit 1' })
      await client.query({
        name: 'i',
        text: `with made as (insert into intents (id, recipient, key, state, data_ref)
            values ($1, 'user:1', $2, 'scheduled', $3) returning id),
          input as (insert into inputs select $3, $4 from made)
          insert into attempts select id, 'email', 1, 'pending', now() + interval '1 day' from made`,
        values: [id, key, ref, Buffer.alloc(60)],
      })
      await client.query({ name: 'r', text: 'select * from intents where id = $1', values: [id] })
      await client.query({
        name: 'a',
        text: 'select * from attempts where intent_id = $1',
        values: [id],
      })
      await client.query({
        name: 'u',
        text: 'update keys set body = $2 where id = $1',
        values: [key, id],
      })
      await client.query('commit')
    } finally {
      client.release()
    }
    return reply.status(202).send({ id, state: 'scheduled' })
  })
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  return {
    port,
    stop: async () => {
      await app.close()
      await pool.end()
    },
  }
}
