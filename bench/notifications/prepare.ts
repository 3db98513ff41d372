/** The product with a mail server that takes everything, one person who may send, and their templates. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '#dodeca/kernel'
import { ask } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram, type Program } from '../ground/program.ts'
import type { Database } from '../ground/database.ts'
import type { Side } from '../ground/machine.ts'
import type { Sink } from './sink.ts'

export type Notifying = {
  readonly program: Program
  readonly url: string
  readonly database_url: string
  readonly user_id: string
  readonly tenant_id: string
  readonly token: string
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered>
  /** Resident memory of the platform in MiB. */
  memory(): Promise<number>
  stop(): Promise<void>
}
/** The members of replies that are read here are texts. */
export type Answered = { readonly status: number; readonly body: Record<string, string> }

const password = 'correct horse battery staple'

type How = {
  readonly side?: Side
  readonly profile?: string | null
  readonly settings?: Readonly<Record<string, string>>
}

export async function prepare(
  database: Database,
  sink: Sink,
  name: string,
  { side = 'free', profile = null, settings = {} }: How = {},
): Promise<Notifying> {
  const database_url = await database.create(name)
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-notify-'))
  const email = `bench-${newId()}@example.test`
  const environment = {
    ...productionEnvironment(database_url),
    DATA_DIR: data_dir,
    PUBLIC_URL: 'http://dodeca.test',
    ADMIN_EMAIL: email,
    ADMIN_PASSWORD: password,
    IDENTITY_ADMIN_REQUIRES_MFA: 'false',
    IDENTITY_HASH_QUEUE: '1000',
    NOTIFICATIONS_EMAIL_PROVIDERS: `sink=${sink.url}`,
    NOTIFICATIONS_MAIL_FROM: 'Bench <bench@dodeca.test>',
    // Limits that only make sending slower for the sake of receivers are switched off.
    NOTIFICATIONS_TENANT_PER_SECOND: '1000000',
    NOTIFICATIONS_DOMAIN_PER_SECOND: '1000000',
    KERNEL_SANDBOX: 'false',
    ...settings,
  }
  const program = await startProgram(environment, { side, profile })
  const url = `http://127.0.0.1:${program.port}`
  const held = { token: '' }
  const call = openCall(url, held)
  const login = await call('POST', '/v1/sessions', { email, password })
  if (login.status !== 201) throw new Error(JSON.stringify(login.body))
  held.token = login.body['access_token'] ?? ''
  const [account] = await ask(database_url, 'select id, tenant_id from identity.accounts limit 1')
  const user_id = String(account?.['id'])
  const tenant_id = String(account?.['tenant_id'])
  await ask(
    database_url,
    `insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
     values ($1, $2, 'tenant_admin', 'system') on conflict do nothing`,
    [user_id, tenant_id],
  )
  await publishTemplate(call)
  return {
    program,
    url,
    database_url,
    user_id,
    tenant_id,
    token: held.token,
    call,
    memory: async () => {
      const status = await readFile(`/proc/${program.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    },
    stop: async () => {
      await program.stop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

function openCall(url: string, held: { readonly token: string }): Notifying['call'] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${held.token}`,
        'idempotency-key': `bench-${newId()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Answered['body']),
    }
  }
}

async function publishTemplate(call: Notifying['call']): Promise<void> {
  const templates = '/v1/notification-templates'
  const channels = {
    email: {
      subject: 'Hello {{ name }}',
      body: `<h1>Hello {{ name }}</h1>${'<p>Words of a mail.</p>'.repeat(30)}`,
    },
    in_app: { title: 'Hello {{ name }}', body: 'It is here.' },
  }
  const made = await call('POST', templates, { name: 'bench', default_locale: 'en', channels })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  await call('POST', `${templates}/bench/versions/1/publish`)
}

/** A batch as NDJSON. */
export async function sendBatch(
  at: Notifying,
  channel: string,
  recipients: readonly object[],
): Promise<string> {
  const head = {
    category: 'order.updates',
    template: { name: 'bench' },
    data: { name: 'Ada' },
    channels: [channel],
  }
  const text = [head, ...recipients.map(recipient => ({ recipient }))]
    .map(one => JSON.stringify(one))
    .join('\n')
  const { status, body } = await at.call('POST', '/v1/notifications/batches', text, {
    'content-type': 'application/x-ndjson',
  })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body['id'] ?? ''
}
