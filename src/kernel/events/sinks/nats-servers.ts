/**
 * The NATS servers of an installation, and how a process identifies itself to them. A client connects to
 * any of them, and to another one if that is lost.
 */
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import type { KernelSettings } from '../../settings.ts'

export type NatsServers = {
  readonly urls: readonly string[]
  /** The text of a `.creds` file. */
  readonly credentials?: string | null
  /** Certificates of their authority, as PEM. With it, connections without TLS are refused. */
  readonly ca?: string | null
}

export function natsServersOf(settings: KernelSettings): NatsServers {
  return {
    urls: settings['kernel.nats_url'],
    credentials: settings['kernel.nats_credentials'],
    ca: settings['kernel.nats_ca'],
  }
}

export async function connectNats(
  { urls, credentials, ca }: NatsServers,
  options: ConnectionOptions,
): Promise<NatsConnection> {
  // Only a platform that uses NATS loads its client.
  const { connect, credsAuthenticator } = await import('@nats-io/transport-node')
  const parsed = urls.map(url => new URL(url))
  const named = parsed.find(({ username }) => username !== '')
  return await connect({
    ...options,
    servers: parsed.map(({ protocol, host }) => `${protocol}//${host}`),
    ...(named ? { user: decodeURIComponent(named.username) } : {}),
    ...(named ? { pass: decodeURIComponent(named.password) } : {}),
    ...(credentials ? { authenticator: credsAuthenticator(Buffer.from(credentials)) } : {}),
    ...(ca ? { tls: { ca } } : {}),
  })
}

/** Says that the servers refuse the credentials: only an operator can end that. */
export async function natsAdvice(servers: NatsServers): Promise<string[]> {
  const { AuthorizationError } = await import('@nats-io/transport-node')
  try {
    const connection = await connectNats(servers, { reconnect: false, timeout: 2000 })
    await connection.close()
  } catch (error) {
    if (error instanceof AuthorizationError || (error as Error).cause instanceof AuthorizationError)
      return [refused]
  }
  return []
}

const refused =
  'NATS refuses this platform. Correct KERNEL_NATS_CREDENTIALS, or the user in KERNEL_NATS_URL, and ' +
  'start again. Until then the event log keeps what NATS did not get.'
