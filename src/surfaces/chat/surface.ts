/** The parts of chat, opened once and connected here. */
import type { Surface } from '#dodeca/kernel'
import { plugCompleted } from './attachments/follow-files.ts'
import { plugAttachments } from './attachments/read-files.ts'
import { nobodyBlocked } from './conversations/is-blocked.ts'
import { discardUnsent } from './attachments/discard-unsent.ts'
import { checks } from './checks.ts'
import { consumers } from './consumers.ts'
import type { Deps, Needs } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { releaseEnded } from './devices/release-ended.ts'
import { faceFor } from './face-for.ts'
import { openBodyCipher, sealedDataKeys } from './messages/body-cipher.ts'
import { openSender } from './messages/send-message.ts'
import { permissions } from './permissions.ts'
import { personalChat } from './personal.ts'
import { pushQueue } from './pushes/push-queue.ts'
import { OpenLive } from './realtime/open-live.ts'
import { socketRoute } from './realtime/socket.ts'
import { reference } from './reference.ts'
import { routes } from './routes.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'

export const chat: Surface<object, Needs, typeof settings> = {
  name: 'chat',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  permissions,
  errors,
  events,
  reference,
  needs: { people: 'identity', files: 'uploads', messages: 'notifications', blocks: 'social?' },
  open: (kernel, { blocks = nobodyBlocked, ...needs }) => {
    const parts = { ...needs, blocks, kernel, cipher: openBodyCipher(kernel) }
    const live = new OpenLive(parts)
    const deps: Deps = { ...parts, live }
    const send = openSender(deps)
    plugAttachments(deps)
    plugCompleted(deps)
    return {
      face: {},
      faceFor: caller => faceFor(deps, caller),
      routes: routes(deps, send),
      sockets: [socketRoute({ ...deps, live, send })],
      queues: [pushQueue(deps)],
      consumers: consumers(deps),
      loops: [discardUnsent(deps), releaseEnded(deps)],
      checks: checks(deps),
      sealed: [sealedDataKeys],
      personal: personalChat(deps),
      seed: tenants => seed(deps, send, tenants),
      close: () => live.close(),
    }
  },
}
