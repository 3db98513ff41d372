/** What the use cases of chat share, and the faces that it stands on. */
import type { Reader } from '../../kernel/database/db.ts'
import type { Face as Identity } from '../identity/face.ts'
import type { Face as Messages } from '../notifications/face.ts'
import type { Face as Files } from '../uploads/face.ts'
import type { BodyCipher } from './messages/body-cipher.ts'
import type { Live } from './realtime/live.ts'
import type { Kernel } from './settings.ts'

/** Two people; the order does not matter. */
export type Pair = {
  readonly tenant_id: string
  readonly one: string
  readonly other: string
}

/** Asked of the surface that knows who blocks whom. */
export type Blocks = {
  /** For each pair, whether either of them blocks the other. */
  blockedPairs(reader: Reader, pairs: readonly Pair[]): Promise<readonly boolean[]>
}

export type Needs = {
  readonly people: Pick<
    Identity,
    'membersOf' | 'realtimeToken' | 'verifyRealtime' | 'onSessionEnded' | 'sessionAlive'
  > & {
    readonly administration: Pick<Identity['administration'], 'tenants' | 'accounts'>
  }
  readonly files: Pick<Files, 'plugReaders' | 'prepareUpload' | 'createUpload' | 'remove'>
  readonly messages: Pick<Messages, 'notify' | 'registerDevice' | 'removeDestination'>
  /** Without it nobody is blocked. */
  readonly blocks?: Blocks
}

export type Deps = Needs & {
  readonly kernel: Kernel
  readonly cipher: BodyCipher
  readonly live: Live
}
