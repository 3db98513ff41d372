/** A platform with a hundred thousand links, kept on the server's core together with its PostgreSQL. */
import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { ask } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram, type Program } from '../ground/program.ts'
import type { Options } from '../ground/options.ts'
import type { Given } from './bare-redirect.ts'

const links_count = 100_000
export const host = 'dodeca.test'

export async function startLinks(
  url: string,
  data_dir: string,
  { profile }: Pick<Options, 'profile'>,
): Promise<Program> {
  const program = await startProgram(
    {
      ...productionEnvironment(url),
      DATA_DIR: data_dir,
      PUBLIC_URL: `http://${host}`,
      IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
      LINKS_CREATES_PER_MINUTE: '1000000000',
      LINKS_CREATES_PER_DAY: '1000000000',
    },
    { side: 'server', profile },
  )
  await ask(
    url,
    `insert into links.links (tenant_id, domain_id, code, id, owner_id, destination_url,
       destination_host, state, safety_state)
     select '018f0000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-00000000000a',
       'b' || lpad(n::text, 6, '0'), gen_random_uuid(), '018f0000-0000-7000-8000-000000000002',
       'https://www.example.com/page/' || n, 'com.example.www.', 'active', 'clean'
     from generate_series(0, ${links_count - 1}) n`,
  )
  await ask(url, 'vacuum analyze links.links')
  await pinDatabase(url)
  return program
}

/** Whatever PostgreSQL does for the platform is the platform's cost: it gets no core of its own. */
async function pinDatabase(url: string): Promise<void> {
  const [row] = await ask(
    url,
    'select pg_backend_pid() as pid, pg_postmaster_start_time() as since',
  )
  if (!row) return
  const [checkpointer] = await ask(
    url,
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  )
  const status = await readFile(`/proc/${Number(checkpointer?.['pid'])}/status`, 'utf8')
  const postmaster = /PPid:\s+(\d+)/.exec(status)?.[1] ?? ''
  for (const pid of [postmaster, ...(await childrenOf(postmaster))]) {
    spawnSync('taskset', ['-cp', '0', pid])
  }
}

async function childrenOf(parent: string): Promise<string[]> {
  const children: string[] = []
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    if (/PPid:\s+(\d+)/.exec(status)?.[1] === parent) children.push(pid)
  }
  return children
}

/** What the platform answers from memory, so that a bare server can answer the same bytes. */
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
