/**
 * The faults of this PayPal: those of every vendor that speaks HTTP, and some that only matter where
 * money moves. `to` names the request: token, create, confirm, authorize, capture, void, refund, read,
 * report, balances, events, cert.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { fits, type ControlRoute } from '../control.ts'
import { openFaultScript, type FaultScript } from '../fault-script.ts'
import { HttpFault, underFault } from '../http-fault.ts'

const own = [
  'fail_after_accept',
  'conflict_after_accept',
  'reset_after_accept',
  'garbage',
  'truncate',
  'decline',
  'other_amount',
] as const
type Own = (typeof own)[number]

const Rule = Type.Object(
  {
    ...HttpFault.properties,
    mode: Type.Union([HttpFault.properties.mode, Type.Unsafe<Own>({ type: 'string', enum: own })]),
  },
  { additionalProperties: false },
)
type Rule = Omit<HttpFault, 'mode'> & { readonly mode: HttpFault['mode'] | Own }
export type Faults = FaultScript<Rule, { readonly provider: string; readonly to: string }>

export function openFaults(): Faults {
  return openFaultScript(
    (rule, { provider, to }) =>
      (rule.provider === undefined || rule.provider === provider) &&
      (rule.to === undefined || rule.to === to),
  )
}

export function faultControl(faults: Faults): ControlRoute[] {
  return [
    {
      method: 'POST',
      path: '/faults',
      run: ({ body }) => {
        const rule = fits(Rule, body) as Rule
        const { id, left } = faults.add(rule, rule.times ?? 1)
        return { status: 201, body: { id, left, ...rule } }
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      run: () => {
        faults.clear()
        return { status: 204 }
      },
    },
  ]
}

type Reply = { readonly status: number; readonly body: unknown }

/** `execute` has its effect once; the rule decides whether the caller learns of it. */
export async function reply(
  rule: Rule | undefined,
  response: ServerResponse,
  execute: (lie?: Own) => Reply,
): Promise<void> {
  const mode = own.find(one => one === rule?.mode)
  if (rule !== undefined && mode === undefined) {
    let made: Reply = { status: 500, body: {} }
    return await underFault(rule as HttpFault, response, {
      accept: () => void (made = execute()),
      answer: () => send(response, made),
      refuse: how => send(response, { status: refused[how] ?? 500, body: { name: 'FAULT' } }),
    })
  }
  const made = execute(mode)
  switch (mode) {
    case 'fail_after_accept':
      return send(response, { status: 500, body: { name: 'INTERNAL_SERVER_ERROR' } })
    case 'conflict_after_accept': {
      const details = [{ issue: 'PREVIOUS_REQUEST_IN_PROGRESS' }]
      return send(response, { status: 409, body: { name: 'RESOURCE_CONFLICT', details } })
    }
    case 'reset_after_accept':
      return void response.socket?.resetAndDestroy()
    case 'garbage':
      return void response.writeHead(made.status).end('{"id": ')
    case 'truncate': {
      const text = JSON.stringify(made.body)
      response.writeHead(made.status, { 'content-length': Buffer.byteLength(text) + 1 })
      response.write(text)
      await pause(20)
      return void response.destroy()
    }
    default:
      send(response, made)
  }
}

const refused: Readonly<Record<string, number>> = {
  reject_temp: 503,
  reject_perm: 400,
  rate_limit: 429,
  gone: 404,
}

function send(response: ServerResponse, { status, body }: Reply): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(status === 204 ? undefined : JSON.stringify(body))
}
