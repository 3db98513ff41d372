/** The product with one person who operates the platform and administers its tenant. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '#dodeca/kernel'
import { ask, type Database } from './database.ts'
import { productionEnvironment } from './platform.ts'
import { startProgram } from './program.ts'

export type Operated = {
  readonly port: number
  readonly token: string
  readonly database_url: string
  readonly tenant_id: string
  readonly account_id: string
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, string> }>
  stop(): Promise<void>
}

const password = 'correct horse battery staple'

/** `more` is set beside what every comparison sets. */
export async function startOperated(
  database: Database,
  name: string,
  more: Record<string, string> = {},
): Promise<Operated> {
  const database_url = await database.create(name)
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-'))
  const email = `bench-${newId()}@example.test`
  const program = await startProgram({
    ...productionEnvironment(database_url),
    DATA_DIR: data_dir,
    PUBLIC_URL: 'http://dodeca.test',
    ADMIN_EMAIL: email,
    ADMIN_PASSWORD: password,
    IDENTITY_ADMIN_REQUIRES_MFA: 'false',
    KERNEL_SANDBOX: 'false',
    ...more,
  })
  let token = ''
  const call: Operated['call'] = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${program.port}${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        'idempotency-key': `bench-${newId()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const read = (text === '' ? {} : JSON.parse(text)) as Record<string, string>
    return { status: response.status, body: read }
  }
  const logIn = async () => {
    const login = await call('POST', '/v1/sessions', { email, password })
    if (login.status !== 201) throw new Error(JSON.stringify(login.body))
    token = login.body['access_token'] ?? ''
  }
  await logIn()
  const [account] = await ask(database_url, 'select id, tenant_id from identity.accounts limit 1')
  await ask(
    database_url,
    `insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
     values ($1, $2, 'tenant_admin', 'system') on conflict do nothing`,
    [account?.['id'], account?.['tenant_id']],
  )
  await logIn()
  return {
    port: program.port,
    token,
    database_url,
    tenant_id: String(account?.['tenant_id']),
    account_id: String(account?.['id']),
    call,
    stop: async () => {
      await program.stop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}
