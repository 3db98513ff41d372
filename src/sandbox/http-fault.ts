/**
 * The ways in which a vendor that speaks HTTP can fail, and the messages that a rule applies to.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { fits, type ControlRoute } from './control.ts'
import { openFaultScript, type FaultScript, type Scripted } from './fault-script.ts'

const modes = [
  'reject_temp',
  'reject_perm',
  'rate_limit',
  'timeout_before_accept',
  'timeout_after_accept',
  'slow',
  'drop_connection',
  'gone',
] as const

export const HttpFault = Type.Object(
  {
    channel: Type.Optional(Type.String({ maxLength: 20 })),
    provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    to: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    mode: Type.Unsafe<(typeof modes)[number]>({ type: 'string', enum: [...modes] }),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  },
  { additionalProperties: false },
)
export type HttpFault = Static<typeof HttpFault>
export type HttpFaults = FaultScript<HttpFault, { provider: string; to: string }>

export function openHttpFaults(): HttpFaults {
  return openFaultScript(
    (rule, { provider, to }) =>
      (rule.provider === undefined || rule.provider === provider) &&
      (rule.to === undefined || rule.to === to),
  )
}

export function faultRoutes(channel: string, faults: HttpFaults): ControlRoute[] {
  const view = ({ id, rule, left }: Scripted<HttpFault>) => ({
    id,
    channel,
    provider: rule.provider ?? null,
    to: rule.to ?? null,
    mode: rule.mode,
    times: rule.times ?? 1,
    left,
    delay_ms: rule.delay_ms ?? null,
  })
  return [
    {
      method: 'GET',
      path: '/faults',
      run: () => ({
        status: 200,
        body: { data: faults.list().map(view), next_cursor: null, has_more: false },
      }),
    },
    {
      method: 'POST',
      path: '/faults',
      run: ({ body }) => {
        const rule = fits(HttpFault, body)
        return { status: 201, body: view(faults.add(rule, rule.times ?? 1)) }
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

const slow_ms = 2000

/**
 * Applies a rule to a message: `accept` stores it, `answer` reports success, and `refuse` reports
 * an error in the vendor's format. Returns nothing if the caller should get no reply.
 */
export async function underFault(
  rule: HttpFault | undefined,
  response: Pick<ServerResponse, 'destroy'>,
  does: { accept(): void; answer(): void; refuse(mode: HttpFault['mode']): void },
): Promise<void> {
  const mode = rule?.mode
  if (
    mode === 'reject_temp' ||
    mode === 'reject_perm' ||
    mode === 'rate_limit' ||
    mode === 'gone'
  ) {
    return does.refuse(mode)
  }
  if (mode === 'drop_connection') return void response.destroy()
  if (mode === 'timeout_before_accept') return silence(rule, response)
  if (mode === 'slow') await pause(rule?.delay_ms ?? slow_ms)
  does.accept()
  if (mode === 'timeout_after_accept') return silence(rule, response)
  does.answer()
}

/** Sends no reply. The sender waits until it gives up or the connection is closed. */
function silence(rule: HttpFault | undefined, response: Pick<ServerResponse, 'destroy'>): void {
  if (rule?.delay_ms !== undefined) setTimeout(() => response.destroy(), rule.delay_ms).unref()
}
