/**
 * What the tests of safeFetch stand on: a DNS server, and clients that may reach exactly the receivers
 * that a test names. 127.0.0.1 with its port stands for a public address; 0.0.0.0, which leads to the same
 * listeners, stands for a forbidden one: a packet to it would be counted.
 */
import { openSafeFetch, SafeFetchFailure, type SafeFetch } from '../safe-fetch.ts'
import { openDnsServer, type DnsServer } from './dns-server.ts'
import type { Receiver } from './receiver.ts'

export type SafeWorld = {
  readonly dns: DnsServer
  /** Reaches what is public on the ports, and those receivers at 127.0.0.1. */
  client(reached: readonly Receiver[], ports?: readonly number[]): SafeFetch
  open(options: { ports: readonly number[]; allow: readonly string[] }): SafeFetch
  /** To be closed at the end of the test. */
  keep<T extends { close(): unknown }>(opened: T): T
  close(): Promise<void>
}

export async function openSafeWorld(): Promise<SafeWorld> {
  const dns = await openDnsServer()
  const opened: { close(): unknown }[] = []
  const keep = <T extends { close(): unknown }>(one: T): T => {
    opened.push(one)
    return one
  }
  const open: SafeWorld['open'] = options =>
    keep(openSafeFetch({ ...options, dns_servers: [dns.address] }))
  return {
    dns,
    keep,
    client: (reached, ports = reached.map(({ port }) => port)) => {
      const allow = reached.map(({ port }) => `127.0.0.1:${port}`)
      return open({ ports, allow })
    },
    open,
    close: async () => {
      await Promise.all(opened.map(one => one.close()))
      dns.close()
    },
  }
}

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<SafeFetchFailure> {
  try {
    await call
  } catch (error) {
    if (error instanceof SafeFetchFailure) return error
    throw error
  }
  throw new Error('it was expected to fail')
}

export async function reasonOf(call: Promise<unknown>): Promise<string> {
  const { reason, phase } = await failureOf(call)
  return phase ? `${reason} ${phase}` : reason
}
