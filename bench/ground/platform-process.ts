/**
 * The platform with the small test surfaces and the pulse, in a process of its own: configured by its
 * environment like the real one. It tells its parent where it listens and gives it a person with a
 * token, and on request it makes events or says when it heard them.
 */
import { loadConfig } from '../../src/settings.ts'
import { newId, type Principal } from '#dodeca/kernel'
import { start } from '../../src/runtime/start.ts'
import { book } from '../../test/surfaces/book/surface.ts'
import type { Face as People } from '../../test/surfaces/people/face.ts'
import { people } from '../../test/surfaces/people/surface.ts'
import { answerBeats } from './answer-beats.ts'
import { pulseOf, type Face as Pulse, type Consumption } from './pulse.ts'

export type Ready = {
  readonly port: number
  readonly token: string
  readonly tenant_id: string
  readonly person_id: string
}

const consuming = (process.argv[2] ?? 'none') as Consumption
const surfaces = process.argv[3] === 'pulse' ? [people] : [people, book]
const pulse = pulseOf(consuming)
let faces: { who: People; beating: Pulse } | undefined

const running = await start(loadConfig(), () => {}, {
  surfaces: [...surfaces, pulse],
  open: kernelFor => {
    const who = people.open(kernelFor(people), {})
    const beating = pulse.open(kernelFor(pulse), {})
    faces = { who: who.face, beating: beating.face }
    const others = surfaces.includes(book) ? { book: book.open(kernelFor(book), {}) } : {}
    return { opened: { people: who, ...others, pulse: beating }, access: who.face.access }
  },
})
if (!faces) throw new Error('the surfaces were not opened')
const { who, beating } = faces

const principal: Principal = {
  id: newId(),
  tenant_id: newId(),
  kind: 'account',
  session_id: newId(),
  aal: 'aal1',
  auth_time: 0,
}
await who.grant(principal, 'book.transfers.make')
const ready: Ready = {
  port: running.port,
  token: who.token(principal),
  tenant_id: principal.tenant_id,
  person_id: principal.id,
}

answerBeats({
  ready,
  beat: () => beating.beat(principal.tenant_id),
  beats: beating.beats,
  end: async () => {
    await running.stop()
  },
})
