/** The ways in which a provider lies or fails. They apply where its code is exchanged. */
import { Type, type Static } from 'typebox'
import { fits, type ControlRoute } from '../control.ts'
import { openFaultScript, type FaultScript } from '../fault-script.ts'
import type { Person } from './people.ts'

const modes = [
  'silent',
  'token_500',
  'oversize',
  'wrong_issuer',
  'unverified',
  'foreign_address',
  'changed_subject',
] as const

const Fault = Type.Object(
  {
    provider: Type.Optional(Type.String({ maxLength: 20 })),
    mode: Type.Unsafe<(typeof modes)[number]>({ type: 'string', enum: [...modes] }),
    /** The address that `foreign_address` asserts, and the subject of `changed_subject`. */
    value: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  },
  { additionalProperties: false },
)
export type Fault = Static<typeof Fault>
export type Faults = FaultScript<Fault, { provider: string }>

export function openFaults(): Faults {
  return openFaultScript(
    (rule, { provider }) => rule.provider === undefined || rule.provider === provider,
  )
}

/** What the provider says about a person under a fault. */
export function bent(person: Person, fault: Fault | undefined): Person {
  if (fault?.mode === 'unverified') return { ...person, email_verified: false }
  if (fault?.mode === 'foreign_address') {
    return { ...person, email: fault.value ?? 'victim@example.com', email_verified: true }
  }
  if (fault?.mode === 'changed_subject') return { ...person, subject: fault.value ?? '4711' }
  return person
}

export function faultRoutes(faults: Faults): ControlRoute[] {
  return [
    {
      method: 'POST',
      path: '/faults',
      run: ({ body }) => {
        const rule = fits(Fault, body)
        const { id, left } = faults.add(rule, rule.times ?? 1)
        return { status: 201, body: { id, left, ...rule } }
      },
    },
  ]
}
