/**
 * The people whom the sandbox's providers know, and what the providers have given out: codes and
 * access tokens. It is kept in memory: after a restart a person logs in again.
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { newSecret } from '#dodeca/kernel'

const Text = Type.String({ minLength: 1, maxLength: 320 })

export const Person = Type.Object(
  {
    /** By default it follows from the address, so that a person comes back as the same one. */
    subject: Type.Optional(Text),
    email: Type.Optional(Text),
    email_verified: Type.Optional(Type.Boolean()),
    name: Type.Optional(Text),
    /** Further claims of the id_token or members of userinfo. */
    claims: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())),
  },
  { additionalProperties: false },
)
export type Person = Static<typeof Person>

export type Given = {
  readonly provider: string
  readonly client_id: string
  readonly redirect_uri: string
  readonly challenge: string | null
  readonly nonce: string | null
  readonly person: Person
}

export type People = ReturnType<typeof openPeople>

const kept_max = 10_000

export function openPeople() {
  const codes = new Map<string, Given>()
  const tokens = new Map<string, Given>()
  /** Apple says a name only with the first login of a person. */
  const seen = new Set<string>()
  const keep = (all: Map<string, Given>, given: Given) => {
    const secret = newSecret()
    if (all.size >= kept_max) all.clear()
    all.set(secret, given)
    return secret
  }
  return {
    giveCode: (given: Given) => keep(codes, given),
    /** A code is of use once. */
    takeCode: (code: string): Given | undefined => {
      const given = codes.get(code)
      codes.delete(code)
      return given
    },
    giveToken: (given: Given) => keep(tokens, given),
    byToken: (header: string | undefined) =>
      tokens.get(/^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? ''),
    isFirst: (provider: string, person: Person): boolean => {
      const known = `${provider} ${subjectOf(person)}`
      if (seen.has(known)) return false
      seen.add(known)
      return true
    },
    clear: () => {
      for (const all of [codes, tokens, seen]) all.clear()
    },
  }
}

export function subjectOf({ subject, email = '' }: Person): string {
  return subject ?? createHash('sha256').update(email).digest('hex').slice(0, 24)
}

/** GitHub's ids are numbers. */
export function numberOf(person: Person): number {
  const given = Number(person.subject)
  if (Number.isSafeInteger(given) && given > 0) return given
  return createHash('sha256').update(subjectOf(person)).digest().readUIntBE(0, 6)
}

export function fitsChallenge({ challenge }: Given, verifier: string | null): boolean {
  if (challenge === null) return true
  const made = createHash('sha256')
    .update(verifier ?? '')
    .digest('base64url')
  return made === challenge
}
