/** The platform with people and the work, in a process of its own, configured by its environment. */
import { newId, type Principal } from '#dodeca/kernel'
import { start } from '../../src/runtime/start.ts'
import { loadConfig } from '../../src/settings.ts'
import type { Face as People } from '../../test/surfaces/people/face.ts'
import { people } from '../../test/surfaces/people/surface.ts'
import { work } from './work.ts'

export type Ready = { readonly port: number; readonly token: string }

let faces: People | undefined
const running = await start(loadConfig(), () => {}, {
  surfaces: [people, work],
  open: kernelFor => {
    const who = people.open(kernelFor(people), {})
    faces = who.face
    const opened = { people: who, work: work.open(kernelFor(work), {}) }
    return { opened, access: who.face.access }
  },
})
if (!faces) throw new Error('the surfaces were not opened')
const principal: Principal = {
  id: newId(),
  tenant_id: newId(),
  kind: 'account',
  session_id: newId(),
  aal: 'aal1',
  auth_time: 0,
}
const ready: Ready = { port: running.port, token: faces.token(principal) }
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.send?.({ ready })
