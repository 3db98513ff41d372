/**
 * The dependencies that the use cases of chat share, and the faces of other surfaces that chat
 * calls.
 */
import type { Inside as Identity } from '../identity/face.ts'
import type { Inside as Messages } from '../notifications/face.ts'
import type { Inside as Social } from '../social/face.ts'
import type { Inside as Files } from '../uploads/face.ts'
import type { BodyCipher } from './messages/body-cipher.ts'
import type { Live } from './realtime/live.ts'
import type { Kernel } from './settings.ts'

export type Needs = {
  readonly people: Pick<
    Identity,
    | 'membersOf'
    | 'realtimeToken'
    | 'useRealtime'
    | 'hasEnded'
    | 'onSessionEnded'
    | 'sessionAlive'
    | 'endedSessions'
  >
  readonly files: Pick<
    Files,
    'plugCompleted' | 'plugReaders' | 'prepareUpload' | 'createUpload' | 'remove'
  >
  readonly messages: Pick<Messages, 'notify' | 'registerDevice' | 'removeDestination'>
  readonly blocks: Social | undefined
}

export type Deps = Omit<Needs, 'blocks'> & {
  readonly blocks: Social
  readonly kernel: Kernel
  readonly cipher: BodyCipher
  readonly live: Live
}
