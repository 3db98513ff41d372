/** Frames as a broken or hostile client sends them: any text, any JSON, and ours with something changed. */
import fc from 'fast-check'

const id = '0199a1b2-0000-7000-8000-000000000001'
const frames = [
  { type: 'message.send', request_id: 'r', conversation_id: id, body: 'text' },
  { type: 'message.send', request_id: 'r', conversation_id: id, attachment_ids: [id] },
  { type: 'receipt.read', conversation_id: id, through_sequence: 1 },
  { type: 'typing', conversation_id: id, active: true },
  { type: 'presence.subscribe', user_ids: [id] },
  { type: 'sync', conversations: [{ conversation_id: id, last_sequence: 1, last_revision: 1 }] },
  { type: 'ping', request_id: 'r' },
] as const
const own = new Set(frames.flatMap(frame => Object.keys(frame)))
const names = [...own, 'v', '__proto__', 'constructor', 'toString']
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(2 ** 53, -1, 1.5, 1e308, null, '', '\u0000', '\ud800', 'x'.repeat(9000), [], {}),
  fc.constantFrom('[', '{"a":').map(open => open.repeat(2000)),
)

/** JSON, mostly close to a frame that is understood. */
export const jsonFrames = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue().map(value => JSON.stringify(value)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...frames),
        fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 3 }),
      )
      .map(([frame, changes]) => JSON.stringify({ ...frame, ...changes })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...frames), fc.constantFrom(...names))
      .map(([frame, gone]) => JSON.stringify({ ...frame, [gone]: undefined })),
  },
)

export const anyFrames = fc.oneof(fc.string({ unit: 'binary' }), jsonFrames)
