/**
 * The frames of the socket: the frames that clients may send, and functions that write our own
 * frames.
 */
import { Type, type Static, type TSchema } from 'typebox'
import * as ws from 'ws'
import { Compile, type Validator } from 'typebox/compile'
import { count, Id } from '#dodeca/kernel'
import { Body, Sequence } from '../schemas.ts'

// The types of the library do not contain the function that writes its frames.
const { Sender } = ws as unknown as {
  readonly Sender: { frame(data: Buffer, how: object): Buffer[] }
}

/** The version of the frame format. */
const version = 1

/** The complete bytes of a frame, so that a frame for many sockets is made once. */
export function frameOf(frame: object): Buffer {
  const text = Buffer.from(JSON.stringify({ v: version, ...frame }))
  const how = { fin: true, opcode: 1, mask: false, readOnly: true, rsv1: false }
  return Buffer.concat(Sender.frame(text, how))
}

const RequestId = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\s\\u0000-\\u001f]+$' })

const inbound = {
  'message.send': Type.Object({
    request_id: RequestId,
    conversation_id: Id,
    body: Type.Optional(Body),
    attachment_ids: Type.Optional(Type.Array(Id, { maxItems: 10, uniqueItems: true })),
    reply_to_sequence: Type.Optional(count(1, Number.MAX_SAFE_INTEGER)),
  }),
  'receipt.read': Type.Object({ conversation_id: Id, through_sequence: Sequence }),
  typing: Type.Object({ conversation_id: Id, active: Type.Boolean() }),
  'presence.subscribe': Type.Object({ user_ids: Type.Array(Id, { maxItems: 200 }) }),
  sync: Type.Object({
    conversations: Type.Array(
      Type.Object({
        conversation_id: Id,
        last_sequence: Type.Optional(Sequence),
        last_revision: Type.Optional(Sequence),
      }),
      { maxItems: 500 },
    ),
  }),
  ping: Type.Object({ request_id: Type.Optional(RequestId) }),
} as const

export type Inbound = {
  [K in keyof typeof inbound]: { readonly type: K } & Static<(typeof inbound)[K]>
}[keyof typeof inbound]

export type Misread = {
  readonly code:
    | 'malformed_json'
    | 'malformed_request'
    | 'unsupported_version'
    | 'unknown_type'
    | 'validation_failed'
  readonly detail: string
  readonly request_id: string | null
}

const validators = new Map<string, Validator>()

function validatorOf(type: string, schema: TSchema): Validator {
  const known = validators.get(type)
  if (known) return known
  const made = Compile(schema)
  validators.set(type, made)
  return made
}

/** Unknown properties are ignored and never copied. */
export function readFrame(text: string): Inbound | Misread {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return { code: 'malformed_json', detail: 'The frame is not JSON.', request_id: null }
  }
  const refuse = (code: Misread['code'], detail: string): Misread => ({
    code,
    detail,
    request_id: requestIdOf(frame),
  })
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) {
    return refuse('malformed_request', 'A frame is a JSON object with a `type`.')
  }
  const { type, v } = frame as { type?: unknown; v?: unknown }
  if (v !== undefined && v !== version) {
    return refuse('unsupported_version', `The version of the envelope is ${version}.`)
  }
  if (typeof type !== 'string' || !Object.hasOwn(inbound, type)) {
    return refuse('unknown_type', `The types are ${Object.keys(inbound).join(', ')}.`)
  }
  const check = validatorOf(type, inbound[type as keyof typeof inbound])
  if (check.Check(frame)) return frame as Inbound
  const [fault] = check.Errors(frame)
  return refuse(
    'validation_failed',
    `${fault?.instancePath || '/'} ${fault?.message ?? 'is invalid'}`,
  )
}

function requestIdOf(frame: unknown): string | null {
  if (typeof frame !== 'object' || frame === null || !Object.hasOwn(frame, 'request_id'))
    return null
  const { request_id } = frame as { request_id: unknown }
  return typeof request_id === 'string' && request_id.length <= 200 ? request_id : null
}
