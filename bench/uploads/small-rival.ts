/** Fastify with pg: the statements and file steps of a small upload, with nothing in between. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'
// oxlint-disable oxc/no-async-endpoint-handlers -- Fastify awaits them
import { keep } from './keep.ts'

type Rival = {
  readonly app: FastifyInstance
  readonly pool: pg.Pool
  readonly folder: string
  readonly tenant: string
  readonly owner: string
}

export async function serveSmall(folder: string, database_url: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: database_url, max: 10 })
  await pool.query('create table bench_events (data jsonb)')
  const app = Fastify({ logger: false, bodyLimit: 2 ** 30 })
  const rival = { app, pool, folder, tenant: randomUUID(), owner: randomUUID() }
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  createRoute(rival)
  partRoute(rival)
  completeRoute(rival)
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

const find = (tenant: string, id: string) =>
  statement('find', 'select * from uploads.uploads where tenant_id = $1 and id = $2', [tenant, id])

const statement = (name: string, text: string, values: unknown[]) => ({ name, text, values })

async function sync(path: string): Promise<void> {
  const parent = await open(path, 'r')
  await parent.sync()
  await parent.close()
}

async function inTransaction(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<unknown>) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await work(client)
    await client.query('commit')
  } finally {
    client.release()
  }
}

function createRoute({ app, pool, folder, tenant, owner }: Rival): void {
  app.post('/uploads', async request => {
    const { size, checksum } = request.body as { size: number; checksum: string }
    const id = randomUUID()
    const key = `o/2026/01/01/${randomBytes(17).toString('base64url')}`
    await statfs(folder)
    await mkdir(join(folder, 'parts', id), { recursive: true })
    await sync(join(folder, 'parts'))
    await inTransaction(pool, async client => {
      await client.query(
        statement(
          'reserve',
          `insert into uploads.tenant_usage as t (tenant_id, reserved_bytes) values ($1, $2)
           on conflict (tenant_id) do update set reserved_bytes = t.reserved_bytes + $2
             where t.reserved_bytes + $2 <= $3 returning reserved_bytes`,
          [tenant, size, 2 ** 50],
        ),
      )
      await client.query(
        statement(
          'open',
          `select count(*)::int as open from uploads.uploads
           where tenant_id = $1 and owner_id = $2 and state = 'initiated'`,
          [tenant, owner],
        ),
      )
      await client.query(
        statement(
          'create',
          `insert into uploads.uploads (tenant_id, id, owner_id, purpose, media_category,
             storage_key, expected_size, expected_checksum, part_size, part_count,
             multipart_upload_id, reserved_bytes, expires_at)
           values ($1, $2::uuid, $3, 'generic', 'any', $4, $5, decode($6, 'hex'), 8388608, 1,
             $2::uuid::text, $5,
             kernel.now() + interval '1 day')`,
          [tenant, id, owner, key, size, checksum],
        ),
      )
    })
    return { id }
  })
}

function partRoute({ app, pool, folder, tenant }: Rival): void {
  app.put<{ Params: { id: string } }>('/parts/:id', async request => {
    const { id } = request.params
    await pool.query(find(tenant, id))
    const sha = await keep(request.raw, join(folder, 'parts', id))
    await pool.query(
      statement(
        'part',
        `with open as (
           update uploads.uploads set expires_at = kernel.now() + interval '1 day'
           where tenant_id = $1 and id = $2 and state = 'initiated' and due_at is null returning id)
         insert into uploads.upload_parts (tenant_id, upload_id, part_number, etag, size, sha256, name)
         select $1, id, 1, $3, 65536, decode($3, 'hex'), $4 from open
         on conflict (tenant_id, upload_id, part_number) do update set name = excluded.name`,
        [tenant, id, sha, sha.slice(0, 12)],
      ),
    )
    return ''
  })
}

function completeRoute({ app, pool, folder, tenant, owner }: Rival): void {
  app.post<{ Params: { id: string } }>('/complete/:id', async request => {
    const { id } = request.params
    const token = randomUUID()
    const file_id = randomUUID()
    await pool.query(find(tenant, id))
    const { rows } = await pool.query(
      statement(
        'lease',
        `update uploads.uploads set due_at = kernel.now(), lease_token = $3,
           leased_until = now() + interval '2 minutes'
         where tenant_id = $1 and id = $2 and state = 'initiated' and due_at is null returning *`,
        [tenant, id, token],
      ),
    )
    const upload = rows[0] as { storage_key: string; expected_checksum: Buffer }
    await pool.query(
      statement(
        'parts',
        'select * from uploads.upload_parts where tenant_id = $1 and upload_id = $2',
        [tenant, id],
      ),
    )
    const to = join(folder, upload.storage_key)
    await mkdir(dirname(to), { recursive: true })
    await rename(await partOf(join(folder, 'parts', id)), to)
    await sync(dirname(to))
    await stat(to)
    await inTransaction(pool, async client => {
      await client.query(
        statement(
          'lock',
          `select id from uploads.uploads
           where tenant_id = $1 and id = $2 and state = 'initiated' and lease_token = $3 for update`,
          [tenant, id, token],
        ),
      )
      await client.query(
        statement(
          'uploaded',
          `update uploads.uploads set state = 'uploaded', version = version + 1, reserved_bytes = 0,
             due_at = null, lease_token = null, leased_until = null, retention_until = kernel.now()
           where tenant_id = $1 and id = $2 and lease_token = $3`,
          [tenant, id, token],
        ),
      )
      await client.query(
        statement(
          'file',
          `insert into uploads.files (tenant_id, id, upload_id, owner_id, purpose, storage_key,
             storage_version, size, sha256, media_category, reserved_bytes)
           values ($1, $2, $3, $4, 'generic', $5, 'v', 65536, $6, 'any', 65536)`,
          [tenant, file_id, id, owner, upload.storage_key, upload.expected_checksum],
        ),
      )
      await client.query(
        statement('event', 'insert into bench_events (data) values ($1)', [{ id }]),
      )
    })
    await rm(join(folder, 'parts', id), { recursive: true })
    return { file_id }
  })
}

async function partOf(folder: string): Promise<string> {
  const [name = ''] = await readdir(folder)
  return join(folder, name)
}
