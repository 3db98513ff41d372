/**
 * The ways in which the mail servers can fail, and the messages that a rule applies to. A refusal
 * happens at RCPT TO, when the sender still knows that the server has not accepted the message. All
 * other faults happen after the last byte of the message, when the sender cannot know.
 */
import { Type, type Static } from 'typebox'
import { openFaultScript, type FaultScript, type Scripted } from '../fault-script.ts'

export const MailFault = Type.Object(
  {
    channel: Type.Optional(Type.Literal('email')),
    provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    to: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    mode: Type.Union([
      Type.Literal('reject_temp'),
      Type.Literal('reject_perm'),
      Type.Literal('rate_limit'),
      Type.Literal('timeout_before_accept'),
      Type.Literal('timeout_after_accept'),
      Type.Literal('slow'),
      Type.Literal('drop_connection'),
    ]),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  },
  { additionalProperties: false },
)
export type MailFault = Static<typeof MailFault>
export type Handover = { provider: string; to: string }
export type MailFaults = FaultScript<MailFault, Handover>

export function openMailFaults(): MailFaults {
  return openFaultScript<MailFault, Handover>(
    (rule, { provider, to }) =>
      (rule.provider === undefined || rule.provider === provider) &&
      (rule.to === undefined || rule.to.toLowerCase() === to.toLowerCase()),
  )
}

export function faultView({ id, rule, left }: Scripted<MailFault>) {
  return {
    id,
    channel: 'email' as const,
    provider: rule.provider ?? null,
    to: rule.to ?? null,
    mode: rule.mode,
    times: rule.times ?? 1,
    left,
    delay_ms: rule.delay_ms ?? null,
  }
}

export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal'
  readonly responseCode: number
  constructor(responseCode: number, words: string) {
    super(words)
    this.responseCode = responseCode
  }
}

const refusals: Partial<Record<MailFault['mode'], [number, string]>> = {
  reject_temp: [451, '4.3.0 Temporary failure, try again later'],
  reject_perm: [550, '5.1.1 No such mailbox here'],
  rate_limit: [450, '4.7.1 Too many messages, slow down'],
}

export function refusalOf(rule: MailFault): SmtpRefusal | undefined {
  const words = refusals[rule.mode]
  return words && new SmtpRefusal(...words)
}
