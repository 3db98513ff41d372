/** How a process finds NATS servers and is known to them: a list, credentials, an authority. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nkeys } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../test/free-port.ts'
import { endsWithFile } from '../../../../test/children.ts'
import { connectNats, natsAdvice, type NatsServers } from '../sinks/nats-servers.ts'
import { eventually } from './process.ts'

const binary = ['/usr/sbin/nats-server', '/usr/bin/nats-server'].find(path => existsSync(path))

type Keys = ReturnType<typeof nkeys.createOperator>
const publicKey = (keys: Keys) => keys.getPublicKey()

/** A token of NATS: signed by the one above. */
function tokenOf(subject: Keys, issuer: Keys, type: string, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = part({ typ: 'JWT', alg: 'ed25519-nkey' })
  const [sub, iss] = [publicKey(subject), publicKey(issuer)]
  const facts = { jti: sub, iat: 1_700_000_000, iss, name: type, sub }
  const signed = `${head}.${part({ ...facts, nats: { type, version: 2, ...claims } })}`
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`
}

function credentialsOf(user: Keys, account: Keys): string {
  const limits = { subs: -1, data: -1, payload: -1 }
  const token = tokenOf(user, account, 'user', { pub: {}, sub: {}, ...limits })
  const seed = Buffer.from(user.getSeed()).toString()
  return `-----BEGIN NATS USER JWT-----
${token}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`
}

describe.skipIf(binary === undefined)('a server with TLS that knows its users', () => {
  let server: ChildProcess
  let folder: string
  let ca: string
  let urls: readonly string[]
  const [operator, account, user] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createUser(),
  ]

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'nats-servers-'))
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const names = ['-subj', '/CN=nats', '-addext', 'subjectAltName=DNS:localhost']
    const pair = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate]
    await promisify(execFile)('openssl', ['req', '-x509', '-days', '1', ...pair, ...names])
    ca = readFileSync(certificate, 'utf8')
    const [port, dead] = [await freePort(), await freePort()]
    urls = [`nats://localhost:${dead}`, `nats://localhost:${port}`]
    const all = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 }
    const limits = { ...all, wildcards: true }
    writeFileSync(
      join(folder, 'nats.conf'),
      `host: 127.0.0.1, port: ${port}
tls { cert_file: "${certificate}", key_file: "${key}" }
operator: ${tokenOf(operator, operator, 'operator', {})}
resolver: MEMORY
resolver_preload: { ${publicKey(account)}: ${tokenOf(account, operator, 'account', { limits })} }
`,
    )
    server = endsWithFile(
      spawn(binary ?? '', ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' }),
    )
    await eventually(() => connects({ urls, ca, credentials: credentialsOf(user, account) }))
  })
  afterAll(async () => {
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
    rmSync(folder, { recursive: true })
  })

  async function connects(servers: NatsServers): Promise<boolean> {
    try {
      await (await connectNats(servers, { reconnect: false, timeout: 5000 })).close()
      return true
    } catch {
      return false
    }
  }

  test('is found behind one that is dead, by credentials and the authority', async () => {
    const known = { urls, ca, credentials: credentialsOf(user, account) }
    expect(await connects(known)).toBe(true)
    expect(await natsAdvice(known)).toEqual([])
    expect(await connects({ ...known, ca: null })).toBe(false)
  })

  test('refuses others, which is advice at the start', async () => {
    const stranger = { urls, ca, credentials: credentialsOf(user, nkeys.createAccount()) }
    expect(await connects(stranger)).toBe(false)
    expect(await natsAdvice(stranger)).toEqual([expect.stringContaining('NATS refuses')])
    expect(await natsAdvice({ urls, ca })).toEqual([expect.stringContaining('NATS refuses')])
  })

  test('is only away, which is none', async () => {
    expect(await natsAdvice({ urls: urls.slice(0, 1), ca })).toEqual([])
  })
})
