/** Faults of a request: before its execution, and after its effect. */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { FaultRule } from './faults.ts'
import { makeForeignPayment } from './foreign-payment.ts'
import { lockTimeout } from './refusals.ts'
import { send, type Asked, type Reply } from './reply.ts'
import { stripeId } from './stripe-id.ts'
import type { Vended } from './vended.ts'

/** Returns true if the request was not executed and the caller gets no ordinary reply. */
export async function strikeBefore(
  vended: Vended,
  fault: FaultRule,
  { path, raw, key }: Asked,
  response: ServerResponse,
): Promise<boolean> {
  switch (fault.action) {
    case 'reset_before':
      response.socket?.resetAndDestroy()
      return true
    case 'hang':
      return true
    case 'late_effect':
      vended.store.change(change => {
        const id = stripeId('sch')
        change.put('scheduled', id, {
          id,
          at_ms: vended.clock.nowMs() + (fault.ms ?? 1000),
          kind: 'late_request',
          object: path,
          request: { path, body: raw, key },
        })
      })
      return true
    case 'lock_timeout':
      throw lockTimeout()
    case 'delay_before':
      await pause(fault.ms ?? 1000)
      return false
    case 'http':
      if (fault.after_effect) return false
      sendFailure(response, fault)
      return true
    case 'foreign_object':
      makeForeignPayment(vended)
      return false
    default:
      return false
  }
}

/** Returns true if the effect happened, but the caller does not learn of it. */
export async function strikeAfter(
  fault: FaultRule,
  response: ServerResponse,
  { status, body }: Reply,
): Promise<boolean> {
  switch (fault.action) {
    case 'delay_after':
      await pause(fault.ms ?? 10_000, undefined, { ref: false })
      return false
    case 'reset_after':
      response.socket?.resetAndDestroy()
      return true
    case 'http':
      sendFailure(response, fault)
      return true
    case 'garbage_json':
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"id": ')
      return true
    case 'truncate': {
      const text = JSON.stringify(body)
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
      return true
    }
    default:
      return false
  }
}

function sendFailure(response: ServerResponse, fault: FaultRule): void {
  if (fault.should_retry !== undefined) {
    response.setHeader('stripe-should-retry', String(fault.should_retry))
  }
  const error = { type: 'api_error', message: 'An unknown error occurred.' }
  send(response, { status: fault.status ?? 500, body: { error } })
}
