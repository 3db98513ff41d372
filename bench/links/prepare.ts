/** Platforms with a hundred thousand links, kept on the server's core together with their PostgreSQL. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram, type Program } from '../ground/program.ts'
import type { Bench } from '../ground/comparison.ts'
import type { Given } from './bare-redirect.ts'

export const links_count = 100_000
export const host = 'dodeca.test'

export type Linked = Program & { readonly url: string }

export async function startLinks(
  { options, database }: Bench,
  settings: Readonly<Record<string, string>> = {},
): Promise<Linked> {
  const url = await database.create('links')
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-links-'))
  const program = await startProgram(
    {
      ...productionEnvironment(url),
      DATA_DIR: data_dir,
      PUBLIC_URL: `http://${host}`,
      ...settings,
    },
    { side: 'server', profile: options.profile },
  )
  await ask(
    url,
    `set statement_timeout = 0;
     insert into links.links (tenant_id, domain_id, code, id, owner_id, destination_url,
       destination_host, state, safety_state)
     select '018f0000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-00000000000a',
       'b' || lpad(n::text, 6, '0'), gen_random_uuid(), '018f0000-0000-7000-8000-000000000002',
       'https://www.example.com/page/' || n, 'com.example.www.', 'active', 'clean'
     from generate_series(0, ${links_count - 1}) n`,
  )
  await ask(url, 'vacuum analyze links.links')
  await pinDatabase(url)
  const stop = async () => {
    await program.stop()
    await rm(data_dir, { recursive: true, force: true })
  }
  return { ...program, url, stop }
}

/** Whatever PostgreSQL does for the platform is the platform's cost: it gets no core of its own. */
async function pinDatabase(url: string): Promise<void> {
  for (const pid of await databaseProcesses(url)) spawnSync('taskset', ['-cp', '0', pid])
}

export async function databaseProcesses(url: string): Promise<string[]> {
  const [checkpointer] = await ask(
    url,
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  )
  const status = await readFile(`/proc/${Number(checkpointer?.['pid'])}/status`, 'utf8')
  const postmaster = /PPid:\s+(\d+)/.exec(status)?.[1] ?? ''
  return [postmaster, ...(await childrenOf(postmaster))]
}

async function childrenOf(parent: string): Promise<string[]> {
  const children: string[] = []
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    if (/PPid:\s+(\d+)/.exec(status)?.[1] === parent) children.push(pid)
  }
  return children
}

/** The reply of the platform from memory, so that a plain server can return the same bytes. */
export async function sampleOf(port: number, path: string): Promise<Given> {
  await get(port, path)
  const { status, raw, body } = await get(port, path)
  const headers: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    // What every server adds by itself.
    if (!/^(date|connection|keep-alive)$/i.test(name)) headers.push(name, raw[at + 1] ?? '')
  }
  return { status, headers, body }
}

export async function get(
  port: number,
  path: string,
): Promise<{ status: number; raw: string[]; body: string }> {
  return await new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, headers: { host } }, response => {
      let body = ''
      response.on('data', part => (body += String(part)))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, raw: response.rawHeaders, body })
      })
    })
    asked.on('error', reject)
    asked.end()
  })
}
