/**
 * A provider for tests of the outgoing client: real servers that answer, hang up or stay silent, and an
 * upstream in front of each whose waits between attempts are drawn as zero unless a test says otherwise.
 */
import type { Socket } from 'node:net'
import { afterAll } from 'vitest'
import {
  openUpstream,
  UpstreamFailure,
  type Upstream,
  type UpstreamCall,
  type UpstreamOptions,
} from '../upstream.ts'
import { openReceiver, openTcpReceiver, type Answering, type Receiver } from './receiver.ts'

const opened: { close(): unknown }[] = []
afterAll(async () => {
  for (const one of opened) await one.close()
})

export async function receiver(answer: Answering): Promise<Receiver> {
  const server = await openReceiver(answer)
  opened.push(server)
  return server
}

export async function tcp(serve: (socket: Socket) => void): Promise<Receiver> {
  const server = await openTcpReceiver(serve)
  opened.push(server)
  return server
}

export function upstreamAt(server: Receiver, options: Partial<UpstreamOptions> = {}): Upstream {
  const base_url = `http://127.0.0.1:${server.port}/v1/`
  const upstream = openUpstream({ name: 'acme', base_url, random: () => 0, ...options })
  opened.push(upstream)
  return upstream
}

/** Answers one after another; the last one stays. */
export function inTurn(...answers: Answering[]): Answering {
  let turn = 0
  return (response, request) => answers[Math.min(turn++, answers.length - 1)]?.(response, request)
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  response =>
    response.writeHead(code, headers).end('said by acme')
export const hangUp: Answering = response => response.socket?.destroy()
export const silence: Answering = () => {}

export const charge: UpstreamCall = {
  method: 'POST',
  path: '/charges?expand=1',
  body: '{"amount":100}',
  operation_id: 'op-1',
  idempotent: true,
  deadline_ms: 10_000,
}
export const once: UpstreamCall = { ...charge, idempotent: false }

export async function failureOf(call: Promise<unknown>): Promise<UpstreamFailure> {
  try {
    await call
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  throw new Error('it was expected to fail')
}
