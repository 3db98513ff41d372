/** The routes of chat, by noun. */
import type { Route } from '#dodeca/kernel'
import { attachmentRoutes } from './attachments/routes.ts'
import { conversationRoutes } from './conversations/routes.ts'
import type { Deps } from './deps.ts'
import { deviceRoutes } from './devices/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { messageRoutes } from './messages/routes.ts'
import type { Sender } from './messages/send-message.ts'
import { tokenRoutes } from './realtime/token-route.ts'

export function routes(deps: Deps, send: Sender): readonly Route[] {
  return [
    ...conversationRoutes(deps),
    ...messageRoutes({ ...deps, send }),
    ...memberRoutes(deps),
    ...attachmentRoutes(deps),
    ...deviceRoutes(deps),
    ...tokenRoutes(deps),
  ]
}
